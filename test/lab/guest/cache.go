package guest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A Guest is a built guest: a folder with its file system, kernel and initrd,
// which is not removed while the guest is open.
type Guest struct {
	folder string
	open   *os.File // locked shared
}

// A Cache is the folder that guests are kept in. A guest's folder is named
// RELEASE-RECIPE after its kernel and what built it, and is complete: it is built
// under another name.
type Cache struct {
	Folder string
	make   func(ctx context.Context, folder string, log io.Writer) error // runRecipe, but for tests
}

// building is the beginning of the name of a guest that is not complete.
const building = "building-"

// DefaultCache is in the user's cache folder ($XDG_CACHE_HOME or ~/.cache).
func DefaultCache() (Cache, error) {
	folder, err := os.UserCacheDir()
	if err != nil {
		return Cache{}, err
	}
	return Cache{Folder: filepath.Join(folder, "dpu-exporter-lab"), make: runRecipe}, nil
}

// Guest opens the guest of today's recipe, and builds it if there is none; log
// tells of the progress. Whoever else builds at the time is waited for.
func (c Cache) Guest(ctx context.Context, log io.Writer) (*Guest, error) {
	if g := c.standing(); g != nil {
		return g, nil
	}
	if err := missing(); err != nil {
		return nil, err
	}
	unlock, err := c.lock(ctx, log)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if g := c.standing(); g != nil {
		return g, nil
	}
	if err := c.build(ctx, log); err != nil {
		return nil, err
	}
	if g := c.standing(); g != nil {
		return g, nil
	}
	return nil, fmt.Errorf("the guest in %s vanished", c.Folder)
}

// Close lets others remove the guest.
func (g *Guest) Close() error { return g.open.Close() }

// Clean removes all guests that nobody has open, and tells log which it leaves.
func (c Cache) Clean(ctx context.Context, log io.Writer) error {
	unlock, err := c.lock(ctx, log)
	if err != nil {
		return err
	}
	defer unlock()
	return c.remove(log, func(string) bool { return true })
}

// standing opens the guest of today's recipe; nil if there is none.
func (c Cache) standing() *Guest {
	entries, _ := os.ReadDir(c.Folder)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), building) || !strings.HasSuffix(e.Name(), "-"+recipeID()) {
			continue
		}
		folder := filepath.Join(c.Folder, e.Name())
		if open, err := lockFile(folder, unix.LOCK_SH|unix.LOCK_NB); err == nil { // else it is being removed
			return &Guest{folder: folder, open: open}
		}
	}
	return nil
}

// lockEvery is how often a lock that another run has is asked for.
const lockEvery = 200 * time.Millisecond

// lock keeps others from building.
func (c Cache) lock(ctx context.Context, log io.Writer) (unlock func(), err error) {
	if strings.ContainsAny(c.Folder, "\"'\\:\n") {
		return nil, fmt.Errorf("apt and the dynamic loader cannot take the cache's path %q: set XDG_CACHE_HOME to one without quotes, backslashes and colons", c.Folder)
	}
	if err := os.MkdirAll(c.Folder, 0o755); err != nil {
		return nil, err
	}
	for told := false; ; told = true {
		file, err := lockFile(c.Folder, unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return func() { file.Close() }, nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return nil, err
		}
		if !told {
			fmt.Fprintln(log, "lab: another run builds the guest; wait for it")
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(lockEvery):
		}
	}
}

// lockFile locks a folder until it is closed (flock(2)).
func lockFile(folder string, how int) (*os.File, error) {
	file, err := os.Open(folder)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(file.Fd()), how); err != nil {
		file.Close()
		return nil, fmt.Errorf("lock %s: %w", folder, err)
	}
	return file, nil
}

// build makes a guest. It removes what a build that was killed left behind, and
// afterwards the guests of other recipes.
func (c Cache) build(ctx context.Context, log io.Writer) error {
	began := time.Now()
	if err := c.remove(log, func(name string) bool { return strings.HasPrefix(name, building) }); err != nil {
		return err
	}
	folder := filepath.Join(c.Folder, building+recipeID())
	if err := os.Mkdir(folder, 0o755); err != nil {
		return err
	}
	fmt.Fprintf(log, "lab: build the guest in %s, once\n", c.Folder)
	if err := c.make(ctx, folder, log); err != nil {
		return fmt.Errorf("build the guest: %w", errors.Join(ctx.Err(), err))
	}
	release, err := os.ReadFile(filepath.Join(folder, "release"))
	if err != nil {
		return err
	}
	name := strings.TrimSpace(string(release)) + "-" + recipeID()
	if err := os.Rename(folder, filepath.Join(c.Folder, name)); err != nil {
		return err
	}
	fmt.Fprintf(log, "lab: the guest %s was built in %.0f s\n", name, time.Since(began).Seconds())
	return c.remove(log, func(other string) bool { return other != name })
}

// remove removes the guests whose name fits and that nobody has open.
func (c Cache) remove(log io.Writer, fits func(name string) bool) error {
	entries, err := os.ReadDir(c.Folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() || !fits(e.Name()) {
			continue
		}
		folder := filepath.Join(c.Folder, e.Name())
		open, err := lockFile(folder, unix.LOCK_EX|unix.LOCK_NB)
		if err != nil {
			fmt.Fprintf(log, "lab: %s is in use and stays\n", e.Name())
			continue
		}
		err = os.RemoveAll(folder)
		open.Close()
		if err != nil {
			return err
		}
	}
	return nil
}
