package collector

import (
	"context"
	"fmt"
	"strconv"

	"github.com/dpu-exporter/dpu-exporter/collector/driver"
	"github.com/dpu-exporter/dpu-exporter/internal/ethtool"
	"github.com/dpu-exporter/dpu-exporter/inventory"
	"github.com/dpu-exporter/dpu-exporter/metric"
)

const sourceStandard = "standard_statistics"

// StandardReader reads what ethtool netlink has under the same name for all
// drivers; *ethtool.Conn is one.
type StandardReader interface {
	Groups(ctx context.Context, index int) (ethtool.Groups, error)
	Pause(ctx context.Context, index int) (ethtool.Pause, error)
	FEC(ctx context.Context, index int) (ethtool.FEC, error)
	LinkState(ctx context.Context, index int) (ethtool.LinkState, error)
}

// standardReading is what a port's standard statistics were when they were last
// read.
type standardReading struct {
	asked  bool
	err    error
	values []standardValue
	given  []bool // beside Ethtool.rows: the rows without a second label that values has
}

// standardValue is one series.
type standardValue struct {
	place  int // in Ethtool.rows
	value  float64
	labels []string
}

// has says whether the row at that place need not be taken from the driver's
// own statistics.
func (s *standardReading) has(place int) bool { return s.given != nil && s.given[place] }

// isPort says whether a device stands for a physical port.
func isPort(d *inventory.Device) bool {
	switch d.Role {
	case inventory.Uplink, inventory.PF, inventory.Other:
		return d.Kind == ""
	}
	return false
}

