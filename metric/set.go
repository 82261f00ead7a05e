package metric

import "sync"

// A Set is the cached families of one collector, in two halves: the front is
// what scrapes render, the spare is what the collector fills. Commit swaps
// them, so nobody ever sees a half-written round.
type Set struct {
	places map[*Row]int // row to its place in half

	mu      sync.RWMutex // guards what follows
	front   *half
	spare   *half
	out     *Emitter
	dropped Dropped

	finder finder // belongs to the goroutine that holds the emitter
}

// half is one round's families, in the order of the rows.
type half struct {
	families []Family
	stray    Family
}

// Dropped counts the samples that a Set refused since it was made.
type Dropped struct {
	Duplicate  uint64 // the round had an earlier sample with the same labels
	NotANumber uint64 // the value was NaN
	Malformed  uint64 // the row is not in the set, or the number of labels was wrong
}

// NewSet returns an empty set that exposes rows in the order given.
func NewSet(rows []*Row) *Set {
	s := &Set{places: make(map[*Row]int, len(rows))}
	for i, r := range rows {
		s.places[r] = i
	}
	s.front, s.spare = newHalf(rows), newHalf(rows)
	return s
}

func newHalf(rows []*Row) *half {
	h := &half{families: make([]Family, len(rows))}
	for i, r := range rows {
		h.families[i] = Family{row: r, head: textHead(r)}
	}
	return h
}

// Begin starts a round: the emitter returned fills the spare half and must come
// back through Commit or Discard, even after a Kill. Only one emitter may be
// out at a time; a second Begin before that is a fault of the caller and panics.
// It makes one small allocation: an emitter is never used twice, so a late Kill
// cannot hit the next round.
func (s *Set) Begin() *Emitter {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.out != nil {
		panic("metric: Begin while the set's last emitter has not been committed or discarded")
	}
	e := &Emitter{set: s, half: s.spare}
	for i := range e.half.families {
		e.half.families[i].n = 0
		e.half.families[i].emitter = e
	}
	e.half.stray.emitter = e
	s.out = e
	return e
}

// Commit ends a round by making it the one that scrapes see. Later duplicates
// of a sample are dropped and counted. It reports false, and changes nothing
// that is seen, when e was killed or is not out.
func (s *Set) Commit(e *Emitter) bool {
	if e.set != s || e.state.Load() == done {
		return false
	}
	var duplicates uint64
	for i := range e.half.families {
		f := &e.half.families[i]
		s.finder.mark(f)
		f.trim()
		duplicates += uint64(f.duplicates)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	complete := e.state.CompareAndSwap(emitting, done)
	if complete {
		s.front, s.spare = s.spare, s.front
		s.dropped.Duplicate += duplicates
	}
	s.end(e)
	return complete
}

// Discard ends a round without showing it: the front stays as it was. It does
// nothing when e is not out.
func (s *Set) Discard(e *Emitter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.out == e {
		s.end(e)
	}
}

// end takes e back; s.mu is held.
func (s *Set) end(e *Emitter) {
	e.state.Store(done)
	s.out = nil
	s.dropped.NotANumber += e.dropped.NotANumber
	s.dropped.Malformed += e.dropped.Malformed
}

// Dropped returns what was refused in all rounds that have ended.
func (s *Set) Dropped() Dropped {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.dropped
}
