// Package world makes the networks that lab tests run in: switchdev devices,
// RDMA pairs, Open vSwitch bridges, tenants. Each function makes one thing in
// the guest, fails the test with the command and its output if it cannot, and
// unmakes the thing when the test ends. Tests of this package run one after the
// other: the guest has one of everything.
package world

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/dpu-exporter/dpu-exporter/test/need"
)

// commandLimit ends a program that hangs, well before the guest's own limit.
const commandLimit = 30 * time.Second

// Run runs a program in the guest's first network namespace and returns what it
// prints on standard output. The test fails unless it exits with 0.
func Run(t testing.TB, program string, args ...string) string {
	t.Helper()
	out, err := Try(t, program, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Try is Run for a program that may fail; the error holds the command and what
// it said on standard error.
func Try(t testing.TB, program string, args ...string) (string, error) {
	t.Helper()
	need.Lab(t)
	ctx, cancel := context.WithTimeout(context.Background(), commandLimit) // t.Context has ended in a cleanup
	defer cancel()
	var stderr strings.Builder
	command := exec.CommandContext(ctx, program, args...)
	command.Stderr = &stderr
	command.WaitDelay = time.Second // children may hold the pipes open
	out, err := command.Output()
	if err != nil {
		return string(out), &failure{strings.Join(command.Args, " "), strings.TrimSpace(stderr.String()), err}
	}
	return string(out), nil
}

// RunJSON runs a program as Run does and parses its output as JSON.
func RunJSON[T any](t testing.TB, program string, args ...string) T {
	t.Helper()
	out := Run(t, program, args...)
	var value T
	if err := json.Unmarshal([]byte(out), &value); err != nil {
		t.Fatalf("%s %s: %v in %s", program, strings.Join(args, " "), err, out)
	}
	return value
}

// WriteFile writes a file of sysfs, procfs or debugfs, as echo does.
func WriteFile(t testing.TB, path, text string) {
	t.Helper()
	need.Lab(t)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatalf("write %q: %v", text, err)
	}
}

// failure is a command that failed.
type failure struct {
	command, stderr string
	err             error
}

// Error says which command failed, how, and what it said.
func (f *failure) Error() string { return f.command + ": " + f.err.Error() + ": " + f.stderr }

// Unwrap is the error of os/exec.
func (f *failure) Unwrap() error { return f.err }
