package collector

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/dpu-exporter/dpu-exporter/internal/module"
	"github.com/dpu-exporter/dpu-exporter/internal/outcome"
	"github.com/dpu-exporter/dpu-exporter/inventory"
	"github.com/dpu-exporter/dpu-exporter/metric"
)

const (
	sourceModule = "module_memory"

	// moduleEvery is how often modules are read: their bus is slow, and some
	// drivers hold up others meanwhile.
	moduleEvery = time.Minute
	// modulePatience is how long reading one may take before it is left alone for
	// moduleRest: a module that hangs its bus would hold up the driver each time.
	modulePatience = 2 * time.Second
	moduleRest     = 15 * time.Minute
)

// ModuleReader reads the memory of a port's module; *ethtool.Conn is one.
type ModuleReader interface {
	ModulePage(ctx context.Context, index int, address, page uint8, offset, length uint32) ([]byte, error)
}

// ModuleOptions are the reader of the module collector and the clock.
type ModuleOptions struct {
	Modules      ModuleReader
	ModulesError error            // why there is none
	Now          func() time.Time // nil: time.Now
}

// Module exports what pluggable modules measure.
type Module struct {
	opts     ModuleOptions
	readings deviceReadings
	resting  map[inventory.Key]rest // of the sampling goroutine alone
}

// rest is why and until when a module is left alone.
type rest struct {
	until time.Time
	err   error
}

// NewModule returns the collector.
func NewModule(opts ModuleOptions) *Module {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return &Module{opts: opts, readings: readingsOf(sourceModule), resting: map[inventory.Key]rest{}}
}

// Name is "module".
func (c *Module) Name() string { return "module" }

// Help describes the collector in a line.
func (c *Module) Help() string {
	return "Temperature, power, bias and alarms of pluggable modules; read once a minute, one at a time."
}

// Rows are the rows of module_rows.go.
func (c *Module) Rows() []*metric.Row { return moduleRows }

// Samples is the one reading.
func (c *Module) Samples() []Sample {
	return []Sample{{Source: sourceModule, Every: moduleEvery, Read: c.sample}}
}

// Collect emits the newest reading.
func (c *Module) Collect(_ context.Context, inv *inventory.Snapshot, emit *Emit) error {
	c.readings.emit(inv, emit)
	return nil
}

func (c *Module) sample(ctx context.Context, inv *inventory.Snapshot) error {
	for key := range c.resting {
		if d := inv.ByIndex(key.Index); d == nil || d.Key != key {
			delete(c.resting, key)
		}
	}
	return c.readings.sample(ctx, inv, c.opts.ModulesError, isPort, c.read)
}

// read reads the module of one port, unless it rests.
func (c *Module) read(ctx context.Context, d *inventory.Device, r *reading) error {
	began := c.opts.Now()
	if left, rests := c.resting[d.Key]; rests && began.Before(left.until) {
		return left.err
	}
	delete(c.resting, d.Key)
	m, err := module.Read(func(address, page uint8, offset, length uint32) ([]byte, error) {
		if c.opts.Now().Sub(began) > modulePatience {
			return nil, errors.New("the pages before took too long")
		}
		return c.opts.Modules.ModulePage(ctx, d.Index, address, page, offset, length)
	})
	addModule(r, d.Name, m)
	if took := c.opts.Now().Sub(began); took > modulePatience {
		err = errors.Join(fmt.Errorf("the module took %s and is left alone for %s", took.Round(time.Millisecond), moduleRest), err)
		c.resting[d.Key] = rest{until: began.Add(moduleRest), err: err}
	}
	if m.Type == "" && outcome.Of(err) == outcome.Broken && d.Carrier != nil && !*d.Carrier {
		return errNoModule
	}
	return err
}

// errNoModule is the state of a port without a link whose module does not
// answer: drivers have many errors for an empty cage.
var errNoModule = errUnsupported("no module answers and there is no link")

func addModule(r *reading, device string, m module.Module) {
	if m.Type == "" {
		return
	}
	r.add(moduleInfoRow, 1, device, m.Type, m.Vendor, m.PartNumber, m.Revision, m.Serial)
	for _, monitor := range m.Monitors {
		rows := &monitorRows[monitor.Quantity]
		for i, value := range monitor.Values {
			r.add(rows.value, value, laneLabels(device, monitor.Quantity, i)...)
		}
		if l := monitor.Limits; l != nil {
			for _, limit := range []struct {
				level string
				value float64
			}{{"high_alarm", l.HighAlarm}, {"low_alarm", l.LowAlarm}, {"high_warning", l.HighWarning}, {"low_warning", l.LowWarning}} {
				r.add(rows.limit, limit.value, device, limit.level)
			}
		}
		addFlags(r, device, monitor)
	}
}

// laneLabels are the labels of a value: the lane where it is one's, from 1 as
// the standards count.
func laneLabels(device string, q module.Quantity, i int) []string {
	if !q.OfLane() {
		return []string{device}
	}
	return []string{device, strconv.Itoa(i + 1)}
}

// addFlags adds a series for each level, 1 where any lane passed it.
func addFlags(r *reading, device string, monitor module.Monitor) {
	if monitor.Flags == nil {
		return
	}
	var any module.Flags
	for _, f := range monitor.Flags {
		any.HighAlarm = any.HighAlarm || f.HighAlarm
		any.LowAlarm = any.LowAlarm || f.LowAlarm
		any.HighWarning = any.HighWarning || f.HighWarning
		any.LowWarning = any.LowWarning || f.LowWarning
	}
	for _, level := range []struct {
		name string
		on   bool
	}{{"high_alarm", any.HighAlarm}, {"low_alarm", any.LowAlarm}, {"high_warning", any.HighWarning}, {"low_warning", any.LowWarning}} {
		r.add(moduleAlarmRow, oneIf(level.on), device, monitor.Quantity.String(), level.name)
	}
}
