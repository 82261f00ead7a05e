//go:build lab

package lab

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// kernelLog is what the kernel complains of while a test looks (dev-kmsg).
type kernelLog struct {
	fd         int
	complained chan struct{} // closed at the first complaint
	enough     chan struct{}
	reading    sync.WaitGroup
	lines      []string
}

// complaint is of what a kernel says, at any level, that has found a fault of its
// own: WARN_ON, lockdep, KASAN, RCU, SLUB, khungtaskd, net.
var complaint = regexp.MustCompile(`WARNING|BUG|Oops|KASAN|ODEBUG|possible|suspicious RCU|INFO: |Show Blocked State|blocked for more than|stall|lockup|Poison|Redzone|refcount|corruption|unregister_netdevice: waiting|Call Trace|general protection`)

// expected is of what a storm has it say at the level of warnings and worse, or a
// host that is busy.
var expected = regexp.MustCompile(`hrtimer: interrupt took|^clocksource: |^sched: |hogged CPU for|out-of-tree module taints|module verification failed|callbacks suppressed|tc mirred to Houston: device \S+ is down`)

// watchKernelLog reads the log from now on until it is stopped.
func watchKernelLog(t *testing.T) *kernelLog {
	t.Helper()
	fd, err := unix.Open("/dev/kmsg", unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := unix.Seek(fd, 0, unix.SEEK_END); err != nil {
		t.Fatal(err)
	}
	l := &kernelLog{fd: fd, complained: make(chan struct{}), enough: make(chan struct{})}
	l.reading.Go(func() {
		for over := false; !over; {
			select {
			case <-l.enough:
				over = true
			case <-time.After(20 * time.Millisecond):
			}
			l.read()
		}
	})
	return l
}

// read takes what there is.
func (l *kernelLog) read() {
	record := make([]byte, 8192)
	for {
		n, err := unix.Read(l.fd, record)
		switch {
		case errors.Is(err, unix.EPIPE): // some were overwritten
		case err != nil: // EAGAIN
			return
		default:
			head, text, _ := strings.Cut(string(record[:n]), ";") // 6,339,5140900,-;text
			l.take(head, strings.SplitN(text, "\n", 2)[0])
		}
	}
}

// take keeps a complaint and, as its trace may be among them, what follows.
func (l *kernelLog) take(head, text string) {
	const warning, facilities, most = 4, 8, 2000
	priority, _ := strconv.Atoi(strings.SplitN(head, ",", 2)[0])
	wrong := complaint.MatchString(text) || priority <= warning && priority < facilities
	switch {
	case len(l.lines) > 0 && len(l.lines) < most:
		l.lines = append(l.lines, text)
	case len(l.lines) == 0 && wrong && !expected.MatchString(text):
		close(l.complained)
		l.lines = append(l.lines, text)
	}
}

func (l *kernelLog) hasComplained() bool {
	select {
	case <-l.complained:
		return true
	default:
		return false
	}
}

// stop returns the complaints.
func (l *kernelLog) stop() []string {
	close(l.enough)
	l.reading.Wait()
	unix.Close(l.fd)
	return l.lines
}
