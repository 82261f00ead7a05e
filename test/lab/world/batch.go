package world

import (
	"os"
	"path/filepath"
	"testing"
)

// Batch has ip(8), bridge(8), devlink(8) or tc(8) run commands, one a line, in
// one process, and returns what it prints: in the guest starting a process
// costs more than most commands do.
func Batch(t testing.TB, program, commands string, options ...string) string {
	t.Helper()
	return Namespace("").Batch(t, program, commands, options...)
}

// Batch is Batch in this namespace.
func (n Namespace) Batch(t testing.TB, program, commands string, options ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "commands")
	if err := os.WriteFile(file, []byte(commands), 0o600); err != nil {
		t.Fatal(err)
	}
	return n.Run(t, program, append(options, "-b", file)...) // devlink(8) has no other spelling
}
