package collector

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dpu-exporter/dpu-exporter/internal/outcome"
	"github.com/dpu-exporter/dpu-exporter/metric"
)

// errLate is the failure of a collection that did not end by its deadline.
var errLate = errors.New("not finished by its deadline; it is not started again before it returns")

// job is one collector with its families, and the run of it that is under way.
type job struct {
	collector Collector
	inv       Inventory
	timeout   time.Duration
	set       *metric.Set
	samples   []*sampling
	errors    atomic.Uint64 // failures so far
	state     stateLog

	mu      sync.Mutex
	running *run
	last    *run // the newest that ended, in time or not
}

// run is one collection. Its results are set before done is closed.
type run struct {
	started time.Time
	done    chan struct{}
	late    chan struct{} // closed at the deadline if the run is still going

	served  bool // its families were committed
	err     error
	took    time.Duration
	tallies []tally
}

func newJob(c Collector, opts Options) *job {
	j := &job{
		collector: c,
		inv:       opts.Inventory,
		timeout:   opts.Timeout,
		set:       metric.NewSet(c.Rows()),
		state:     stateLog{log: opts.Log.With("collector", c.Name())},
	}
	if s, ok := c.(Sampler); ok {
		for _, sample := range s.Samples() {
			j.samples = append(j.samples, newSampling(j, sample))
		}
	}
	return j
}

// collect runs the collector, or joins the run under way, and waits for its
// end, its deadline or that of ctx.
func (j *job) collect(ctx context.Context) (*run, error) {
	r := j.join()
	select {
	case <-r.done:
		return r, r.err
	default:
	}
	select {
	case <-r.done:
		return r, r.err
	case <-r.late:
	case <-ctx.Done():
	}
	return &run{started: r.started, took: time.Since(r.started)}, errLate
}

// join returns the run under way or starts one.
func (j *job) join() *run {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.running == nil {
		j.running = &run{started: time.Now(), done: make(chan struct{}), late: make(chan struct{})}
		go j.run(j.running)
	}
	return j.running
}

func (j *job) run(r *run) {
	ctx, cancel := context.WithTimeout(context.Background(), j.timeout)
	defer cancel()
	emit := &Emit{Emitter: j.set.Begin()}
	stopClock := context.AfterFunc(ctx, func() {
		emit.Kill()
		j.errors.Add(1)
		j.state.failed(errLate)
		close(r.late)
	})
	err := protect(func() error { return j.collector.Collect(ctx, j.inv.Snapshot(), emit) })
	inTime := stopClock()
	r.took = time.Since(r.started)
	var p *panicError
	if errors.As(err, &p) {
		j.set.Discard(emit.Emitter)
	} else {
		r.served = j.set.Commit(emit.Emitter)
	}
	r.err, r.tallies = err, emit.tallies
	if inTime {
		j.account(r)
	} else {
		<-r.late // it is counted before anybody sees its end
		r.err, r.served = errLate, false
	}
	j.mu.Lock()
	j.running, j.last = nil, r
	j.mu.Unlock()
	close(r.done)
}

// account counts and logs what a run in time found.
func (j *job) account(r *run) {
	failure, n := r.err, 0
	if r.err != nil {
		n++
	}
	for _, t := range r.tallies {
		n += t.counts[outcome.Broken]
		if err := cmp.Or(t.errs[outcome.Broken], t.errs[outcome.NotPermitted]); failure == nil && err != nil {
			failure = fmt.Errorf("some devices cannot be read through %s: %w", t.source, err)
		}
	}
	j.errors.Add(uint64(n))
	if failure == nil {
		j.state.worked()
	} else {
		j.state.failed(failure)
	}
}

// latest is how the collector's newest run ended, or that it is late.
func (j *job) latest() *result {
	j.mu.Lock()
	defer j.mu.Unlock()
	if r := j.running; r != nil && r.isLate() {
		return &result{job: j, run: &run{started: r.started, took: time.Since(r.started)}, err: errLate}
	}
	if j.last == nil {
		return &result{job: j, run: &run{}}
	}
	return &result{job: j, run: j.last, err: j.last.err}
}

func (r *run) isLate() bool {
	select {
	case <-r.late:
		return true
	default:
		return false
	}
}
