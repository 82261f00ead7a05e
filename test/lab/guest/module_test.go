package guest

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// toySource is the folder of a module's source that says text.
func toySource(t *testing.T, text string) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "toy")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"main.c": text, "Kbuild": "obj-m := toy.o\ntoy-y := main.o\nccflags-y := -Werror\n", ".#main.c": "an editor's", "notes": ""} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// copier builds modules that are nothing but their main.c.
func copier(_ context.Context, work string, _ io.Writer) error {
	text, err := os.ReadFile(filepath.Join(work, "main.c"))
	return errors.Join(err, os.WriteFile(filepath.Join(work, "toy.ko"), text, 0o644))
}

// names are those in a folder.
func names(t *testing.T, folder string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// What is not of the source is left out, and what has left it is left out of the
// next build, which finds the objects of the last.
func TestModuleIsBuiltFromItsSourceAlone(t *testing.T) {
	source := toySource(t, "one")
	another := filepath.Join(source, "another.c")
	if err := os.WriteFile(another, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	var had [][]string
	m := modules{folder: t.TempDir(), make: func(ctx context.Context, work string, log io.Writer) error {
		had = append(had, names(t, work))
		return copier(ctx, work, log)
	}}
	module, err := m.of(t.Context(), source, t.Output())
	if err != nil || module.Name != "toy.ko" || string(module.Text) != "one" {
		t.Errorf("%s: %q, error %v", module.Name, module.Text, err)
	}
	if err := os.Remove(another); err != nil {
		t.Fatal(err)
	}
	if _, err := m.of(t.Context(), source, t.Output()); err != nil {
		t.Error(err)
	}
	want := [][]string{{"Kbuild", "another.c", "main.c", "module.sh"}, {"Kbuild", "main.c", "module.sh", "toy.ko"}}
	if !slices.EqualFunc(had, want, slices.Equal) {
		t.Errorf("built from %q, want %q", had, want)
	}
}

func TestModuleBuildThatWasKilled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	m := modules{folder: t.TempDir(), make: func(_ context.Context, work string, _ io.Writer) error {
		cancel()
		return os.WriteFile(filepath.Join(work, "half.o"), nil, 0o644)
	}}
	if _, err := m.of(ctx, toySource(t, "one"), t.Output()); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	m.make = func(ctx context.Context, work string, log io.Writer) error {
		if slices.Contains(names(t, work), "half.o") {
			t.Error("what the killed build left behind is there")
		}
		return copier(ctx, work, log)
	}
	if _, err := m.of(t.Context(), toySource(t, "one"), t.Output()); err != nil {
		t.Error(err)
	}
}

// A module is built once by many, and the newest alone is kept.
func TestNewestModuleIsKept(t *testing.T) {
	var built atomic.Int32
	m := modules{folder: filepath.Join(t.TempDir(), "modules"), make: func(ctx context.Context, work string, log io.Writer) error {
		built.Add(1)
		return copier(ctx, work, log)
	}}
	for n, text := range []string{"one", "two", "one"} {
		source := toySource(t, text)
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if module, err := m.of(t.Context(), source, io.Discard); err != nil || string(module.Text) != text {
					t.Errorf("%q, want %q; error %v", module.Text, text, err)
				}
			})
		}
		all.Wait()
		if built := int(built.Load()); built != n+1 {
			t.Errorf("%s: built %d times, want %d", text, built, n+1)
		}
		if left, _ := filepath.Glob(filepath.Join(m.folder, "*.ko")); len(left) != 1 {
			t.Errorf("%s: kept are %q", text, left)
		}
		if err := os.WriteFile(filepath.Join(m.folder, building+"killed.ko"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestModuleThatDoesNotBuild(t *testing.T) {
	broken := errors.New("exit status 2")
	m := modules{folder: t.TempDir(), make: func(context.Context, string, io.Writer) error { return broken }}
	source := toySource(t, "one")
	if _, err := m.of(t.Context(), source, io.Discard); !errors.Is(err, broken) || !strings.Contains(err.Error(), source) {
		t.Errorf("error %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(m.folder, "*.ko")); len(left) != 0 {
		t.Errorf("kept are %q", left)
	}
}

// toy is a module, but for what it does.
const toy = `// SPDX-License-Identifier: GPL-2.0
#include <linux/module.h>
MODULE_DESCRIPTION("nothing");
MODULE_LICENSE("GPL");
`

// The compiler of the guest builds a module that the guest takes; what it
// complains of is shown, warnings too.
func TestModuleInTheGuest(t *testing.T) {
	g := built(t)
	k := g.kernel()
	m := modules{folder: t.TempDir(), make: func(ctx context.Context, work string, log io.Writer) error {
		return g.makeModule(ctx, k, work, log)
	}}
	var log strings.Builder
	if _, err := m.of(t.Context(), toySource(t, toy+"static int unused;\n"), &log); err == nil || !strings.Contains(log.String(), "main.c:5:12: error: 'unused' defined but not used") {
		t.Errorf("error %v, log %s", err, &log)
	}
	module, err := m.of(t.Context(), toySource(t, toy), t.Output())
	if err != nil {
		t.Fatal(err)
	}
	status, err := g.Run(t.Context(), Run{Command: []string{"insmod", "/mnt/modules/toy.ko"}, Modules: []Module{module}, Limit: time.Minute}, t.Output())
	if err != nil || status != 0 {
		t.Errorf("status %d, error %v", status, err)
	}
}
