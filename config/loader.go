package config

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// place is where a key stands.
type place struct {
	file string
	line int
}

// loader gathers the sections and the faults of several files.
type loader struct {
	known  []section
	seen   map[string]place // sections of all files so far
	config *Config
	faults Faults
}

// add keeps a fault, and of too many the first ones: a file of another kind can
// have a fault in every line.
func (l *loader) add(f Fault) {
	switch {
	case len(l.faults) < maxFaults:
		l.faults = append(l.faults, f)
	case len(l.faults) == maxFaults:
		l.faults = append(l.faults, Fault{File: f.File, Line: f.Line, Err: errTooMany})
	}
}

func (l *loader) file(path string) {
	data, err := readFile(path)
	if err != nil {
		l.add(Fault{File: path, Err: err})
		return
	}
	l.document(path, data)
}

func (l *loader) document(path string, data []byte) {
	top, fault := parse(data)
	if fault != nil {
		fault.File = path
		l.add(*fault)
		return
	}
	if top == nil {
		return
	}
	lines := map[string]int{} // of the keys of this file
	for i := 0; i+1 < len(top.Content); i += 2 {
		key, value := top.Content[i], top.Content[i+1]
		s, err := l.accept(key, lines, path)
		if err != nil {
			l.add(Fault{path, key.Line, err})
			continue
		}
		for _, f := range s.read(l.config, value) {
			f.File = path
			l.add(f)
		}
	}
}

// accept returns the section that key names, if it may stand here.
func (l *loader) accept(key *yaml.Node, lines map[string]int, path string) (*section, error) {
	if key.Kind != yaml.ScalarNode {
		return nil, errors.New("a key must be a plain word")
	}
	name := key.Value
	if line, ok := lines[name]; ok {
		return nil, fmt.Errorf("key %.64q stands in line %d already", name, line)
	}
	lines[name] = key.Line
	s := l.section(name)
	if s == nil {
		return nil, l.unknown(name)
	}
	if first, ok := l.seen[name]; ok {
		return nil, fmt.Errorf("%q stands in %s:%d already; a section stands in one file", name, first.file, first.line)
	}
	l.seen[name] = place{path, key.Line}
	return s, nil
}

func (l *loader) section(name string) *section {
	for i := range l.known {
		if l.known[i].name == name {
			return &l.known[i]
		}
	}
	return nil
}

// unknown says that a key is unknown and what might have been meant.
func (l *loader) unknown(key string) error {
	if len(l.known) == 0 {
		return fmt.Errorf("unknown key %.64q; this version knows no sections yet", key)
	}
	names := make([]string, len(l.known))
	for i, s := range l.known {
		names[i] = s.name
	}
	if near := nearest(key, names); near != "" {
		return fmt.Errorf("unknown key %.64q; did you mean %q?", key, near)
	}
	return fmt.Errorf("unknown key %.64q; known are %s", key, strings.Join(names, ", "))
}
