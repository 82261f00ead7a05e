package metric

import (
	"math"
	"slices"
)

// A Family holds the samples of one row in one half of a Set. It is a handle
// for filling: good from Begin until Commit or Discard of its emitter, and only
// in the goroutine that owns that emitter.
type Family struct {
	row     *Row // nil for the family that swallows rows the set does not have
	head    string
	emitter *Emitter

	// samples[:n] is this round; what lies beyond is kept for the next.
	// Sample i has its label values at labels[i*len(row.Labels):].
	samples []sample
	labels  []string
	n       int

	changed    bool // some label tuple is new since the last duplicate check
	checked    int  // n at the last duplicate check
	duplicates int  // samples marked by it
}

// A sample is one line of exposition. The prefix, `name{a="b"} `, is rendered
// only when the label values at this position change.
type sample struct {
	prefix    []byte
	value     float64
	duplicate bool // an earlier sample has the same labels; not exposed
}

// Add appends one sample: its value in the row's unit, and one label value for
// each of the row's labels, in that order. Unknown is absent: a value that is
// not known is not added, and NaN is dropped and counted, like a wrong number
// of labels. When the emitter is dead, Add does nothing.
//
// Where the same label values come in the same order as in earlier rounds, Add
// stores the value and allocates nothing. The strings are kept.
func (f *Family) Add(value float64, labels ...string) {
	e := f.emitter
	if e.state.Load() != emitting {
		return
	}
	if f.row == nil || len(labels) != len(f.row.Labels) {
		e.dropped.Malformed++
		return
	}
	if math.IsNaN(value) {
		e.dropped.NotANumber++
		return
	}
	if f.n == len(f.samples) {
		f.samples = append(f.samples, sample{})
		f.labels = append(f.labels, labels...)
	}
	s := &f.samples[f.n]
	kept := f.labels[f.n*len(labels):][:len(labels)]
	f.n++
	s.value = value
	if s.prefix != nil && slices.Equal(kept, labels) {
		return
	}
	copy(kept, labels)
	s.prefix = f.appendPrefix(s.prefix[:0], labels)
	f.changed = true
}

// appendPrefix renders everything of a sample's line but its value.
func (f *Family) appendPrefix(b []byte, labels []string) []byte {
	b = append(b, f.row.Name...)
	for i, value := range labels {
		if i == 0 {
			b = append(b, '{')
		} else {
			b = append(b, ',')
		}
		b = append(b, f.row.Labels[i]...)
		b = append(b, '=')
		b = appendLabel(b, value)
	}
	if len(labels) > 0 {
		b = append(b, '}')
	}
	return append(b, ' ')
}

// trim gives memory back after most of a family's samples went away for good.
func (f *Family) trim() {
	if len(f.samples) > 2*f.n+64 {
		f.samples = slices.Clone(f.samples[:f.n])
		f.labels = slices.Clone(f.labels[:f.n*len(f.row.Labels)])
	}
}

// sampleLabels returns the label values of sample i as they were given to Add.
func (f *Family) sampleLabels(i int) []string {
	k := len(f.row.Labels)
	return f.labels[i*k:][:k]
}
