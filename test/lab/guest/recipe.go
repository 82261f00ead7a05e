// Package guest builds the virtual machine of the lab and runs commands in it.
package guest

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
)

// recipe is the shell code that builds a guest, and what runs first in it.
//
//go:embed recipe
var recipe embed.FS

// recipeID names the recipe: a guest built by another one is not used.
func recipeID() string {
	sum := sha256.New()
	_ = fs.WalkDir(recipe, ".", func(path string, d fs.DirEntry, _ error) error {
		if !d.IsDir() {
			text, _ := recipe.ReadFile(path)
			sum.Write([]byte(path + "\n"))
			sum.Write(text)
		}
		return nil
	})
	return hex.EncodeToString(sum.Sum(nil))[:12]
}

// runRecipe builds a guest in folder. All that it starts is in a PID namespace
// that ends with ctx, and with us.
func runRecipe(ctx context.Context, folder string, log io.Writer) error {
	steps := filepath.Join(folder, "recipe")
	if err := writeRecipe(steps); err != nil {
		return err
	}
	runtime.LockOSThread() // the death signal is that of the thread
	defer runtime.UnlockOSThread()
	line := append(asRoot(), filepath.Join(steps, "build.sh"), folder)
	command := exec.CommandContext(ctx, line[0], line[1:]...)
	command.Stdout, command.Stderr = log, log
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return command.Run()
}

// writeRecipe writes the files of the recipe to folder, fit to be run.
func writeRecipe(folder string) error {
	if err := os.Mkdir(folder, 0o755); err != nil {
		return err
	}
	files, err := fs.Sub(recipe, "recipe")
	if err != nil {
		return err
	}
	return fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(folder, path), text, 0o755)
	})
}
