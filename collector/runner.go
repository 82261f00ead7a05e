package collector

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dpu-exporter/dpu-exporter/internal/outcome"
	"github.com/dpu-exporter/dpu-exporter/inventory"
	"github.com/dpu-exporter/dpu-exporter/metric"
)

// Inventory is what the Runner needs of *inventory.Inventory.
type Inventory interface {
	Snapshot() *inventory.Snapshot
	// Changed returns a channel that is closed at the next change.
	Changed() <-chan struct{}
}

// Options configure a Runner.
type Options struct {
	Inventory  Inventory
	Collectors []Collector   // the enabled ones
	Disabled   []string      // names of the others, for messages
	Timeout    time.Duration // of one collection
	Log        *slog.Logger
}

// Runner runs the collectors, keeps them out of each other's way and says how
// they are doing.
type Runner struct {
	opts Options
	jobs []*job
}

// NewRunner returns a Runner over opts.Collectors.
func NewRunner(opts Options) *Runner {
	r := &Runner{opts: opts}
	for _, c := range opts.Collectors {
		r.jobs = append(r.jobs, newJob(c, opts))
	}
	return r
}

// Names are the enabled collectors in their order.
func (r *Runner) Names() []string {
	names := make([]string, len(r.jobs))
	for i, j := range r.jobs {
		names[i] = j.collector.Name()
	}
	return names
}

// Select turns the query parameters collect[] and exclude[] into names of
// enabled collectors. Unknown names, disabled ones, and both parameters at once
// are errors that list what is valid.
func (r *Runner) Select(collect, exclude []string) ([]string, error) {
	if len(collect) > 0 && len(exclude) > 0 {
		return nil, errors.New("collect[] and exclude[] contradict each other: give one of them")
	}
	names := r.Names()
	for _, name := range slices.Concat(collect, exclude) {
		if slices.Contains(names, name) {
			continue
		}
		why := "unknown collector"
		if slices.Contains(r.opts.Disabled, name) {
			why = "disabled collector"
		}
		return nil, fmt.Errorf("%s %q: valid here: %s", why, name, cmp.Or(strings.Join(names, ", "), "none is switched on"))
	}
	if len(collect) == 0 {
		collect = names
	}
	return slices.DeleteFunc(names, func(name string) bool {
		return !slices.Contains(collect, name) || slices.Contains(exclude, name)
	}), nil
}

// Gather runs the named collectors and returns the families of all that
// finished before ctx ended and before their own deadline, with the health of
// each at the end.
func (r *Runner) Gather(ctx context.Context, names []string) []*metric.Set {
	results := r.collect(ctx, names)
	sets := make([]*metric.Set, 0, len(results)+1)
	for _, res := range results {
		if res.run.served {
			sets = append(sets, res.job.set)
		}
	}
	return append(sets, healthSet(results))
}

// collect runs the named collectors side by side, or joins those that are
// running already.
func (r *Runner) collect(ctx context.Context, names []string) []*result {
	results := make([]*result, 0, len(r.jobs))
	var wait sync.WaitGroup
	for _, j := range r.jobs {
		if !slices.Contains(names, j.collector.Name()) {
			continue
		}
		res := &result{job: j}
		results = append(results, res)
		wait.Go(func() { res.run, res.err = j.collect(ctx) })
	}
	wait.Wait()
	return results
}

// A Report says how one collection of a collector ended.
type Report struct {
	Collector string
	Help      string
	Began     time.Time // zero: it has not run yet
	Took      time.Duration
	Err       error // nil when it worked
	Devices   []DeviceReport
}

// DeviceReport counts the devices that one source ended with one outcome for.
type DeviceReport struct {
	Source  string
	Outcome outcome.Outcome
	Count   int
	Err     error // one of the errors; nil where the outcome is ok or was only counted
}

// Reports runs the named collectors as Gather does and says how each ended.
func (r *Runner) Reports(ctx context.Context, names []string) []Report {
	var reports []Report
	for _, res := range r.collect(ctx, names) {
		reports = append(reports, res.report())
	}
	return reports
}

// Latest says how the newest run of every collector ended, without running any.
func (r *Runner) Latest() []Report {
	reports := make([]Report, len(r.jobs))
	for i, j := range r.jobs {
		reports[i] = j.latest().report()
	}
	return reports
}

// Run reads the sampled sources on their clocks until ctx ends.
func (r *Runner) Run(ctx context.Context) error {
	var wait sync.WaitGroup
	for _, j := range r.jobs {
		for _, s := range j.samples {
			wait.Go(func() { s.run(ctx) })
		}
	}
	wait.Wait()
	return nil
}

// SampleOnce reads every sampled source once, for a collection without Run.
func (r *Runner) SampleOnce(ctx context.Context) {
	for _, j := range r.jobs {
		for _, s := range j.samples {
			s.once(ctx)
		}
	}
}
