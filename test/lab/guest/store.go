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

// A store is a folder of things that take long to build. The folder of each is
// named RELEASE-ID after its kernel and what built it, and is complete: it is
// built under another name.
type store struct {
	folder string
	thing  string // what it holds
	id     string // of what builds it today
	make   func(ctx context.Context, folder string, log io.Writer) error
}

// A stored thing is not removed while it is open.
type stored struct {
	folder string
	open   *os.File // locked shared
}

// building is the beginning of the name of what is not complete.
const building = "building-"

func (s *stored) path(name string) string { return filepath.Join(s.folder, name) }

// release is that of its kernel.
func (s *stored) release() string {
	base := filepath.Base(s.folder)
	return base[:max(0, strings.LastIndex(base, "-"))]
}

// Close lets others remove it.
func (s *stored) Close() error { return s.open.Close() }

// take opens the thing of today, and builds it if there is none; log tells of the
// progress. Whoever else builds at the time is waited for.
func (s store) take(ctx context.Context, log io.Writer) (*stored, error) {
	if t := s.standing(); t != nil {
		return t, nil
	}
	if err := missing(); err != nil {
		return nil, err
	}
	unlock, err := s.lock(ctx, log)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if t := s.standing(); t != nil {
		return t, nil
	}
	if err := s.build(ctx, log); err != nil {
		return nil, err
	}
	if t := s.standing(); t != nil {
		return t, nil
	}
	return nil, fmt.Errorf("the %s in %s vanished", s.thing, s.folder)
}

// standing opens the thing of today; nil if there is none.
func (s store) standing() *stored {
	entries, _ := os.ReadDir(s.folder)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), building) || !strings.HasSuffix(e.Name(), "-"+s.id) {
			continue
		}
		folder := filepath.Join(s.folder, e.Name())
		if open, err := lockFile(folder, unix.LOCK_SH|unix.LOCK_NB); err == nil { // else it is being removed
			return &stored{folder: folder, open: open}
		}
	}
	return nil
}

// lock keeps others from building.
func (s store) lock(ctx context.Context, log io.Writer) (unlock func(), err error) {
	if strings.ContainsAny(s.folder, "\"'\\:\n") {
		return nil, fmt.Errorf("apt and the dynamic loader cannot take the cache's path %q: set XDG_CACHE_HOME to one without quotes, backslashes and colons", s.folder)
	}
	return lockAlone(ctx, s.folder, func() { fmt.Fprintf(log, "lab: another run builds the %s; wait for it\n", s.thing) })
}

// build makes a thing. It removes what a build that was killed left behind, and
// afterwards the things of other days.
func (s store) build(ctx context.Context, log io.Writer) error {
	began := time.Now()
	if err := s.remove(log, func(name string) bool { return strings.HasPrefix(name, building) }); err != nil {
		return err
	}
	folder := filepath.Join(s.folder, building+s.id)
	if err := os.Mkdir(folder, 0o755); err != nil {
		return err
	}
	fmt.Fprintf(log, "lab: build the %s in %s, once\n", s.thing, s.folder)
	if err := s.make(ctx, folder, log); err != nil {
		return fmt.Errorf("build the %s: %w", s.thing, errors.Join(ctx.Err(), err))
	}
	release, err := os.ReadFile(filepath.Join(folder, "release"))
	if err != nil {
		return err
	}
	name := strings.TrimSpace(string(release)) + "-" + s.id
	if err := os.Rename(folder, filepath.Join(s.folder, name)); err != nil {
		return err
	}
	fmt.Fprintf(log, "lab: the %s %s was built in %.0f s\n", s.thing, name, time.Since(began).Seconds())
	return s.remove(log, func(other string) bool { return other != name })
}

// remove removes the things whose name fits and that nobody has open.
func (s store) remove(log io.Writer, fits func(name string) bool) error {
	entries, err := os.ReadDir(s.folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.IsDir() || !fits(e.Name()) {
			continue
		}
		folder := filepath.Join(s.folder, e.Name())
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
