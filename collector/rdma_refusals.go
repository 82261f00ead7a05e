package collector

import (
	"errors"
	"time"

	"github.com/dpu-exporter/dpu-exporter/internal/outcome"
	"github.com/dpu-exporter/dpu-exporter/internal/sysfs"
)

const (
	// refusalsBeforeRest and refusalRest: a device that refuses a counter is asked
	// again a few times, and then seldom. Some write a line into the kernel's log
	// each time.
	refusalsBeforeRest = 3
	refusalRest        = 10 * time.Minute
)

// refusals remember which counters devices refuse to tell.
type refusals struct {
	now func() time.Time
	of  map[refusalKey]*refusal
}

type refusalKey struct {
	sysfs.RDMAPort
	folder, counter string
}

type refusal struct {
	times int
	until time.Time
	err   error
}

// read reads a counter unless it rests; then it returns the error it was last
// refused with.
func (r *refusals) read(p sysfs.RDMAPort, folder, counter string, read func() (uint64, error)) (uint64, error) {
	key := refusalKey{p, folder, counter}
	old := r.of[key]
	if old != nil && r.now().Before(old.until) {
		return 0, old.err
	}
	value, err := read()
	if outcome.Of(err) != outcome.Broken {
		delete(r.of, key)
		return value, err
	}
	if old == nil {
		old = &refusal{}
		r.of[key] = old
	}
	old.times++
	if old.err = err; old.times >= refusalsBeforeRest {
		old.until = r.now().Add(refusalRest)
		old.err = errors.Join(err, errRests)
	}
	return value, err
}

var errRests = errors.New("refused again and again: asked every 10 minutes")

// forget drops what is remembered of devices that are gone.
func (r *refusals) forget(here map[string]bool) {
	for key := range r.of {
		if !here[key.Device] {
			delete(r.of, key)
		}
	}
}
