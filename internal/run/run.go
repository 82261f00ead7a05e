// Package run runs programs: with a deadline, in a process group of their own,
// with no input and a bounded output. It is the only one that does.
package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"syscall"
	"time"
)

// maxOutput is how much of a program's output is kept, of each stream.
const maxOutput = 1 << 20

// patience is how long what a killed program left behind may hold its output open.
const patience = time.Second

// ErrTooMuchOutput says that a program wrote more than is kept; it was ended.
var ErrTooMuchOutput = errors.New("more output than 1 MiB")

// Output runs a program and returns what it wrote to its standard output. When
// ctx ends, its whole process group is killed. The error of a program that fails
// holds the first line it wrote to its standard error.
func Output(ctx context.Context, path string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stdout, stderr := &bounded{full: cancel}, &bounded{full: cancel}
	command := exec.CommandContext(ctx, path, args...)
	command.Stdout, command.Stderr = stdout, stderr
	command.Env = []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C"}
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	command.WaitDelay = patience
	err := command.Run()
	if command.Process != nil {
		_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL) // children that it left
	}
	if cause := context.Cause(ctx); cause != nil && err != nil {
		err = cause
	}
	if err != nil {
		if line, _, _ := bytes.Cut(bytes.TrimSpace(stderr.kept.Bytes()), []byte{'\n'}); len(line) > 0 {
			err = fmt.Errorf("%w: %s", err, line)
		}
		return stdout.kept.Bytes(), fmt.Errorf("run %s: %w", path, err)
	}
	return stdout.kept.Bytes(), nil
}

// bounded keeps the beginning of what is written and ends the program when it is
// full.
type bounded struct {
	kept bytes.Buffer
	full context.CancelCauseFunc
}

func (b *bounded) Write(p []byte) (int, error) {
	if room := maxOutput - b.kept.Len(); len(p) > room {
		b.kept.Write(p[:room])
		b.full(ErrTooMuchOutput)
		return len(p), nil
	}
	return b.kept.Write(p)
}
