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
	"time"
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
	pids := filepath.Join(t.TempDir(), "pids")
	ctx, cancel := context.WithCancel(t.Context())
	path := script(t, `trap "" TERM; sleep 1000 & echo $$ $! > `+pids+`; wait`)
	go func() {
		for len(read(pids)) < 2 {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	if _, err := Output(ctx, path); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	for _, text := range read(pids) {
		pid, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		if !gone(pid) {
			t.Errorf("process %d is still there", pid)
		}
	}
}

func read(path string) []string {
	b, _ := os.ReadFile(path)
	return strings.Fields(string(b))
}

// gone says whether a process has ended: its parent may take a moment to say so.
func gone(pid int) bool {
	for range 1000 {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil || strings.Contains(string(stat), ") Z ") || errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			return true
		}
		time.Sleep(time.Millisecond)
	}
	return false
}