// sampleStandard reads the standard statistics of every port.
func (c *Ethtool) sampleStandard(ctx context.Context, inv *inventory.Snapshot) error {
	c.forget(inv)
	read := 0
	for _, d := range inv.Devices {
		if !isPort(d) {
			continue
		}
		if c.opts.StandardError != nil {
			return c.opts.StandardError
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		read++
		next := c.readStandard(ctx, d)
		r := c.reading(d)
		c.mu.Lock()
		r.standard = next
		c.mu.Unlock()
	}
	if read == 0 {
		return errNothingToRead
	}
	return nil
}

// readStandard asks for each kind of statistics. What a driver does not support
// is no failure while it has another.
func (c *Ethtool) readStandard(ctx context.Context, d *inventory.Device) standardReading {
	var answers standardAnswers
	var errs [4]error
	answers.groups, errs[0] = c.opts.Standard.Groups(ctx, d.Index)
	answers.pause, errs[1] = c.opts.Standard.Pause(ctx, d.Index)
	answers.fec, errs[2] = c.opts.Standard.FEC(ctx, d.Index)
	answers.link, errs[3] = c.opts.Standard.LinkState(ctx, d.Index)
	next := standardReading{asked: true, given: make([]bool, len(c.rows))}
	answers.visit(func(row *metric.Row, value float64, label ...string) {
		place := c.places[row]
		next.given[place] = len(row.Labels) == 1
		next.values = append(next.values, standardValue{place, value, append([]string{d.Name}, label...)})
	})
	next.err = unlessUnsupported(errs[:]...)
	if next.err == nil && len(next.values) == 0 {
		next.err = errNoStatistics
	}
	if next.err != nil {
		next.err = fmt.Errorf("%s: %w", d.Name, next.err)
	}
	return next
}

// standardAnswers are the answers of one port.
type standardAnswers struct {
	groups ethtool.Groups
	pause  ethtool.Pause
	fec    ethtool.FEC
	link   ethtool.LinkState
}

// standardRows are the rows of the statistics by their names.
var standardRows = driver.Standard()

// visit visits everything that was answered.
func (a *standardAnswers) visit(add func(row *metric.Row, value float64, label ...string)) {
	for _, count := range a.groups.Counts {
		if row := standardRows[count.Name]; row != nil {
			add(row, float64(count.Value))
		}
	}
	for _, s := range a.groups.ReceiveSizes {
		add(standardRows["rmon rx-pktsNtoM"], float64(s.Value), sizeLabel(s))
	}
	for _, s := range a.groups.TransmitSizes {
		add(standardRows["rmon tx-pktsNtoM"], float64(s.Value), sizeLabel(s))
	}
	known := func(name string, value *uint64, label ...string) {
		if value != nil {
			add(standardRows[name], float64(*value), label...)
		}
	}
	known("pause rx_pause_frames", a.pause.ReceivedFrames)
	known("pause tx_pause_frames", a.pause.TransmittedFrames)
	known("pause tx_pause_storm_events", a.pause.Storms, "error")
	known("fec corrected_bits", a.fec.CorrectedBits)
	known("fec corrected_blocks", a.fec.CorrectedBlocks)
	known("fec uncorrectable_blocks", a.fec.UncorrectableBlocks)
	for name, lanes := range map[string][]uint64{
		"fec corrected_bits lane":       a.fec.LaneCorrectedBits,
		"fec corrected_blocks lane":     a.fec.LaneCorrectedBlocks,
		"fec uncorrectable_blocks lane": a.fec.LaneUncorrectableBlocks,
	} {
		for lane := range lanes {
			known(name, &lanes[lane], strconv.Itoa(lane))
		}
	}
	if a.link.DownCount != nil {
		add(standardRows["linkstate link_down_events"], float64(*a.link.DownCount))
	}
	a.visitStates(add)
}

// visitStates visits what is no statistic: how flow control and error correction
// are set, and why the link is down.
func (a *standardAnswers) visitStates(add func(row *metric.Row, value float64, label ...string)) {
	if p := a.pause; p.Receive != nil && p.Transmit != nil && p.Autoneg != nil {
		add(pauseInfoRow, 1, onOff(*p.Receive), onOff(*p.Transmit), onOff(*p.Autoneg))
	}
	if a.fec.Active != "" {
		add(fecInfoRow, 1, a.fec.Active)
	}
	if a.link.Reason != "" {
		add(linkDownReasonRow, 1, a.link.Reason, a.link.Detail)
	}
}

// sizeLabel is the label of a range of sizes as the drivers' tables write it.
func sizeLabel(s ethtool.SizeCount) string {
	switch high := strconv.FormatUint(uint64(s.High), 10); {
	case s.High == 0:
		return strconv.FormatUint(uint64(s.Low), 10) + "-max"
	case s.Low == 0:
		return high
	default:
		return strconv.FormatUint(uint64(s.Low), 10) + "-" + high
	}
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// emitStandard emits the newest reading; of rows with a second label only those
// that the driver's own statistics do not have.
func (c *Ethtool) emitStandard(r *ethtoolReading, emit *Emit) {
	if !r.standard.asked {
		return
	}
	emit.Device(sourceStandard, r.standard.err)
	for _, v := range r.standard.values {
		if !r.standard.has(v.place) && r.hasDriver(v.place) {
			continue
		}
		c.families[v.place].Add(v.value, v.labels...)
	}
}

// hasDriver says whether the driver's own statistics have the row at that place.
func (r *ethtoolReading) hasDriver(place int) bool {
	return r.asked && r.err == nil && r.hasPlace[place]
}

// States of a port that come with its standard statistics.
var (
	pauseInfoRow = &metric.Row{
		Name: "dpu_port_pause_info", Kind: metric.Gauge, Labels: []string{"device", "receive", "transmit", "autoneg"}, Proof: metric.Live,
		Help:   "How link-wide flow control (pause) is set, each on or off",
		Source: "ETHTOOL_A_PAUSE_RX, ETHTOOL_A_PAUSE_TX, ETHTOOL_A_PAUSE_AUTONEG",
	}
	fecInfoRow = &metric.Row{
		Name: "dpu_port_fec_info", Kind: metric.Gauge, Labels: []string{"device", "mode"}, Proof: metric.Live,
		Help:   "The forward error correction that the link runs with: off, rs, baser or llrs",
		Source: "ETHTOOL_A_FEC_ACTIVE",
	}
	linkDownReasonRow = &metric.Row{
		Name: "dpu_port_link_down_reason_info", Kind: metric.Gauge, Labels: []string{"device", "reason", "detail"}, Proof: metric.FromSource,
		Help:   "Why the link is down, where the driver tells; absent while it is up",
		Source: "ETHTOOL_A_LINKSTATE_EXT_STATE and _EXT_SUBSTATE, in ethtool(8)'s words",
	}
)
