// Package guest builds the virtual machine of the lab and runs commands in it.
package guest

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// recipe is the shell code that builds a guest, and what runs first in it.
//
//go:embed recipe
var recipe embed.FS

// recipeID names the recipe: a guest built by another one is not used.
func recipeID() string { return idOf(filesOf(recipe)) }

// filesOf are embedded files by their paths.
func filesOf(embedded embed.FS) map[string][]byte {
	files := map[string][]byte{}
	_ = fs.WalkDir(embedded, ".", func(path string, d fs.DirEntry, _ error) error {
		if !d.IsDir() {
			files[path], _ = embedded.ReadFile(path)
		}
		return nil
	})
	return files
}

// idOf names files by what they say.
func idOf(files map[string][]byte) string {
	sum := sha256.New()
	for _, path := range slices.Sorted(maps.Keys(files)) {
		sum.Write([]byte(path + "\n"))
		sum.Write(files[path])
	}
	return hex.EncodeToString(sum.Sum(nil))[:12]
}

// runRecipe builds a guest in folder.
func runRecipe(ctx context.Context, folder string, log io.Writer) error {
	steps := filepath.Join(folder, "recipe")
	if err := writeFiles(recipe, "recipe", steps); err != nil {
		return err
	}
	return runAsRoot(ctx, log, filepath.Join(steps, "build.sh"), folder)
}

// writeFiles writes the embedded files below top to a folder, fit to be run.
func writeFiles(embedded embed.FS, top, folder string) error {
	if err := os.Mkdir(folder, 0o755); err != nil {
		return err
	}
	files, err := fs.Sub(embedded, top)
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
