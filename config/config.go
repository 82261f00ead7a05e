// Package config reads the YAML files given by --config.file. It is strict:
// every key it does not know is a fault, and all faults of all files are
// reported at once, each with its file and line. reference.yaml is the manual.
package config

import (
	_ "embed" // reference.yaml

	"go.yaml.in/yaml/v3"
)

// Reference is reference.yaml, the manual of the configuration: every key with
// its default, its unit and why one would set it. It is itself a valid file.
//
//go:embed reference.yaml
var Reference []byte

// Config is what the files ask for. It is immutable once loaded.
//
// To add a section: a field here, a line in sections, a paragraph in
// reference.yaml.
type Config struct{}

// section is a top-level key and how its value is read into a Config.
type section struct {
	name string
	// read returns every fault it finds, with the lines of value's nodes. The
	// file is filled in by the caller.
	read func(c *Config, value *yaml.Node) Faults
}

// sections are the sections this version knows. Collectors have none: they are
// set by flags only.
var sections []section

// Load reads the files at paths into one Config. A section stands in one file
// only. Without paths, and from files that are empty, it is the Config of all
// defaults. An error is of type Faults and lists what is wrong in all files;
// where a file cannot be read it wraps the system's error.
func Load(paths []string) (*Config, error) {
	return load(paths, sections)
}

func load(paths []string, known []section) (*Config, error) {
	l := &loader{known: known, seen: map[string]place{}, config: &Config{}}
	for _, path := range paths {
		l.file(path)
	}
	if len(l.faults) > 0 {
		return nil, l.faults
	}
	return l.config, nil
}
