// Package program builds and runs the programs that tests and benchmarks drive
// from outside.
package program

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// listening finds the address in the log line of a listener that serves.
var listening = regexp.MustCompile(`address=(127\.0\.0\.1:[0-9]+)`) // msg="Listening on" address=127.0.0.1:35729

// A Program is a running process, killed when its test ends.
type Program struct {
	command *exec.Cmd
	log     log
	exited  chan struct{}
	err     error // of the exit, once exited is closed
}

// Start runs a program in the caller's network namespace.
func Start(t testing.TB, path string, args ...string) *Program {
	t.Helper()
	p := &Program{command: exec.Command(path, args...), exited: make(chan struct{})}
	p.command.Stderr, p.command.Stdout = &p.log, &p.log
	if err := p.command.Start(); err != nil {
		t.Fatalf("start %s: %v", path, err)
	}
	go func() {
		p.err = p.command.Wait()
		close(p.exited)
	}()
	t.Cleanup(func() {
		_ = p.command.Process.Kill()
		<-p.exited
		if t.Failed() {
			t.Logf("%s said:\n%s", filepath.Base(path), p.Log())
		}
	})
	return p
}

// StartSeeingNamespace runs a program as Start does, with a /sys that shows the
// caller's network namespace. It needs root.
func StartSeeingNamespace(t testing.TB, path string, args ...string) *Program {
	t.Helper()
	script := `mount -t sysfs sysfs /sys && exec "$0" "$@"`
	return Start(t, "unshare", append([]string{"--mount", "sh", "-c", script, path}, args...)...)
}

// PID is the process number.
func (p *Program) PID() int { return p.command.Process.Pid }

// Log is what the program has printed so far.
func (p *Program) Log() string { return p.log.String() }

// AwaitLog waits until the program has printed a line that holds text, and
// returns that line.
func (p *Program) AwaitLog(t testing.TB, text string) string {
	t.Helper()
	for range 300 {
		ended := p.hasEnded() // asked first: what it said before its end counts
		for line := range strings.Lines(p.Log()) {
			if strings.Contains(line, text) {
				return line
			}
		}
		if ended {
			t.Fatalf("program ended (%v) and never said %q:\n%s", p.err, text, p.Log())
		}
		select {
		case <-p.exited:
		case <-time.After(100 * time.Millisecond):
		}
	}
	t.Fatalf("program never said %q:\n%s", text, p.Log())
	return ""
}

func (p *Program) hasEnded() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}

// Address waits until the program listens and returns where on the loopback:
// 127.0.0.1:35729. It knows the words of every program that logs as Prometheus does.
func (p *Program) Address(t testing.TB) string {
	t.Helper()
	line := p.AwaitLog(t, "Listening on")
	m := listening.FindStringSubmatch(line)
	if m == nil {
		t.Fatalf("no address in %q", line)
	}
	return m[1]
}

// Signal sends the program a signal.
func (p *Program) Signal(t testing.TB, signal syscall.Signal) {
	t.Helper()
	if err := p.command.Process.Signal(signal); err != nil {
		t.Fatalf("%v: %v", signal, err)
	}
}

// Stop sends SIGTERM and returns how long the program took to end and with
// what error.
func (p *Program) Stop(t testing.TB) (time.Duration, error) {
	t.Helper()
	began := time.Now()
	p.Signal(t, syscall.SIGTERM)
	select {
	case <-p.exited:
	case <-time.After(30 * time.Second):
		t.Fatalf("still running 30 s after SIGTERM:\n%s", p.Log())
	}
	return time.Since(began), p.err
}

// log is a buffer for two goroutines.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write keeps what the program prints.
func (l *log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

// String is all that was printed.
func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
