package driver

import "strconv"

// index finds the entry of a string without trying them all: by the string
// itself, and by what stands before and after each number in it.
type index map[pattern]*Entry

type pattern struct {
	before, after string
	number        bool
}

func indexOf(t *Table) index {
	x := make(index, len(t.Entries))
	for i := range t.Entries {
		e := &t.Entries[i]
		before, after, what := e.split()
		x[pattern{before, after, what != noNumber}] = e
	}
	return x
}

// find returns the entry of a string and the number in it.
func (x index) find(s string) (e *Entry, number string) {
	if e := x[pattern{before: s}]; e != nil {
		return e, ""
	}
	for from := 0; from < len(s); from++ {
		if !isDigit(s[from]) {
			continue
		}
		to := from
		for to < len(s) && isDigit(s[to]) {
			to++
		}
		if e := x[pattern{s[:from], s[to:], true}]; e != nil {
			return e, plainNumber(s[from:to])
		}
		from = to
	}
	return nil, ""
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// plainNumber drops leading zeros: vf000 is VF 0.
func plainNumber(digits string) string {
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		return digits
	}
	return strconv.FormatUint(n, 10)
}
