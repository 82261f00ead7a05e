package guest

import (
	"context"
	"embed"
	"fmt"
	"io"
	"path/filepath"
)

// debugRecipe is the shell code that builds a debug kernel, and its configuration.
//
//go:embed debugkernel
var debugRecipe embed.FS

// debugKernels are those of a guest's release. They lie beside the guests and
// outlive them: half an hour is in one.
func (c Cache) debugKernels(g *Guest) store {
	files := filesOf(debugRecipe)
	files["release"] = []byte(g.release())
	return store{
		folder: c.Folder + "-debug",
		thing:  "debug kernel",
		id:     idOf(files),
		make: func(ctx context.Context, folder string, log io.Writer) error {
			steps := filepath.Join(folder, "recipe")
			if err := writeFiles(debugRecipe, "debugkernel", steps); err != nil {
				return err
			}
			return runAsRoot(ctx, log, filepath.Join(steps, "build.sh"), g.folder, folder)
		},
	}
}

// BuildDebugKernel builds a kernel with lockdep and KASAN from the source of the
// guest's own, unless it stands; log tells of the progress.
func (c Cache) BuildDebugKernel(ctx context.Context, g *Guest, log io.Writer) error {
	k, err := c.debugKernels(g).take(ctx, log)
	if err != nil {
		return err
	}
	return k.Close()
}

// UseDebugKernel has the guest boot its debug kernel, and modules be built for that.
func (c Cache) UseDebugKernel(g *Guest) error {
	if g.debug = c.debugKernels(g).standing(); g.debug == nil {
		return fmt.Errorf("there is no debug kernel of Linux %s: make lab-debug-kernel builds it", g.release())
	}
	return nil
}
