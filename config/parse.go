package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// parse returns the top-level mapping of the one document in data, or nil where
// it holds none.
func parse(data []byte) (*yaml.Node, *Fault) {
	if line, err := checkText(data); err != nil {
		return nil, &Fault{Line: line, Err: err}
	}
	d := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	if err := d.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, syntaxFault(err, data)
	}
	switch err := d.Decode(&second); {
	case err == nil:
		return nil, &Fault{Line: second.Line, Err: errors.New("a second YAML document begins here; a file holds one")}
	case !errors.Is(err, io.EOF):
		return nil, syntaxFault(err, data)
	}
	top := doc.Content[0]
	switch {
	case top.Kind == yaml.MappingNode:
		return top, nil
	case top.Tag == "!!null":
		return nil, nil
	}
	return nil, &Fault{Line: top.Line, Err: errors.New("the top level must be a mapping (key: value)")}
}

// syntaxFault takes the line out of an error of the parser, which reads "yaml:
// line 3: did not find expected key", or without a line where it is the first.
func syntaxFault(err error, data []byte) *Fault {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 1
	if n, _ := fmt.Sscanf(text, "line %d:", &line); n == 1 {
		_, text, _ = strings.Cut(text, ": ")
		if slices.Contains(grammarErrors, text) {
			line++
		}
	}
	switch {
	case slices.Contains(grammarErrors, text):
		text += ", here or below"
	case strings.HasPrefix(text, "unknown anchor "):
		line = 0 // the parser does not say where
	}
	return &Fault{Line: min(line, lineCount(data)), Err: fmt.Errorf("not YAML: %s", text)}
}

func lineCount(data []byte) int {
	return bytes.Count(bytes.TrimSuffix(data, []byte("\n")), []byte("\n")) + 1
}

// grammarErrors are the errors of the parser's grammar (parserc.go). It counts
// their lines from 0, unlike those of its scanner, and may give the line where
// the block that holds the error begins.
var grammarErrors = []string{
	"did not find expected <document start>",
	"did not find expected node content",
	"did not find expected key",
	"did not find expected '-' indicator",
	"did not find expected ',' or ']'",
	"did not find expected ',' or '}'",
	"found undefined tag handle",
	"found incompatible YAML document",
	"found duplicate %YAML directive",
	"found duplicate %TAG directive",
}
