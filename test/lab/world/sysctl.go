package world

import (
	"os"
	"strings"
	"testing"
)

// SetSysctl sets a file below /proc/sys, which is that of the caller's
// namespace, until the test ends.
func SetSysctl(t testing.TB, file, value string) {
	t.Helper()
	path := "/proc/sys/" + file
	before, err := os.ReadFile(path)
	must(t, err)
	WriteFile(t, path, value)
	t.Cleanup(func() { WriteFile(t, path, strings.TrimSpace(string(before))) })
}
