package sysfstest

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// recorder is a test whose failures are looked at.
type recorder struct {
	testing.TB
	failures int
	cleanups []func()
}

func (r *recorder) Errorf(string, ...any) { r.failures++ }
func (r *recorder) Cleanup(f func())      { r.cleanups = append(r.cleanups, f) }

// failures loads a tree with tripwires, lets touch do something with it, and
// counts the failures.
func failures(t *testing.T, touch func(root string)) int {
	t.Helper()
	file := filepath.Join(t.TempDir(), "wires.tree")
	if err := os.WriteFile(file, []byte("a/b ! TRIPWIRE\na/c ! TRIPWIRE\na/link -> b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := &recorder{TB: t}
	touch(Load(r, file))
	for _, f := range r.cleanups {
		f()
	}
	return r.failures
}

func TestTripwire(t *testing.T) {
	got := map[string]int{
		"open":    failures(t, func(root string) { _, _ = os.ReadFile(filepath.Join(root, "a/c")) }),
		"by link": failures(t, func(root string) { _, _ = os.ReadFile(filepath.Join(root, "a/link")) }),
		"names":   failures(t, func(root string) { _, _ = os.ReadDir(filepath.Join(root, "a")) }),
		"links":   failures(t, func(root string) { _, _ = os.Readlink(filepath.Join(root, "a/link")) }),
		"stat":    failures(t, func(root string) { _, _ = os.Stat(filepath.Join(root, "a/b")) }),
	}
	want := map[string]int{"open": 1, "by link": 1, "names": 0, "links": 0, "stat": 0}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("failures (-want +got):\n%s", diff)
	}
}

func TestFaultsOfFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "faults.tree")
	tree := "invalid ! EINVAL\nsocket ! ENXIO\nfolder ! EACCES\nloop ! ELOOP\n"
	if err := os.WriteFile(file, []byte(tree), 0o600); err != nil {
		t.Fatal(err)
	}
	root := Load(t, file)
	AsNobody(func() {
		for path, want := range map[string]error{
			"invalid": unix.EINVAL, "socket": unix.ENXIO, "folder/x": unix.EACCES, "loop": unix.ELOOP,
		} {
			if _, err := os.ReadFile(filepath.Join(root, path)); !errors.Is(err, want) {
				t.Errorf("%s: error %v, want %v", path, err, want)
			}
		}
		if opened, err := os.Open(filepath.Join(root, "invalid")); err != nil || opened.Close() != nil {
			t.Errorf("open: %v; only its read is to fail", err)
		}
	})
}
