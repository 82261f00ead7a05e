package config

import (
	"errors"
	"fmt"
	"strings"
)

// Fault is one thing that is wrong in a file.
type Fault struct {
	File string // as it was given
	Line int    // from 1; 0 where the whole file is meant
	Err  error
}

// Error is "file:line: what is wrong".
func (f Fault) Error() string {
	if f.Line == 0 {
		return fmt.Sprintf("%s: %v", f.File, f.Err)
	}
	return fmt.Sprintf("%s:%d: %v", f.File, f.Line, f.Err)
}

// Unwrap returns the error without its place.
func (f Fault) Unwrap() error { return f.Err }

// Faults are all faults of one Load, in the order of the files and their lines.
type Faults []Fault

// maxFaults bounds the faults of one Load.
const maxFaults = 50

// errTooMany stands in the place of the first fault above maxFaults.
var errTooMany = errors.New("more is wrong from here on than is told")

// Error has one fault a line.
func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, fault := range f {
		lines[i] = fault.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the faults one by one, for errors.Is and errors.As.
func (f Faults) Unwrap() []error {
	errs := make([]error, len(f))
	for i := range f {
		errs[i] = f[i]
	}
	return errs
}
