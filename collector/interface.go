package collector

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/dpu-exporter/dpu-exporter/internal/ethtool"
	"github.com/dpu-exporter/dpu-exporter/internal/outcome"
	"github.com/dpu-exporter/dpu-exporter/internal/rtnl"
	"github.com/dpu-exporter/dpu-exporter/inventory"
	"github.com/dpu-exporter/dpu-exporter/metric"
)

// Fields says which fields of rtnl_link_stats64 a device exports.
type Fields string

// The choices of --interface.fields.
const (
	AutoFields Fields = "auto" // all of uplinks and PFs, the eight main ones of the rest
	MainFields Fields = "main" // the eight main ones
	AllFields  Fields = "all"
)

// The sources of the interface collector, as label values.
const (
	sourceStats     = "rtnl_stats"
	sourceLinkModes = "ethtool_link_modes"
	sourceRefresh   = "rtnl_stats_refresh"
)

// StatsReader reads interface counters; *rtnl.Conn is one.
type StatsReader interface {
	Stats(ctx context.Context, visit func(*rtnl.Stats)) error
	StatsOf(ctx context.Context, indexes []int, visit func(*rtnl.Stats), failed func(int, error)) error
}

// LinkModeReader reads speed and duplex; *ethtool.Conn is one.
type LinkModeReader interface {
	LinkModes(ctx context.Context, visit func(ethtool.LinkMode)) error
	LinkModesOf(ctx context.Context, index int) (ethtool.LinkMode, error)
}

// InterfaceOptions are the readers and choices of the interface collector. The
// readers are used by one goroutine each.
type InterfaceOptions struct {
	Fields    Fields
	Stats     StatsReader    // read by every scrape
	Refresh   StatsReader    // read on a clock, for drivers that answer from their previous read
	LinkModes LinkModeReader // speed and duplex

	// Why there is no Stats and Refresh, and no LinkModes; nil when there is.
	StatsError, LinkModesError error
}

// Interface exports the counters and the state of every network device.
type Interface struct {
	opts  InterfaceOptions
	modes atomic.Pointer[linkModes]

	// The state of the collection that is running.
	inv    *inventory.Snapshot
	emit   *Emit
	stats  []*metric.Family // beside statsRows
	slow   []*metric.Family // beside slowPathRows
	read   []int            // indexes of the devices whose counters were read
	visit  func(*rtnl.Stats)
	failed func(int, error)
	wanted []int

	firstFailure error // of a device that did not just vanish

	// The labels of infoRow beside labelled.Devices, made once a snapshot.
	labelled *inventory.Snapshot
	labels   [][]string
}

// NewInterface returns the collector.
func NewInterface(opts InterfaceOptions) *Interface {
	c := &Interface{
		opts:  opts,
		stats: make([]*metric.Family, len(statsRows)),
		slow:  make([]*metric.Family, len(slowPathRows)),
	}
	c.visit = c.emitStats
	c.failed = c.noteFailure
	return c
}

// Name is "interface".
func (c *Interface) Name() string { return "interface" }

// Help describes the collector in a line.
func (c *Interface) Help() string {
	return "Counters and state of every network device, and the slow-path share of representors."
}

// Rows are the dpu_interface_* and dpu_offload_slow_path_* rows.
func (c *Interface) Rows() []*metric.Row { return interfaceRows() }

// Collect reads the counters in one dump and emits them with the state that the
// inventory holds.
func (c *Interface) Collect(ctx context.Context, inv *inventory.Snapshot, emit *Emit) error {
	c.begin(inv, emit)
	for i, d := range inv.Devices {
		c.emit.Add(infoRow, 1, c.labels[i]...)
		c.emitState(d)
	}
	c.emitLinkModes()
	err := c.readStats(ctx)
	if len(c.read) == 0 && cmp.Or(err, c.firstFailure) != nil {
		return fmt.Errorf("read interface counters: %w", cmp.Or(err, c.firstFailure))
	}
	if err != nil {
		emit.Device(sourceStats, err)
	}
	return nil
}

// noteFailure counts a device whose counters could not be read.
func (c *Interface) noteFailure(index int, err error) {
	err = fmt.Errorf("%s: %w", nameOf(c.inv, index), err)
	c.emit.Device(sourceStats, err)
	if c.firstFailure == nil && outcome.Of(err) != outcome.Vanished {
		c.firstFailure = err
	}
}

func (c *Interface) begin(inv *inventory.Snapshot, emit *Emit) {
	c.inv, c.emit, c.read, c.firstFailure = inv, emit, c.read[:0], nil
	for i := range statsRows {
		c.stats[i] = emit.Family(statsRows[i].row)
	}
	for i := range slowPathRows {
		c.slow[i] = emit.Family(slowPathRows[i].row)
	}
	if c.labelled != inv {
		c.label(inv)
	}
}

