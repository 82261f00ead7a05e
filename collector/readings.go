package collector

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/dpu-exporter/dpu-exporter/internal/outcome"
	"github.com/dpu-exporter/dpu-exporter/inventory"
	"github.com/dpu-exporter/dpu-exporter/metric"
)

// readings are what a sampled source said of each thing that it was asked about:
// the series, ready to be emitted, and how reading it ended.
type readings[K comparable] struct {
	source string

	mu    sync.Mutex // held for moments only, never while the kernel is asked
	order []K
	byKey map[K]*reading
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

// add adds a series.
func (r *reading) add(row *metric.Row, value float64, labels ...string) {
	r.series = append(r.series, series{row, value, labels})
}

// addKnown adds a number of units unless it is not known.
func addKnown(r *reading, row *metric.Row, value *uint32, unit float64, labels ...string) {
	if value != nil {
		r.add(row, float64(*value)*unit, labels...)
	}
}

// addCount adds a count unless it is not known.
func addCount(r *reading, row *metric.Row, value *uint64, labels ...string) {
	if value != nil {
		r.add(row, float64(*value), labels...)
	}
}

// sample reads what the keys name, one after the other. One that fails keeps
// none of the others from being read; what it said before it failed is served.
// When nothing may be read, unusable says why, and each has that outcome.
func (r *readings[K]) sample(ctx context.Context, keys []K, unusable error, read func(context.Context, K, *reading) error) error {
	r.keepOnly(keys)
	for _, key := range keys {
		if ctx.Err() != nil {
			return ctx.Err() // the rest keep their last reading
		}
		next := &reading{err: unusable}
		if unusable == nil {
			if next.err = read(ctx, key, next); next.err != nil {
				next.err = fmt.Errorf("%v: %w", key, next.err)
			}
		}
		r.mu.Lock()
		r.byKey[key] = next // at once: the next may take long
		r.mu.Unlock()
	}
	if len(keys) == 0 {
		return errNothingToRead
	}
	return unusable
}

// keepOnly forgets what is not among the keys.
func (r *readings[K]) keepOnly(keys []K) {
	kept := make(map[K]*reading, len(keys))
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, key := range keys {
		if old := r.byKey[key]; old != nil {
			kept[key] = old
		}
	}
	r.order, r.byKey = keys, kept
}

// emit emits the newest readings of those that are still there.
func (r *readings[K]) emit(emit *Emit, still func(K) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, key := range r.order {
		entry := r.byKey[key]
		if entry == nil || !still(key) {
			continue
		}
		emit.Device(r.source, entry.err)
		for _, s := range entry.series {
			emit.Add(s.row, s.value, s.labels...)
		}
	}
}

// deviceReadings are those of network devices.
type deviceReadings struct{ readings[namedDevice] }

// namedDevice is a device under one name: a name is in its series.
type namedDevice struct {
	inventory.Key
	Name string
}

// String is the name, for errors.
func (d namedDevice) String() string { return d.Name }

func readingsOf(source string) deviceReadings {
	return deviceReadings{readings[namedDevice]{source: source}}
}

// sample reads the devices that are wanted.
func (r *deviceReadings) sample(
	ctx context.Context, inv *inventory.Snapshot, unusable error,
	wanted func(*inventory.Device) bool, read func(context.Context, *inventory.Device, *reading) error,
) error {
	var keys []namedDevice
	for _, d := range inv.Devices {
		if wanted(d) {
			keys = append(keys, namedDevice{d.Key, d.Name})
		}
	}
	return r.readings.sample(ctx, keys, unusable, func(ctx context.Context, key namedDevice, to *reading) error {
		return read(ctx, inv.ByIndex(key.Index), to)
	})
}

// emit emits the newest readings of the devices that are still there under that name.
func (r *deviceReadings) emit(inv *inventory.Snapshot, emit *Emit) {
	r.readings.emit(emit, func(key namedDevice) bool {
		d := inv.ByIndex(key.Index)
		return d != nil && d.Key == key.Key && d.Name == key.Name
	})
}

// unlessUnsupported joins the errors of a device's parts but for those that only
// say that the driver does not have the part.
func unlessUnsupported(errs ...error) error {
	var failed []error
	for _, err := range errs {
		if outcome.Of(err) != outcome.Unsupported {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}
