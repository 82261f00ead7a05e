package driver

import "strings"

// Table is what is known of a driver's statistics.
type Table struct {
	Driver  string // as ETHTOOL_GDRVINFO names it
	Entries []Entry

	// Sections are strings that begin the statistics of one queue, for a driver
	// that does not number them: the value is the queue.
	Sections []string
}

// Entry ties a string of a driver to what it counts.
type Entry struct {
	// String is the driver's, with {queue}, {priority}, {lane} or {vf} in place
	// of one decimal number. An entry without one that a queue's strings sum up
	// to is used instead of that sum.
	String   string
	Quantity *Quantity
	Label    string  // of the row's second label, where it is not the number
	Factor   float64 // of the row's unit in one count; 0 is 1
}

// The scale of what drivers count in microseconds and in percent.
const (
	microseconds = 1e-6
	percent      = 0.01
)

// Tables are the drivers that are known.
func Tables() []*Table {
	return []*Table{mlx5Core, mlx5Rep, ice, iavf, i40e, igb, bnxt, ionic, sfc, ena, virtioNet, vmxnet3, veth}
}

// TableOf returns the table of a driver, nil for one that is not known.
func TableOf(name string) *Table {
	for _, t := range Tables() {
		if t.Driver == name {
			return t
		}
	}
	return nil
}

// kind is what the number in a string is.
type kind uint8

const (
	noNumber kind = iota
	queueNumber
	labelNumber
)

// split returns what stands before and after the number of an entry, and what
// the number is. An entry without a number is all before.
func (e *Entry) split() (before, after string, what kind) {
	before, rest, found := strings.Cut(e.String, "{")
	if !found {
		return e.String, "", noNumber
	}
	word, after, _ := strings.Cut(rest, "}")
	if word == "queue" {
		return before, after, queueNumber
	}
	return before, after, labelNumber
}
