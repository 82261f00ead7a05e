package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// patterns compiles the expressions of a flag into one that matches what one of
// them matches whole. It is nil where there is none. All bad ones are reported.
func patterns(flag string, expressions []string) (*regexp.Regexp, error) {
	var failed []error
	for _, e := range expressions {
		if _, err := regexp.Compile(e); err != nil { // alone: parentheses of one must not balance another's
			failed = append(failed, fmt.Errorf("--%s=%s: %w", flag, e, err))
		}
	}
	if len(failed) > 0 || len(expressions) == 0 {
		return nil, errors.Join(failed...)
	}
	return regexp.Compile("^(?s:" + strings.Join(expressions, "|") + ")$")
}
