package run

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// script writes a program of the shell.
func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOutput(t *testing.T) {
	out, err := Output(t.Context(), script(t, `echo "$1 $LC_ALL"; cat`), "one")
	if string(out) != "one C\n" || err != nil {
		t.Errorf("%q, %v", out, err)
	}
}

func TestFailures(t *testing.T) {
	if _, err := Output(t.Context(), script(t, "echo half; echo no device >&2; exit 3")); err == nil || !strings.Contains(err.Error(), "no device") {
		t.Errorf("error %v", err)
	}
	if _, err := Output(t.Context(), filepath.Join(t.TempDir(), "absent")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	out, err := Output(t.Context(), script(t, "yes"))
	if !errors.Is(err, ErrTooMuchOutput) || len(out) != maxOutput {
		t.Errorf("%d bytes, %v", len(out), err)
	}
}

// A program that ignores signals, and the child that it left, are killed at the
// deadline.
func TestDeadlineKillsTheGroup(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pids")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var processes []int
	go func() {
		defer cancel()
		text, _ := os.ReadFile(pipe) // returns when the program has written and closed it
		for _, word := range strings.Fields(string(text)) {
			pid, err := strconv.Atoi(word)
			if err != nil {
				t.Error(err)
				return
			}
			process, err := unix.PidfdOpen(pid, 0)
			if err != nil {
				t.Error(err)
				return
			}
			processes = append(processes, process)
		}
	}()
	path := script(t, `trap "" TERM; sleep 1000 & echo $$ $! > `+pipe+`; wait`)
	if _, err := Output(ctx, path); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if len(processes) != 2 {
		t.Fatalf("%d processes", len(processes))
	}
	for _, process := range processes {
		const patience = 10_000 // milliseconds
		if ended, err := unix.Poll([]unix.PollFd{{Fd: int32(process), Events: unix.POLLIN}}, patience); ended != 1 || err != nil {
			t.Errorf("a process is still there: %v", err)
		}
		_ = unix.Close(process)
	}
}
