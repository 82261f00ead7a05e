package world

import (
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A KernelLog is the kernel's log from one moment on (dev-kmsg).
type KernelLog struct{ file int }

// OpenKernelLog reads the kernel's log from now on, until the test ends.
func OpenKernelLog(t testing.TB) *KernelLog {
	t.Helper()
	file, err := unix.Open("/dev/kmsg", unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	must(t, err)
	t.Cleanup(func() { _ = unix.Close(file) })
	_, err = unix.Seek(file, 0, io.SeekEnd)
	must(t, err)
	return &KernelLog{file}
}

// WatchKernelLog fails the test if the kernel reports a defect of its own until
// the test ends. What is cleaned up before, because it was made later, is covered.
func WatchKernelLog(t testing.TB) {
	t.Helper()
	log := OpenKernelLog(t)
	t.Cleanup(func() {
		for _, line := range log.Defects(t) {
			t.Errorf("kernel: %s", line)
		}
	})
}

// defect is how the kernel begins a report of a defect: BUG: KASAN: …,
// WARNING: possible circular locking …, rcu: INFO: rcu_preempt self-detected …
var defect = regexp.MustCompile(`WARNING:|BUG[: ]|Oops|general protection fault|nable to handle|` +
	`KASAN|UBSAN|rcu: INFO|INFO: task|unregister_netdevice: waiting|refcount_t:|Poison|Redzone`)

// Defects are the new lines that report a defect of the kernel.
func (l *KernelLog) Defects(t testing.TB) (lines []string) {
	t.Helper()
	for record := make([]byte, 16<<10); ; {
		n, err := unix.Read(l.file, record)
		switch {
		case errors.Is(err, unix.EAGAIN):
			return lines
		case errors.Is(err, unix.EPIPE): // too late for some; it goes on with the oldest there is
			lines = append(lines, "some of the log was overwritten before it was read")
			continue
		}
		must(t, err)
		_, text, _ := strings.Cut(string(record[:n]), ";") // 6,339,5140900,-;NET: Registered …
		if text, _, _ = strings.Cut(text, "\n"); defect.MatchString(text) {
			lines = append(lines, text)
		}
	}
}
