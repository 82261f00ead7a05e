package metric

import "sync/atomic"

// An Emitter fills one round of a Set. It belongs to one goroutine; only Kill
// may be called from others.
type Emitter struct {
	set     *Set
	half    *half
	state   atomic.Uint32
	dropped Dropped // Duplicate is counted at Commit
}

// The states of an emitter; the zero value is emitting.
const (
	emitting = iota
	killed   // late: its values are no longer wanted, but it is still out
	done     // committed or discarded
)

// Kill tells a late emitter that nobody waits for it: from now on Add does
// nothing and Commit is refused. The spare half still belongs to the late
// goroutine until it calls Commit or Discard. Kill may be called from any
// goroutine, and reports false when the round had already ended.
func (e *Emitter) Kill() bool {
	return e.state.CompareAndSwap(emitting, killed)
}

// Family returns the family of r for this round, for adding many samples
// without looking r up each time. For a row that is not in the set it returns a
// family that drops and counts whatever is added; after the end of the round,
// one that does nothing.
func (e *Emitter) Family(r *Row) *Family {
	if e.state.Load() == done {
		return &Family{emitter: e}
	}
	if i, ok := e.set.places[r]; ok {
		return &e.half.families[i]
	}
	return &e.half.stray
}

// Add adds one sample of r; see Family.Add.
func (e *Emitter) Add(r *Row, value float64, labels ...string) {
	e.Family(r).Add(value, labels...)
}
