package collector

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/dpu-exporter/dpu-exporter/internal/ethtool"
	"github.com/dpu-exporter/dpu-exporter/internal/outcome"
	"github.com/dpu-exporter/dpu-exporter/inventory"
)

// linkModesEvery is how often speed and duplex are read when nothing tells of a
// change; link changes cause a reading of their own.
const linkModesEvery = 30 * time.Second

// linkModes is one reading of all devices.
type linkModes struct {
	byKey   map[inventory.Key]ethtool.LinkMode
	missing int     // devices that a dump left out because they have no link settings
	failed  []error // one for each device that could not be read
}

// sampleLinkModes reads speed and duplex of all devices. When that fails as a
// whole, what was read before is not served as if it still held.
func (c *Interface) sampleLinkModes(ctx context.Context, inv *inventory.Snapshot) error {
	next, err := c.readLinkModes(ctx, inv)
	if err != nil {
		next = &linkModes{failed: slices.Repeat([]error{err}, len(inv.Devices))}
	}
	c.modes.Store(next)
	return err
}

// readLinkModes reads all devices in one dump. It asks them one by one under a
// filter, and when a driver that fails has ended the kernel's dump.
func (c *Interface) readLinkModes(ctx context.Context, inv *inventory.Snapshot) (*linkModes, error) {
	if c.opts.LinkModesError != nil {
		return nil, c.opts.LinkModesError
	}
	if inv.Filtered {
		return c.linkModesOf(ctx, inv)
	}
	all := &linkModes{byKey: make(map[inventory.Key]ethtool.LinkMode, len(inv.Devices))}
	err := c.opts.LinkModes.LinkModes(ctx, func(m ethtool.LinkMode) {
		if d := inv.ByIndex(m.Index); d != nil {
			all.byKey[d.Key] = m
		}
	})
	if outcome.Of(err) == outcome.Broken {
		return c.linkModesOf(ctx, inv)
	}
	all.missing = len(inv.Devices) - len(all.byKey)
	return all, err
}

func (c *Interface) linkModesOf(ctx context.Context, inv *inventory.Snapshot) (*linkModes, error) {
	all := &linkModes{byKey: make(map[inventory.Key]ethtool.LinkMode, len(inv.Devices))}
	for _, d := range inv.Devices {
		m, err := c.opts.LinkModes.LinkModesOf(ctx, d.Index)
		if err != nil {
			all.failed = append(all.failed, fmt.Errorf("%s: %w", d.Name, err))
			continue
		}
		all.byKey[d.Key] = m
	}
	return all, ctx.Err()
}

func (c *Interface) emitLinkModes() {
	modes := c.modes.Load()
	if modes == nil {
		return
	}
	for _, d := range c.inv.Devices {
		m, ok := modes.byKey[d.Key]
		if !ok {
			continue
		}
		c.emit.Device(sourceLinkModes, nil)
		if m.Speed != nil {
			c.emit.Add(speedRow, ethtool.SpeedBytesPerSecond(*m.Speed), d.Name)
		}
		if m.SupportedSpeed != nil {
			c.emit.Add(speedMaxRow, ethtool.SpeedBytesPerSecond(*m.SupportedSpeed), d.Name)
		}
		if m.Lanes != nil {
			c.emit.Add(lanesRow, float64(*m.Lanes), d.Name)
		}
		if m.Autoneg != nil && isPort(d) {
			c.emit.Add(autonegRow, oneIf(*m.Autoneg), d.Name)
		}
		if m.Duplex != ethtool.UnknownDuplex {
			c.emit.Add(fullDuplexRow, oneIf(m.Duplex == ethtool.Full), d.Name)
		}
	}
	c.emit.Devices(sourceLinkModes, outcome.Unsupported, modes.missing)
	for _, err := range modes.failed {
		c.emit.Device(sourceLinkModes, err)
	}
}
