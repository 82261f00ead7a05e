package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dpu-exporter/dpu-exporter/test/lab/guest"
)

// A lab is a guest for the tree of the project that we are called in.
type lab struct {
	folder string // where we are called
	top    string // of the tree
	guest  *guest.Guest
	module guest.Module // the tree's software DPU
}

// open builds the guest and the module, unless they stand.
func open(ctx context.Context, cache guest.Cache) (l lab, err error) {
	if l.folder, err = os.Getwd(); err != nil {
		return l, err
	}
	if l.top, err = treeOf(l.folder); err != nil {
		return l, err
	}
	if l.guest, err = cache.Guest(ctx, os.Stderr); err != nil {
		return l, err
	}
	if err = chooseKernel(cache, l.guest); err == nil {
		l.module, err = l.guest.Module(ctx, filepath.Join(l.top, "test", "lab", "softdpu"), os.Stderr)
	}
	if err != nil {
		err = errors.Join(err, l.guest.Close())
	}
	return l, err
}

// chooseKernel takes the kernel that LAB_KERNEL asks for.
func chooseKernel(cache guest.Cache, g *guest.Guest) error {
	switch name := os.Getenv("LAB_KERNEL"); name {
	case "":
		return nil
	case "debug":
		return cache.UseDebugKernel(g)
	default:
		return fmt.Errorf("LAB_KERNEL is %q; it may be debug", name)
	}
}

func buildDebugKernel(ctx context.Context, cache guest.Cache) error {
	g, err := cache.Guest(ctx, os.Stderr)
	if err != nil {
		return err
	}
	defer g.Close()
	return cache.BuildDebugKernel(ctx, g, os.Stderr)
}

// inGuest runs r with the tree of the project in sight.
func inGuest(ctx context.Context, cache guest.Cache, r guest.Run) (status int, err error) {
	l, err := open(ctx, cache)
	if err != nil {
		return noResult, err
	}
	defer l.guest.Close()
	r.Folder, r.Shares, r.Output = l.folder, []string{l.top}, os.Stdout
	r.Env = append(r.Env, "DPU_EXPORTER_LAB=1", "DPU_EXPORTER_TEST_REQUIRE=1")
	r.Modules = []guest.Module{l.module}
	r.Cmdline = os.Getenv("LAB_CMDLINE")
	if binary := filepath.Join(l.top, "bin", "dpu-exporter"); exists(binary) {
		r.Programs = append(r.Programs, binary)
	}
	if status, err = l.guest.Run(ctx, r, os.Stderr); err != nil {
		return noResult, fmt.Errorf("%w\n(if it never boots: make lab-clean, and the next run builds a new one)", err)
	}
	return status, nil
}

// treeOf is the folder with go.mod that folder is in.
func treeOf(folder string) (string, error) {
	for at := folder; ; at = filepath.Dir(at) {
		if exists(filepath.Join(at, "go.mod")) {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("%s is not in the tree of the project (no go.mod above it)", folder)
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
