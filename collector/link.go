package collector

import (
	"context"
	"time"

	"github.com/dpu-exporter/dpu-exporter/internal/ethtool"
	"github.com/dpu-exporter/dpu-exporter/inventory"
	"github.com/dpu-exporter/dpu-exporter/metric"
)

const (
	sourceSettings = "link_settings"

	// settingsEvery is how often settings are read that an operator changes by hand.
	settingsEvery = time.Minute
)

// SettingsReader reads how a device is set up; *ethtool.Conn is one.
type SettingsReader interface {
	Features(ctx context.Context, index int) (ethtool.Features, error)
	Rings(ctx context.Context, index int) (ethtool.Rings, error)
	Channels(ctx context.Context, index int) (ethtool.Channels, error)
	Coalesce(ctx context.Context, index int) (ethtool.Coalesce, error)
	Timestamping(ctx context.Context, index int) (ethtool.Timestamping, error)
}

// LinkOptions are the reader and choices of the link collector.
type LinkOptions struct {
	Settings      SettingsReader
	SettingsError error // why there is none
	AllOfOthers   bool  // VFs and subfunctions export what ports do
}

// Link exports how devices are set up: the features that decide who does the
// work, rings, channels, interrupt coalescing and time stamps.
type Link struct {
	opts     LinkOptions
	readings deviceReadings
}

// NewLink returns the collector.
func NewLink(opts LinkOptions) *Link {
	return &Link{opts: opts, readings: readingsOf(sourceSettings)}
}

// Name is "link".
func (c *Link) Name() string { return "link" }

// Help describes the collector in a line.
func (c *Link) Help() string {
	return "How devices are set up: offload features, rings, channels, interrupt coalescing, time stamps."
}

// Rows are the rows of link_rows.go.
func (c *Link) Rows() []*metric.Row { return linkRows }

// Samples is the one reading.
func (c *Link) Samples() []Sample {
	return []Sample{{Source: sourceSettings, Every: settingsEvery, OnChange: true, Read: c.sample}}
}

// Collect emits the newest reading.
func (c *Link) Collect(_ context.Context, inv *inventory.Snapshot, emit *Emit) error {
	c.readings.emit(inv, emit)
	return nil
}

func (c *Link) sample(ctx context.Context, inv *inventory.Snapshot) error {
	return c.readings.sample(ctx, inv, c.opts.SettingsError, c.wanted, c.read)
}

// wanted are the ports, and representors for the one setting that decides
// whether the hardware carries their traffic.
func (c *Link) wanted(d *inventory.Device) bool {
	return isPort(d) || isRepresentor(d) || c.isFunction(d)
}

func (c *Link) isFunction(d *inventory.Device) bool {
	return c.opts.AllOfOthers && (d.Role == inventory.VF || d.Role == inventory.SF)
}

func isRepresentor(d *inventory.Device) bool {
	switch d.Role {
	case inventory.PFRepresentor, inventory.VFRepresentor, inventory.SFRepresentor:
		return true
	}
	return false
}

// read reads one device. What its driver does not support is left out.
func (c *Link) read(ctx context.Context, d *inventory.Device, r *reading) error {
	if isRepresentor(d) {
		return c.readFeatures(ctx, d, r, offloadFeature)
	}
	errs := []error{c.readFeatures(ctx, d, r, exportedFeatures...)}
	for _, part := range []func(context.Context, *inventory.Device, *reading) error{
		c.readRings, c.readChannels, c.readCoalesce, c.readTimestamping,
	} {
		errs = append(errs, part(ctx, d, r))
	}
	return unlessUnsupported(errs...)
}

func (c *Link) readFeatures(ctx context.Context, d *inventory.Device, r *reading, names ...string) error {
	features, err := c.opts.Settings.Features(ctx, d.Index)
	for _, name := range names {
		addFeature(r, d, features, name)
	}
	return err
}

func addFeature(r *reading, d *inventory.Device, features ethtool.Features, name string) {
	if on, has := features[name]; has {
		r.add(featureRow, oneIf(on), d.Name, name)
	}
}

func (c *Link) readRings(ctx context.Context, d *inventory.Device, r *reading) error {
	v, err := c.opts.Settings.Rings(ctx, d.Index)
	for _, ring := range []struct {
		name     string
		now, max *uint32
	}{
		{"receive", v.Rx, v.RxMax}, {"transmit", v.Tx, v.TxMax},
		{"receive_mini", v.RxMini, v.RxMiniMax}, {"receive_jumbo", v.RxJumbo, v.RxJumboMax},
	} {
		addOfMax(r, ringRow, ringMaxRow, ring.now, ring.max, d.Name, ring.name)
	}
	return err
}

func (c *Link) readChannels(ctx context.Context, d *inventory.Device, r *reading) error {
	v, err := c.opts.Settings.Channels(ctx, d.Index)
	for _, kind := range []struct {
		name     string
		now, max *uint32
	}{
		{"combined", v.Combined, v.CombinedMax}, {"receive", v.Rx, v.RxMax},
		{"transmit", v.Tx, v.TxMax}, {"other", v.Other, v.OtherMax},
	} {
		addOfMax(r, channelsRow, channelsMaxRow, kind.now, kind.max, d.Name, kind.name)
	}
	return err
}

// addOfMax adds a number and the most it can be, unless the device cannot have
// any.
func addOfMax(r *reading, row, maxRow *metric.Row, now, most *uint32, labels ...string) {
	if most != nil && *most == 0 {
		return
	}
	addKnown(r, row, now, 1, labels...)
	addKnown(r, maxRow, most, 1, labels...)
}

func (c *Link) readCoalesce(ctx context.Context, d *inventory.Device, r *reading) error {
	v, err := c.opts.Settings.Coalesce(ctx, d.Index)
	addKnown(r, coalesceDelayRow, v.RxMicroseconds, 1e-6, d.Name, "receive")
	addKnown(r, coalesceDelayRow, v.TxMicroseconds, 1e-6, d.Name, "transmit")
	addKnown(r, coalescePacketsRow, v.RxFrames, 1, d.Name, "receive")
	addKnown(r, coalescePacketsRow, v.TxFrames, 1, d.Name, "transmit")
	if v.RxAdaptive != nil {
		r.add(coalesceAdaptiveRow, oneIf(*v.RxAdaptive), d.Name, "receive")
	}
	if v.TxAdaptive != nil {
		r.add(coalesceAdaptiveRow, oneIf(*v.TxAdaptive), d.Name, "transmit")
	}
	return err
}

func (c *Link) readTimestamping(ctx context.Context, d *inventory.Device, r *reading) error {
	v, err := c.opts.Settings.Timestamping(ctx, d.Index)
	if err != nil {
		return err
	}
	receive := "none"
	switch {
	case v.Receive && v.ReceiveEveryPacket:
		receive = "all"
	case v.Receive:
		receive = "some"
	}
	r.add(timestampingRow, 1, d.Name, number(v.Clock), transmitStamps(v), receive)
	return nil
}

func transmitStamps(v ethtool.Timestamping) string {
	switch {
	case v.Transmit:
		return "hardware"
	case v.SoftwareTransmit:
		return "software"
	}
	return "none"
}
