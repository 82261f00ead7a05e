// Package collector turns what the machine said into rows of the table of
// metrics: one file a family. Collectors make no system calls of their own;
// their readers are given to them.
package collector

import (
	"context"
	"time"

	"github.com/dpu-exporter/dpu-exporter/internal/outcome"
	"github.com/dpu-exporter/dpu-exporter/inventory"
	"github.com/dpu-exporter/dpu-exporter/metric"
)

// Collector reads one family of metrics.
type Collector interface {
	// Name is the NAME of --collector.NAME and the value of the label collector.
	Name() string
	// Help says in one line what it reads.
	Help() string
	// Rows are all metrics it can emit, and nothing else is emitted.
	Rows() []*metric.Row
	// Collect emits what the devices of inv count now. It must be fast: dear
	// sources are read by a Sampler. It is never run twice at a time. A device
	// that cannot be read is told to emit.Device; an error means that the
	// collector as a whole could not work. What was emitted before an error is
	// still served.
	Collect(ctx context.Context, inv *inventory.Snapshot, emit *Emit) error
}

// Sampler is a Collector with sources that are too dear for a scrape. The
// Runner reads them on their own clocks; Collect serves the newest reading.
type Sampler interface {
	Collector
	Samples() []Sample
}

// Sample is one source with a clock of its own.
type Sample struct {
	Source   string        // value of the label source
	Every    time.Duration // how often it is read
	OnChange bool          // it is also read soon after the inventory changed
	Read     func(ctx context.Context, inv *inventory.Snapshot) error
}

// Emit takes the values of one collection and what became of each device.
type Emit struct {
	*metric.Emitter
	tallies []tally
}

// tally counts the devices of one source by outcome.
type tally struct {
	source string
	counts [outcome.Count]int
	errs   [outcome.Count]error // the last of each outcome
}

// Device says how reading one device through source ended: nil is success.
func (e *Emit) Device(source string, err error) {
	o := outcome.Of(err)
	t := e.tally(source)
	t.counts[o]++
	t.errs[o] = err
}

// Devices says that n devices read through source ended in o.
func (e *Emit) Devices(source string, o outcome.Outcome, n int) {
	if n > 0 {
		e.tally(source).counts[o] += n
	}
}

func (e *Emit) tally(source string) *tally {
	for i := range e.tallies {
		if e.tallies[i].source == source {
			return &e.tallies[i]
		}
	}
	e.tallies = append(e.tallies, tally{source: source})
	return &e.tallies[len(e.tallies)-1]
}
