// Package metric holds the table of metrics as rows of data and turns values
// into Prometheus exposition. It knows nothing about network devices.
package metric

// Kind is the Prometheus type of a row.
type Kind uint8

// The kinds a row can have.
const (
	Counter Kind = iota + 1
	Gauge
	// Summary is known only from the Go runtime's own rows; a Set does not take it.
	Summary
)

// String returns the word of a TYPE line: counter, gauge or summary.
func (k Kind) String() string {
	switch k {
	case Counter:
		return "counter"
	case Gauge:
		return "gauge"
	case Summary:
		return "summary"
	}
	return "unknown"
}

// Proof says how far a row's meaning has been checked.
type Proof uint8

const (
	// Live: a test of this project read it from a real kernel interface.
	Live Proof = iota + 1
	// Replayed: a test reads it from a capture of a real device.
	Replayed
	// FromSource: known from kernel or vendor source only.
	FromSource
)

// String returns live, replayed or source.
func (p Proof) String() string {
	switch p {
	case Live:
		return "live"
	case Replayed:
		return "replayed"
	case FromSource:
		return "source"
	}
	return "unknown"
}

// A Row describes one metric family: everything that /metrics, --describe,
// docs/metrics.md and the checks of rules and dashboards need to know of it.
type Row struct {
	Name   string   // full Prometheus name, dpu_<layer>_<thing>_<unit>[_total]
	Kind   Kind     // its Prometheus type
	Unit   string   // base unit in plain words: "bytes", "packets", "seconds"; "" where a number has none
	Labels []string // label names, in the order in which values are given to Add
	Help   string   // one sentence without a full stop
	Source string   // where the number comes from: kernel attribute, file, RFC
	Proof  Proof    // how far the meaning has been checked
}
