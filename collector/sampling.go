package collector

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/dpu-exporter/dpu-exporter/internal/outcome"
)

// settle is how long a sampling waits after a change of the inventory, so that
// a burst of changes costs one reading.
const settle = time.Second

// errNothingToRead is returned by a Sample.Read that no device of this node
// needs: it is no failure, and no success to put a time on.
var errNothingToRead = errors.New("no device needs this")

// errUnsupported is the state of a device that does not have something.
func errUnsupported(what string) error { return fmt.Errorf("%s: %w", what, errors.ErrUnsupported) }

// sampling reads one sampled source on its clock.
type sampling struct {
	Sample
	job   *job
	state stateLog
	last  atomic.Int64 // Unix time in nanoseconds of the last success; 0 before it, and while there is nothing to read
}

func newSampling(j *job, s Sample) *sampling {
	return &sampling{Sample: s, job: j, state: stateLog{log: j.state.log.With("sample", s.Source)}}
}

// run reads the source until ctx ends. A reading that hangs delays only the
// next one.
func (s *sampling) run(ctx context.Context) {
	for ctx.Err() == nil {
		changed := s.job.inv.Changed()
		if !s.OnChange {
			changed = nil
		}
		s.once(ctx)
		s.wait(ctx, changed)
	}
}

// wait returns when the source is due, or soon after the inventory changed.
func (s *sampling) wait(ctx context.Context, changed <-chan struct{}) {
	due := time.NewTimer(s.Every)
	defer due.Stop()
	select {
	case <-ctx.Done():
		return
	case <-due.C:
		return
	case <-changed:
	}
	due.Reset(settle)
	select {
	case <-ctx.Done():
	case <-due.C:
	}
}

// once reads the source now.
func (s *sampling) once(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, s.Every)
	defer cancel()
	done := make(chan struct{})
	go s.countLateness(done)
	err := protect(func() error { return s.Read(ctx, s.job.inv.Snapshot()) })
	close(done)
	switch o := outcome.Of(err); {
	case o == outcome.OK:
		s.last.Store(time.Now().UnixNano())
		s.state.worked()
	case errors.Is(err, errNothingToRead), o == outcome.Unsupported, o == outcome.Vanished:
		s.last.Store(0) // the time of a source that is gone would only grow old
		s.state.worked()
	case o == outcome.NotPermitted:
		s.state.failed(err)
	default:
		s.job.errors.Add(1)
		s.state.failed(err)
	}
}

// errHangs is told of a reading that does not even return when it is asked to.
var errHangs = errors.New("still being read long after it was due")

// countLateness counts a reading that hangs, as often as it should have been
// made: nothing else would tell of it.
func (s *sampling) countLateness(done <-chan struct{}) {
	due := time.NewTicker(s.Every + settle)
	defer due.Stop()
	for {
		select {
		case <-done:
			return
		case <-due.C:
			s.job.errors.Add(1)
			s.state.failed(errHangs)
		}
	}
}

// lastSuccess is the Unix time in seconds of the last success; false before it
// and while there is nothing to read.
func (s *sampling) lastSuccess() (float64, bool) {
	ns := s.last.Load()
	return float64(ns) / 1e9, ns != 0
}
