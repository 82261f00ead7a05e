package collector

import (
	"context"
	"errors"
	"regexp"
	"sync"
	"time"

	"github.com/dpu-exporter/dpu-exporter/collector/driver"
	"github.com/dpu-exporter/dpu-exporter/internal/ethtool"
	"github.com/dpu-exporter/dpu-exporter/inventory"
	"github.com/dpu-exporter/dpu-exporter/metric"
)

const (
	sourceDriver = "driver_statistics"

	// driverEvery bounds the age of driver statistics. They are not read in a
	// scrape: a driver may ask its firmware for milliseconds.
	driverEvery = 10 * time.Second
	// describeEvery is how often strings are read again although their number
	// stayed: a driver may exchange one for another.
	describeEvery = 10 * time.Minute
)

// StatisticsReader reads the drivers' own statistics; *ethtool.Statistics is
// one. It is used by one goroutine at a time.
type StatisticsReader interface {
	Describe(device string) (ethtool.Description, error)
	Read(device string, count int) ([]uint64, error)
}

// EthtoolOptions are the readers and choices of the ethtool collector.
type EthtoolOptions struct {
	Statistics      StatisticsReader
	StatisticsError error // why there is none

	Standard      StandardReader
	StandardError error // why there is none

	PerQueue    bool           // rows by queue as well
	Raw         *regexp.Regexp // strings to export that no table knows; nil for none
	AllOfOthers bool           // representors export every row that they have, too
}

// Ethtool exports the drivers' statistics and ethtool's standard ones, under
// the same rows whatever the driver calls them.
type Ethtool struct {
	opts   EthtoolOptions
	rows   []*metric.Row
	places map[*metric.Row]int

	mu       sync.Mutex // held for moments only, never while the kernel is asked
	readings map[inventory.Key]*ethtoolReading

	families []*metric.Family // beside rows, of the collection that is running
}

// ethtoolReading is what is known of one device.
type ethtoolReading struct {
	// Of the sampling goroutine alone.
	name      string
	driver    string
	count     int // of statistics
	described time.Time

	// Guarded by Ethtool.mu.
	plan     *driver.Plan
	places   []int  // beside plan.Slots
	hasPlace []bool // beside Ethtool.rows: those in places
	sums     []uint64
	asked    bool
	err      error
	standard standardReading
}

// NewEthtool returns the collector.
func NewEthtool(opts EthtoolOptions) *Ethtool {
	c := &Ethtool{opts: opts, rows: append(driver.Rows(), driver.UnmappedRow, driver.RawRow, pauseInfoRow, fecInfoRow, linkDownReasonRow), places: map[*metric.Row]int{}}
	for i, r := range c.rows {
		c.places[r] = i
	}
	c.readings = map[inventory.Key]*ethtoolReading{}
	c.families = make([]*metric.Family, len(c.rows))
	return c
}

// Name is "ethtool".
func (c *Ethtool) Name() string { return "ethtool" }

// Help describes the collector in a line.
func (c *Ethtool) Help() string {
	return "Statistics of the drivers and of ethtool's standard groups: rings, virtual ports, physical ports."
}

// Rows are the rows of package driver.
func (c *Ethtool) Rows() []*metric.Row { return c.rows }

// Samples are the two readings that may ask the device's firmware.
func (c *Ethtool) Samples() []Sample {
	return []Sample{
		{Source: sourceDriver, Every: driverEvery, OnChange: true, Read: c.sampleDriver},
		{Source: sourceStandard, Every: driverEvery, OnChange: true, Read: c.sampleStandard},
	}
}

// sampleDriver reads the statistics of every device. One that fails does not
// keep the others from being read.
func (c *Ethtool) sampleDriver(ctx context.Context, inv *inventory.Snapshot) error {
	c.forget(inv)
	if c.opts.StatisticsError != nil {
		return c.opts.StatisticsError
	}
	for _, d := range inv.Devices {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		r := c.reading(d)
		values, err := c.read(r, d)
		c.mu.Lock()
		r.asked, r.err = true, err
		if err == nil && r.plan != nil {
			r.plan.Sum(values, r.sums)
		}
		c.mu.Unlock()
	}
	return nil
}

// forget drops the readings of devices that are gone.
func (c *Ethtool) forget(inv *inventory.Snapshot) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key := range c.readings {
		if d := inv.ByIndex(key.Index); d == nil || d.Key != key {
			delete(c.readings, key)
		}
	}
}

