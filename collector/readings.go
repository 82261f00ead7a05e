package collector

import (
	"context"
	"fmt"
	"sync"

	"github.com/dpu-exporter/dpu-exporter/inventory"
	"github.com/dpu-exporter/dpu-exporter/metric"
)

// readings are what a sampled source said of each device: its series, ready to
// be emitted, and how reading them ended.
type readings struct {
	source string

	mu    sync.Mutex // held for moments only, never while the kernel is asked
	byKey map[inventory.Key]*reading
}

type reading struct {
	series []series
	err    error
}

// series is one sample, its labels ready.
type series struct {
	row    *metric.Row
	value  float64
	labels []string
}

// add adds a series of one device.
func (r *reading) add(row *metric.Row, value float64, labels ...string) {
	r.series = append(r.series, series{row, value, labels})
}

// sample reads the devices that are wanted, one after the other. One that fails
// keeps none of the others from being read; what it said before it failed is
// served. When nothing may be read, unusable says why, and every device has that
// outcome.
func (r *readings) sample(
	ctx context.Context, inv *inventory.Snapshot, unusable error,
	wanted func(*inventory.Device) bool, read func(context.Context, *inventory.Device, *reading) error,
) error {
	next := make(map[inventory.Key]*reading)
	for _, d := range inv.Devices {
		if !wanted(d) {
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err() // the rest keep their last reading
		}
		entry := &reading{err: unusable}
		if unusable == nil {
			if entry.err = read(ctx, d, entry); entry.err != nil {
				entry.err = fmt.Errorf("%s: %w", d.Name, entry.err)
			}
		}
		next[d.Key] = entry
		r.publish(d.Key, entry)
	}
	r.replace(next)
	switch {
	case len(next) == 0:
		return errNothingToRead
	default:
		return unusable
	}
}

// publish serves the reading of one device at once: the next may take long.
func (r *readings) publish(key inventory.Key, entry *reading) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byKey == nil {
		r.byKey = map[inventory.Key]*reading{}
	}
	r.byKey[key] = entry
}

// replace forgets the devices that are gone.
func (r *readings) replace(next map[inventory.Key]*reading) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.byKey = next
}

// emit emits the newest reading of every device that is still there under the
// name it was read with.
func (r *readings) emit(inv *inventory.Snapshot, emit *Emit) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, d := range inv.Devices {
		entry := r.byKey[d.Key]
		if entry == nil {
			continue
		}
		emit.Device(r.source, entry.err)
		for _, s := range entry.series {
			if s.labels[0] == d.Name {
				emit.Add(s.row, s.value, s.labels...)
			}
		}
	}
}
