package guest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// A Module is a kernel module built for the kernel of a guest.
type Module struct {
	Name string // of its file
	Text []byte
}

// Module is the kernel module NAME.ko of the folder NAME with its source (*.c, *.h
// and Kbuild), and is built unless it has been. log tells of the progress, and
// gets what the compiler complains of.
func (g *Guest) Module(ctx context.Context, source string, log io.Writer) (Module, error) {
	k := g.kernel()
	kept := modules{folder: k.modules, make: func(ctx context.Context, work string, log io.Writer) error {
		return g.makeModule(ctx, k, work, log)
	}}
	return kept.of(ctx, source, log)
}

// makeModule has the compiler of the guest build the module in work for a kernel.
func (g *Guest) makeModule(ctx context.Context, k kernel, work string, log io.Writer) error {
	return runAsRoot(ctx, log, "bash", filepath.Join(work, "module.sh"), g.folder, k.tree, work)
}

// modules is the folder that the newest module built for a kernel is kept in,
// named after its source and the script that built it, and beside it the objects
// it was made of: the next build compiles what has changed.
type modules struct {
	folder string
	make   func(ctx context.Context, work string, log io.Writer) error
}

// of is the module of a source. It is returned as text: its file is removed when
// another run builds from another source.
func (m modules) of(ctx context.Context, folder string, log io.Writer) (Module, error) {
	source, err := readSource(folder)
	if err != nil {
		return Module{}, err
	}
	name := filepath.Base(folder) + ".ko"
	kept := filepath.Join(m.folder, idOf(source)+"-"+name)
	text, err := os.ReadFile(kept)
	if errors.Is(err, fs.ErrNotExist) {
		text, err = m.build(ctx, source, kept, name, log)
	}
	if err != nil {
		return Module{}, fmt.Errorf("the module of %s: %w", folder, err)
	}
	return Module{Name: name, Text: text}, nil
}

// build builds a module and keeps it, unless another run has just done so.
func (m modules) build(ctx context.Context, source moduleSource, kept, name string, log io.Writer) ([]byte, error) {
	unlock, err := lockAlone(ctx, m.folder, func() { fmt.Fprintln(log, "lab: another run builds a module; wait for it") })
	if err != nil {
		return nil, err
	}
	defer unlock()
	if text, err := os.ReadFile(kept); err == nil {
		return text, nil
	}
	began := time.Now()
	objects := filepath.Join(m.folder, "objects")
	if err := m.compile(ctx, source, objects, log); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(objects, name))
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(log, "lab: %s was built in %.1f s\n", name, time.Since(began).Seconds())
	return text, m.keep(kept, text)
}

// compile brings objects up to date. They are elsewhere meanwhile: what a build
// that was killed leaves behind is not taken for an object.
func (m modules) compile(ctx context.Context, source moduleSource, objects string, log io.Writer) error {
	work := filepath.Join(m.folder, building+"objects")
	if err := os.RemoveAll(work); err != nil {
		return err
	}
	if err := os.Rename(objects, work); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := source.writeTo(work); err != nil {
		return err
	}
	failed := m.make(ctx, work, log)
	if err := ctx.Err(); err != nil {
		return err
	}
	if failed != nil {
		failed = fmt.Errorf("it does not build, mend what is said above: %w", failed)
	}
	return errors.Join(failed, os.Rename(work, objects))
}

// keep makes a module the only one that is kept. It is written under another
// name until it is complete.
func (m modules) keep(path string, text []byte) error {
	half := filepath.Join(m.folder, building+filepath.Base(path))
	if err := errors.Join(os.WriteFile(half, text, 0o644), os.Rename(half, path)); err != nil {
		return err
	}
	all, err := filepath.Glob(filepath.Join(m.folder, "*.ko"))
	for _, other := range all {
		if other != path {
			err = errors.Join(err, os.Remove(other))
		}
	}
	return err
}
