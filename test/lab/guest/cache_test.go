package guest

import (
	"bytes"
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

	"github.com/dpu-exporter/dpu-exporter/test/need"
)

// builder makes guests that hold nothing but the release of a kernel.
type builder struct {
	release string
	fails   error
	built   atomic.Int32
}

func (b *builder) build(_ context.Context, folder string, _ io.Writer) error {
	b.built.Add(1)
	if b.fails != nil {
		return errors.Join(os.WriteFile(filepath.Join(folder, "half"), nil, 0o644), b.fails)
	}
	return os.WriteFile(filepath.Join(folder, "release"), []byte(b.release+"\n"), 0o644)
}

func cacheOf(t *testing.T, b *builder) Cache {
	t.Helper()
	for _, program := range []string{"apt-get", "dpkg-deb"} { // without which no build begins
		need.Tool(t, program)
	}
	return Cache{Folder: filepath.Join(t.TempDir(), "lab"), make: b.build}
}

func open(t *testing.T, c Cache) *Guest {
	t.Helper()
	g, err := c.Guest(t.Context(), t.Output())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	return g
}

// folders are the names in the cache.
func folders(t *testing.T, c Cache) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(c.Folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestBuildThatFails(t *testing.T) {
	broken := errors.New("no route to the mirror")
	b := &builder{fails: broken}
	c := cacheOf(t, b)
	for range 2 {
		if g, err := c.Guest(t.Context(), t.Output()); g != nil || !errors.Is(err, broken) {
			t.Fatalf("guest %v, error %v", g, err)
		}
	}
	b.fails, b.release = nil, "7.3.4"
	g := open(t, c)
	if got := folders(t, c); !slices.Equal(got, []string{"7.3.4-" + recipeID()}) {
		t.Errorf("the cache holds %q", got)
	}
	if _, err := os.Stat(g.path("half")); err == nil {
		t.Error("what a build that failed left behind is in the guest")
	}
}

func TestBuildThatWasKilled(t *testing.T) {
	b := &builder{release: "7.3.4"}
	c := cacheOf(t, b)
	half := filepath.Join(c.Folder, building+recipeID(), "root")
	if err := os.MkdirAll(half, 0o755); err != nil {
		t.Fatal(err)
	}
	g := open(t, c)
	if _, err := os.Stat(g.path("root")); err == nil {
		t.Error("what the killed build left behind is in the guest")
	}
	if got := folders(t, c); !slices.Equal(got, []string{"7.3.4-" + recipeID()}) {
		t.Errorf("the cache holds %q", got)
	}
}

func TestBuiltOnceByMany(t *testing.T) {
	b := &builder{release: "7.3.4"}
	c := cacheOf(t, b)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			g, err := c.Guest(t.Context(), io.Discard)
			if err != nil {
				t.Errorf("guest: %v", err)
				return
			}
			g.Close()
		})
	}
	all.Wait()
	if n := b.built.Load(); n != 1 {
		t.Errorf("built %d times", n)
	}
}

func TestGuestsOfOtherRecipes(t *testing.T) {
	c := cacheOf(t, &builder{release: "7.3.4"})
	for _, name := range []string{"7.2.1-aaaaaaaaaaaa", "7.2.1-bbbbbbbbbbbb"} {
		if err := os.MkdirAll(filepath.Join(c.Folder, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	inUse, err := lockFile(filepath.Join(c.Folder, "7.2.1-bbbbbbbbbbbb"), 1 /* LOCK_SH */)
	if err != nil {
		t.Fatal(err)
	}
	defer inUse.Close()
	g := open(t, c)
	if got, want := folders(t, c), []string{"7.2.1-bbbbbbbbbbbb", "7.3.4-" + recipeID()}; !slices.Equal(got, want) {
		t.Errorf("the cache holds %q, want %q", got, want)
	}
	if err := c.Clean(t.Context(), t.Output()); err != nil || len(folders(t, c)) != 2 {
		t.Errorf("guests in use: error %v, left %q", err, folders(t, c))
	}
	if err := errors.Join(g.Close(), inUse.Close(), c.Clean(t.Context(), t.Output())); err != nil || len(folders(t, c)) != 0 {
		t.Errorf("error %v, left %q", err, folders(t, c))
	}
}

func TestClean(t *testing.T) {
	c := Cache{Folder: filepath.Join(t.TempDir(), "never", "built")}
	if err := c.Clean(t.Context(), t.Output()); err != nil {
		t.Errorf("nothing to clean: %v", err)
	}
}

func TestRecipeIsWritten(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "recipe")
	if err := writeFiles(recipe, "recipe", folder); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(folder, "build.sh"))
	if err != nil || !bytes.HasPrefix(text, []byte("#!/usr/bin/env bash\n")) {
		t.Errorf("build.sh: %v, %q", err, text)
	}
	if info, err := os.Stat(filepath.Join(folder, "build.sh")); err != nil || info.Mode()&0o100 == 0 {
		t.Errorf("build.sh cannot be run: %v, %v", info, err)
	}
}

func TestNeeds(t *testing.T) {
	if err := missing(); err != nil {
		t.Logf("here: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	err := missing()
	if err == nil {
		t.Fatal("nothing is missing on an empty path")
	}
	for _, want := range []string{"awk, ", "unshare", ": on Debian, apt-get install apt bash ", " util-linux"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in: %v", want, err)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("more than one line: %q", err)
	}
}
