package guest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// errNotStarted is the end of a guest before it came to its command.
var errNotStarted = errors.New("it ended before the command began")

// Run boots the guest, runs a command in it and returns the command's exit
// status. The error holds the end of what the kernel said where there was no
// status; where the status is not 0, log gets it. log also tells of a trial of
// KVM, and of a second boot: now and then emulation fails before the command
// has begun, and nothing is lost then.
func (g *Guest) Run(ctx context.Context, r Run, log io.Writer) (status int, err error) {
	accel := g.accelerator(ctx, log)
	status, err = g.boot(ctx, r, accel, log)
	if errors.Is(err, errNotStarted) {
		fmt.Fprintf(log, "lab: %v\nlab: once more\n", err)
		status, err = g.boot(ctx, r, accel, log)
	}
	return status, err
}

// boot boots the guest once.
func (g *Guest) boot(ctx context.Context, r Run, accel accelerator, log io.Writer) (status int, err error) {
	folder, err := os.MkdirTemp("", "dpu-exporter-lab-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(folder)
	if err := r.prepare(folder, g.kernel().shares(r)); err != nil {
		return 0, err
	}
	limited, cancel := context.WithTimeout(ctx, r.Limit)
	defer cancel()
	started := filepath.Join(folder, "started")
	defer time.AfterFunc(g.kernel().limit, func() {
		if _, err := os.Stat(started); err != nil {
			cancel()
		}
	}).Stop()
	complaints, failed := g.emulate(limited, r, folder, accel)
	text, err := os.ReadFile(filepath.Join(folder, "status"))
	if err == nil {
		status, err = strconv.Atoi(strings.TrimSpace(string(text)))
		if tail := consoleTail(folder); status != 0 && tail != "" {
			fmt.Fprintln(log, "lab: the end of the guest's console:\n"+tail)
		}
		return status, err
	}
	_, notStarted := os.Stat(started)
	switch {
	case ctx.Err() != nil:
		failed = ctx.Err()
	case errors.Is(limited.Err(), context.DeadlineExceeded):
		failed = fmt.Errorf("it did not end within %s", r.Limit)
	case notStarted != nil:
		failed = errors.Join(errNotStarted, failed)
	case failed == nil:
		failed = errors.New("it went down before the command ended")
	}
	tail := cmp.Or(consoleTail(folder), "it is empty")
	return 0, fmt.Errorf("the guest gave no result: %w\n%sthe end of its console:\n%s", failed, complaints, tail)
}

// emulate runs the emulator until the guest has gone down, and returns what it
// had to say itself. Its output goes through a file unless it is a terminal's:
// the emulator drops what a pipe does not take at once.
func (g *Guest) emulate(ctx context.Context, r Run, folder string, accel accelerator) (complaints string, err error) {
	runtime.LockOSThread() // it dies with the thread that started it (PR_SET_PDEATHSIG)
	defer runtime.UnlockOSThread()
	command := g.qemu(ctx, g.machine(folder, r, accel))
	var said strings.Builder
	command.Stdin, command.Stdout, command.Stderr = r.Input, r.Output, &said
	if r.Input != nil {
		return said.String(), command.Run()
	}
	file, err := os.Create(filepath.Join(folder, "output"))
	if err != nil {
		return "", err
	}
	defer file.Close()
	command.Stdout = file
	finish := follow(file.Name(), r.Output)
	err = errors.Join(command.Run(), finish())
	return said.String(), err
}

// consoleTail is the last lines of what the guest's kernel said, "" if it was
// silent but for its end.
func consoleTail(folder string) string {
	text, _ := os.ReadFile(filepath.Join(folder, console))
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	lines = slices.DeleteFunc(lines, func(l string) bool { return strings.Contains(l, "reboot: Power down") })
	return strings.Join(lines[max(0, len(lines)-60):], "\n")
}
