package inventory

import (
	"errors"
	"fmt"
	"regexp"
)

// Filter says which devices are left out. An expression matches a device by its name, one of its alternative names, its
// RDMA device or its PCI address. A nil Filter keeps all.
type Filter struct {
	include, exclude []*regexp.Regexp
}

// NewFilter compiles the expressions of --device.include and --device.exclude,
// each of which must match a whole name. All bad ones are reported together.
func NewFilter(include, exclude []string) (*Filter, error) {
	var f Filter
	var includeErr, excludeErr error
	f.include, includeErr = compile("--device.include", include)
	f.exclude, excludeErr = compile("--device.exclude", exclude)
	if err := errors.Join(includeErr, excludeErr); err != nil {
		return nil, err
	}
	return &f, nil
}

func compile(flag string, expressions []string) ([]*regexp.Regexp, error) {
	var failed []error
	var compiled []*regexp.Regexp
	for _, expression := range expressions {
		if expression == "" {
			failed = append(failed, fmt.Errorf("%s: an empty expression matches no device", flag))
			continue
		}
		// Alone first: the parentheses around it must not balance its own.
		if _, err := regexp.Compile(expression); err != nil {
			failed = append(failed, fmt.Errorf("%s %q: %w", flag, expression, err))
			continue
		}
		re, err := regexp.Compile("^(?:" + expression + ")$")
		if err != nil {
			failed = append(failed, fmt.Errorf("%s %q: %w", flag, expression, err))
			continue
		}
		compiled = append(compiled, re)
	}
	return compiled, errors.Join(failed...)
}

// inForce reports whether there is an expression that could leave out a device.
func (f *Filter) inForce() bool { return f != nil && len(f.include)+len(f.exclude) > 0 }

// keeps reports whether a device with these names stays. An exclusion wins;
// with inclusions only what matches one stays. Empty names match nothing.
func (f *Filter) keeps(names ...string) bool {
	if f == nil {
		return true
	}
	return !anyMatch(f.exclude, names) && (len(f.include) == 0 || anyMatch(f.include, names))
}

// excludes reports whether a device with these names is left out, whatever
// other names it may have.
func (f *Filter) excludes(names ...string) bool {
	return f != nil && anyMatch(f.exclude, names)
}

func anyMatch(expressions []*regexp.Regexp, names []string) bool {
	for _, re := range expressions {
		for _, name := range names {
			if name != "" && re.MatchString(name) {
				return true
			}
		}
	}
	return false
}