// label makes the label values of infoRow for every device.
func (c *Interface) label(inv *inventory.Snapshot) {
	c.labelled, c.labels = inv, c.labels[:0]
	for _, d := range inv.Devices {
		c.labels = append(c.labels, []string{
			d.Name, string(d.Role), d.Kind, d.Driver, d.PCI, d.DevlinkPort, d.SwitchID, d.PortName,
			number(d.Controller), number(d.PF), number(d.VF), number(d.SF), d.RDMADevice,
		})
	}
}

// readStats reads all devices in one dump, as far as that gets, or, under a filter, those of the
// inventory one by one: an excluded device is never read, not even one that came
// a moment ago.
func (c *Interface) readStats(ctx context.Context) error {
	if c.opts.StatsError != nil {
		return c.opts.StatsError
	}
	if !c.inv.Filtered {
		err := c.opts.Stats.Stats(ctx, c.visit)
		if err == nil {
			c.emit.Devices(sourceStats, outcome.Vanished, len(c.inv.Devices)-len(c.read))
		}
		if len(c.read) == 0 || !rtnl.Ended(err) {
			return err
		}
	}
	return c.readRest(ctx)
}

// readRest reads the devices that were not read yet one by one: all of them, or
// those from where a driver's failure ended the dump.
func (c *Interface) readRest(ctx context.Context) error {
	slices.Sort(c.read)
	read := c.read
	c.wanted = indexes(c.wanted[:0], c.inv, func(d *inventory.Device) bool {
		_, found := slices.BinarySearch(read, d.Index)
		return !found
	})
	return c.opts.Stats.StatsOf(ctx, c.wanted, c.visit, c.failed)
}

// nameOf is the name of a device, or its index when it is not there any more.
func nameOf(inv *inventory.Snapshot, index int) string {
	if d := inv.ByIndex(index); d != nil {
		return d.Name
	}
	return fmt.Sprintf("interface %d", index)
}

// indexes appends the interface indexes of the devices that match.
func indexes(to []int, inv *inventory.Snapshot, match func(*inventory.Device) bool) []int {
	for _, d := range inv.Devices {
		if match(d) {
			to = append(to, d.Index)
		}
	}
	return to
}

func (c *Interface) emitStats(s *rtnl.Stats) {
	d := c.inv.ByIndex(s.Index)
	if d == nil {
		return // came after the snapshot, or is excluded
	}
	c.read = append(c.read, d.Index)
	c.emit.Device(sourceStats, nil)
	emitCounters(c.stats, c.rowsOf(d), s.Link, d.Name)
	emitCounters(c.slow, slowPathRows, s.SlowPath, d.Name)
}

// emitCounters adds to families, which stand beside rows, the fields that the
// kernel knows; nil is a device without such counters.
func emitCounters(families []*metric.Family, rows []fieldRow, counters *rtnl.Counters, device string) {
	if counters == nil {
		return
	}
	for i, r := range rows {
		if int(r.field) < counters.N {
			families[i].Add(float64(counters.Value[r.field]), device)
		}
	}
}

// rowsOf are the counters that a device exports.
func (c *Interface) rowsOf(d *inventory.Device) []fieldRow {
	switch {
	case c.opts.Fields == AllFields,
		c.opts.Fields == AutoFields && (d.Role == inventory.Uplink || d.Role == inventory.PF):
		return statsRows
	}
	return statsRows[:mainFields]
}

func (c *Interface) emitState(d *inventory.Device) {
	e := c.emit
	e.Add(configInfoRow, 1, d.Name, d.Master, d.Lower, d.Address, d.Alias)
	e.Add(upRow, oneIf(d.Up), d.Name)
	if d.Carrier != nil && d.Up {
		e.Add(carrierRow, oneIf(*d.Carrier), d.Name)
	}
	if d.OperState != "" {
		e.Add(operStateRow, 1, d.Name, d.OperState)
	}
	addNumber(e, carrierChangesRow, d.CarrierChanges, d.Name)
	addNumber(e, carrierUpsRow, d.CarrierUps, d.Name)
	addNumber(e, carrierDownsRow, d.CarrierDowns, d.Name)
	e.Add(mtuRow, float64(d.MTU), d.Name)
}

func addNumber(e *Emit, row *metric.Row, n *uint32, device string) {
	if n != nil {
		e.Add(row, float64(*n), device)
	}
}

// number is the label value of a number that may not apply.
func number(n *uint32) string {
	if n == nil {
		return ""
	}
	return strconv.FormatUint(uint64(*n), 10)
}

func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Samples are the readings that stay out of the scrape: link modes, for which
// a driver may ask its firmware, and the refreshing of cached counters.
func (c *Interface) Samples() []Sample {
	return []Sample{
		{Source: sourceLinkModes, Every: linkModesEvery, OnChange: true, Read: c.sampleLinkModes},
		{Source: sourceRefresh, Every: refreshEvery, Read: c.refresh},
	}
}
