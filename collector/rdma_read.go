package collector

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dpu-exporter/dpu-exporter/internal/nldev"
	"github.com/dpu-exporter/dpu-exporter/internal/outcome"
	"github.com/dpu-exporter/dpu-exporter/internal/sysfs"
	"github.com/dpu-exporter/dpu-exporter/inventory"
	"github.com/dpu-exporter/dpu-exporter/metric"
)

func (c *RDMA) sampleCounters(ctx context.Context, inv *inventory.Snapshot) error {
	names := rdmaNames(inv)
	here := make(map[string]bool, len(names))
	for _, name := range names {
		here[name] = true
	}
	c.refused.forget(here)
	numbers := c.numbers(ctx)
	return c.counters.sample(ctx, names, nil, func(ctx context.Context, name string, r *reading) error {
		ports, err := c.opts.Files.RDMAPorts(name)
		errs := []error{err}
		for _, p := range ports {
			errs = append(errs, c.readCounters(ctx, numbers, p, r))
		}
		if err := unlessUnsupported(errs...); err != nil || len(r.series) > 0 {
			return err
		}
		return errNoRDMACounters
	})
}

var errNoRDMACounters = errUnsupported("no counters")

// portCounters gathers the counters of one port: one row may be the sum of
// several.
type portCounters struct {
	values map[*metric.Row]float64
	order  []*metric.Row
}

func (p *portCounters) add(row *metric.Row, value float64) {
	if _, has := p.values[row]; !has {
		p.order = append(p.order, row)
	}
	p.values[row] += value
}

// readCounters reads the counters of the InfiniBand architecture, and then the
// hardware's own, which make up for those that the driver does not have.
func (c *RDMA) readCounters(ctx context.Context, numbers numbered, p sysfs.RDMAPort, r *reading) error {
	gathered := portCounters{values: map[*metric.Row]float64{}}
	err := c.readArchitecture(p, &gathered)
	architecture := len(gathered.order)
	own, ownErr := c.ownCounters(ctx, numbers, p)
	port := number(&p.Port)
	for _, counter := range own {
		if counter.Name == "lifespan" {
			continue // a setting: for how many ms the driver answers the same
		}
		if isLevel(counter.Name) {
			r.add(rdmaOwnLevelRow, float64(counter.Value), p.Device, port, counter.Name)
			continue
		}
		row := rowOfOwn(counter.Name)
		if row == nil || slices.Contains(gathered.order[:architecture], row) {
			r.add(rdmaOwnCounterRow, float64(counter.Value), p.Device, port, counter.Name)
			continue
		}
		gathered.add(row, float64(counter.Value))
	}
	for _, row := range gathered.order {
		r.add(row, gathered.values[row], p.Device, port)
	}
	return unlessUnsupported(err, ownErr, c.readOptional(ctx, numbers, p, r))
}

// isLevel says whether what a driver has among its counters goes down as well:
// what is in use, and the most that was (bnxt_re: active_qps, watermark_qps).
func isLevel(name string) bool {
	return strings.HasPrefix(name, "active_") || strings.HasPrefix(name, "watermark_")
}

// readArchitecture reads the files of counters/ that the table knows.
func (c *RDMA) readArchitecture(p sysfs.RDMAPort, to *portCounters) error {
	names, err := c.opts.Files.RDMACounters(p, "counters")
	errs := []error{err}
	for _, name := range names {
		known := architectureCounters[name]
		if known.row == nil {
			continue
		}
		value, err := c.file(p, "counters", name)
		if err == nil {
			to.add(known.row, float64(value)*known.unit)
		}
		errs = append(errs, err)
	}
	return unlessUnsupported(errs...)
}

func (c *RDMA) file(p sysfs.RDMAPort, folder, name string) (uint64, error) {
	value, err := c.refused.read(p, folder, name, func() (uint64, error) { return c.opts.Files.RDMACounter(p, folder, name) })
	if err != nil {
		err = fmt.Errorf("port %s, %s/%s: %w", number(&p.Port), folder, name, err)
	}
	return value, err
}

// ownCounters are the driver's hardware counters: one question to the RDMA core,
// or, where that does not answer, their files.
func (c *RDMA) ownCounters(ctx context.Context, numbers numbered, p sysfs.RDMAPort) ([]nldev.Named, error) {
	var all []nldev.Named
	err := c.ask(numbers, p.Device, func(nl RDMANetlink, d nldev.Device) (err error) {
		all, err = nl.Statistics(ctx, d.Index, p.Port)
		return err
	})
	if err == nil && len(all) > 0 {
		return all, nil
	}
	names, err := c.opts.Files.RDMACounters(p, "hw_counters")
	errs := []error{err}
	for _, name := range names {
		if name == "lifespan" {
			continue
		}
		value, err := c.file(p, "hw_counters", name)
		if err == nil {
			all = append(all, nldev.Named{Name: name, Value: value})
		}
		errs = append(errs, err)
	}
	return all, unlessUnsupported(errs...)
}

// readOptional says which counters an operator could switch on. A driver without
// any has as many errors for that as there are drivers.
func (c *RDMA) readOptional(ctx context.Context, numbers numbered, p sysfs.RDMAPort, r *reading) error {
	var optional []nldev.Optional
	err := c.ask(numbers, p.Device, func(nl RDMANetlink, d nldev.Device) (err error) {
		optional, err = nl.OptionalCounters(ctx, d.Index, p.Port)
		return err
	})
	for _, o := range optional {
		r.add(rdmaOptionalRow, oneIf(o.Enabled), p.Device, number(&p.Port), o.Name)
	}
	if outcome.Of(err) == outcome.Broken && !errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}
