package guest

import (
	"bytes"
	_ "embed" // module.sh
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// moduleScript builds a module in the folder that holds it and its source.
//
//go:embed module.sh
var moduleScript []byte

// moduleSource are the files that a module is made of, and the script that makes
// it, by their names.
type moduleSource map[string][]byte

// readSource reads the source in a folder once, so that what is built is what the
// module is named after.
func readSource(folder string) (moduleSource, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	source := moduleSource{}
	for _, e := range entries {
		if !isSource(e.Name()) {
			continue
		}
		if source[e.Name()], err = os.ReadFile(filepath.Join(folder, e.Name())); err != nil {
			return nil, err
		}
	}
	if source["Kbuild"] == nil {
		return nil, fmt.Errorf("%s has no Kbuild", folder)
	}
	source["module.sh"] = moduleScript
	return source, nil
}

// isSource says whether a file is of a module's source. What begins with a dot
// is an editor's, and .mod.c is made in the course of the build.
func isSource(name string) bool {
	if strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".mod.c") {
		return false
	}
	return name == "Kbuild" || filepath.Ext(name) == ".c" || filepath.Ext(name) == ".h"
}

// writeTo has a folder hold this source and no other. What is the same there is
// left alone, for make to see that nothing has changed.
func (s moduleSource) writeTo(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		if _, ours := s[e.Name()]; isSource(e.Name()) && !ours {
			err = errors.Join(err, os.Remove(filepath.Join(folder, e.Name())))
		}
	}
	for name, text := range s {
		path := filepath.Join(folder, name)
		if old, missing := os.ReadFile(path); missing != nil || !bytes.Equal(old, text) {
			err = errors.Join(err, os.WriteFile(path, text, 0o644))
		}
	}
	return err
}