// reading returns the reading of a device, a new one when it is new or has
// another name: the name is in its labels.
func (c *Ethtool) reading(d *inventory.Device) *ethtoolReading {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.readings[d.Key]
	if r == nil || r.name != d.Name {
		r = &ethtoolReading{name: d.Name}
		c.readings[d.Key] = r
	}
	return r
}

// read returns a device's values, none when it has no statistics.
func (c *Ethtool) read(r *ethtoolReading, d *inventory.Device) ([]uint64, error) {
	if time.Since(r.described) >= describeEvery {
		if err := c.describe(r, d); err != nil {
			return nil, err
		}
	}
	if r.count == 0 {
		return nil, errNoStatistics
	}
	values, err := c.opts.Statistics.Read(d.Name, r.count)
	if !errors.Is(err, ethtool.ErrCountChanged) {
		return values, err
	}
	if err := c.describe(r, d); err != nil {
		return nil, err
	}
	if r.count == 0 {
		return nil, errNoStatistics
	}
	return c.opts.Statistics.Read(d.Name, r.count)
}

// errNoStatistics is the state of a device whose driver has none.
var errNoStatistics = errUnsupported("no driver statistics")

// ofVF is the place of what the collector of virtual functions exports.
const ofVF = -1

// VFDrops visits what the device's driver counts as dropped of each virtual
// function: the row, the function's number and the newest reading.
func (c *Ethtool) VFDrops(device inventory.Key, visit func(row *metric.Row, vf string, dropped float64)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.readings[device]
	if r == nil || r.err != nil || r.plan == nil {
		return
	}
	for i, s := range r.plan.Slots {
		if r.places[i] == ofVF {
			visit(s.Row, s.Labels[1], float64(r.sums[i]))
		}
	}
}

// describe reads a device's strings and plans what to do with the values.
func (c *Ethtool) describe(r *ethtoolReading, d *inventory.Device) error {
	described, err := c.opts.Statistics.Describe(d.Name)
	if err != nil {
		return err
	}
	plan := driver.NewPlan(driver.TableOf(described.Driver), d.Name, described.Names, driver.Options{
		PerQueue: c.opts.PerQueue, Raw: c.opts.Raw, Wanted: c.wantedOf(d.Role),
	})
	places, hasPlace := make([]int, len(plan.Slots)), make([]bool, len(c.rows))
	for i, s := range plan.Slots {
		place, ok := c.places[s.Row]
		if !ok {
			places[i] = ofVF
			continue
		}
		places[i], hasPlace[place] = place, true
	}
	r.driver, r.count, r.described = described.Driver, len(described.Names), time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	r.plan, r.places, r.hasPlace, r.sums = plan, places, hasPlace, make([]uint64, len(plan.Slots))
	return nil
}

// wantedOf says which rows a device of that role exports, nil for all. The
// counters of a port belong to the function that owns it: a VF that repeats
// them would have them counted twice. Of a representor the interface collector
// exports the traffic, total and slow path.
func (c *Ethtool) wantedOf(role inventory.Role) func(*metric.Row) bool {
	switch role {
	case inventory.VF, inventory.SF:
		return func(r *metric.Row) bool { return !driver.OfPort(r) }
	case inventory.PFRepresentor, inventory.VFRepresentor, inventory.SFRepresentor:
		if !c.opts.AllOfOthers {
			return driver.OnlyOfRepresentors
		}
	}
	return nil
}

// Collect emits the newest readings.
func (c *Ethtool) Collect(_ context.Context, inv *inventory.Snapshot, emit *Emit) error {
	for i, r := range c.rows {
		c.families[i] = emit.Family(r)
	}
	unmapped := c.families[c.places[driver.UnmappedRow]]
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, d := range inv.Devices {
		r := c.readings[d.Key]
		if r == nil {
			continue
		}
		if r.asked {
			emit.Device(sourceDriver, r.err)
		}
		if r.asked && r.err == nil {
			c.emitDriver(r)
			unmapped.Add(float64(r.plan.Unmapped), d.Name)
		}
		c.emitStandard(r, emit)
	}
	return nil
}

// emitDriver emits what the standard statistics did not say.
func (c *Ethtool) emitDriver(r *ethtoolReading) {
	for i := range r.plan.Slots {
		place := r.places[i]
		if place == ofVF || r.standard.has(place) {
			continue
		}
		s := &r.plan.Slots[i]
		c.families[place].Add(float64(r.sums[i])*s.Factor, s.Labels...)
	}
}
