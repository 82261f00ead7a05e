package collector

import (
	"context"
	"errors"
	"strconv"

	"github.com/dpu-exporter/dpu-exporter/internal/devlink"
	"github.com/dpu-exporter/dpu-exporter/inventory"
)

func (c *Devlink) readInfo(ctx context.Context, h devlink.Handle, _ *inventory.Snapshot, r *reading) error {
	info, err := c.opts.Devices.Info(ctx, h)
	if err != nil {
		return err
	}
	r.add(devlinkInfoRow, 1, h.String(), info.Driver)
	running := map[string]string{}
	for _, v := range info.Versions {
		r.add(devlinkVersionRow, 1, h.String(), v.Type, v.Name, v.Value)
		if v.Type == "running" {
			running[v.Name] = v.Value
		}
	}
	for _, v := range info.Versions {
		if now, runs := running[v.Name]; v.Type == "stored" && runs {
			r.add(devlinkPendingRow, oneIf(now != v.Value), h.String(), v.Name)
		}
	}
	return nil
}

func (c *Devlink) readEswitch(ctx context.Context, h devlink.Handle, _ *inventory.Snapshot, r *reading) error {
	s, err := c.opts.Devices.EswitchSettings(ctx, h)
	if err == nil {
		r.add(devlinkEswitchRow, 1, h.String(), s.Mode.String(), s.Inline, s.Encap)
	}
	return err
}

func (c *Devlink) readHealth(ctx context.Context, h devlink.Handle, _ *inventory.Snapshot, r *reading) error {
	reporters, err := c.opts.Devices.Reporters(ctx, h)
	for _, reporter := range reporters {
		if reporter.Name == vnicReporter {
			continue // it has counters and is never ill
		}
		labels := []string{h.String(), portOf(h, reporter.Port), reporter.Name}
		if reporter.Healthy != nil {
			r.add(devlinkHealthyRow, oneIf(*reporter.Healthy), labels...)
		}
		addCount(r, devlinkErrorsRow, reporter.Errors, labels...)
		addCount(r, devlinkRecoveriesRow, reporter.Recoveries, labels...)
	}
	return err
}

func (c *Devlink) readTraps(ctx context.Context, h devlink.Handle, _ *inventory.Snapshot, r *reading) error {
	traps, err := c.opts.Devices.Traps(ctx, h)
	for _, t := range traps {
		r.add(trapInfoRow, 1, h.String(), t.Name, t.Group, t.Type, t.Action)
		addCount(r, trapRows.packets, t.Packets, h.String(), t.Name)
		addCount(r, trapRows.bytes, t.Bytes, h.String(), t.Name)
		addCount(r, trapRows.dropped, t.Dropped, h.String(), t.Name)
	}
	groups, groupsErr := c.opts.Devices.TrapGroups(ctx, h)
	for _, g := range groups {
		addCount(r, trapGroupRows.packets, g.Packets, h.String(), g.Group)
		addCount(r, trapGroupRows.bytes, g.Bytes, h.String(), g.Group)
		addCount(r, trapGroupRows.dropped, g.Dropped, h.String(), g.Group)
	}
	return errors.Join(err, groupsErr)
}

func (c *Devlink) readResources(ctx context.Context, h devlink.Handle, _ *inventory.Snapshot, r *reading) error {
	resources, err := c.opts.Devices.Resources(ctx, h)
	for _, v := range resources {
		addCount(r, resourceSizeRow, v.Size, h.String(), v.Path)
		addCount(r, resourceOccupiedRow, v.Occupied, h.String(), v.Path)
	}
	return err
}

func (c *Devlink) readRates(ctx context.Context, h devlink.Handle, _ *inventory.Snapshot, r *reading) error {
	rates, err := c.opts.Devices.Rates(ctx, h)
	for _, v := range rates {
		labels := []string{h.String(), portOf(h, v.Port), v.Node, v.Parent}
		if v.Share != 0 {
			r.add(rateShareRow, float64(v.Share), labels...)
		}
		if v.Max != 0 {
			r.add(rateMaxRow, float64(v.Max), labels...)
		}
	}
	return err
}

func (c *Devlink) readParams(ctx context.Context, h devlink.Handle, _ *inventory.Snapshot, r *reading) error {
	params, err := c.opts.Devices.Params(ctx, h)
	for _, p := range params {
		for _, v := range p.Values {
			r.add(devlinkParamRow, 1, h.String(), p.Name, v.Mode, v.Value)
		}
	}
	return err
}

// readPorts reads the ports of a device: in one list, or one by one under a
// filter and where the list does not have them. A driver that fails at one ends
// the kernel's list without an error.
func (c *Devlink) readPorts(ctx context.Context, h devlink.Handle, inv *inventory.Snapshot, r *reading) error {
	listed := map[uint32]devlink.Port{}
	var errs []error
	if !inv.Filtered {
		all, err := c.opts.Devices.Ports(ctx)
		errs = append(errs, err)
		for _, p := range all {
			if p.Handle == h {
				listed[p.Index] = p
			}
		}
	}
	for _, list := range [][]*inventory.Device{inv.Devices, inv.Detached} {
		for _, d := range list {
			of, index, ok := splitPort(d.DevlinkPort)
			if !ok || of != h {
				continue
			}
			p, has := listed[index]
			if !has {
				var err error
				if p, err = c.opts.Devices.Port(ctx, h, index); err != nil {
					errs = append(errs, err)
					continue
				}
			}
			addPort(r, &p, d.Name)
		}
	}
	return errors.Join(errs...)
}

func addPort(r *reading, p *devlink.Port, device string) {
	flavour, external := "", ""
	if p.Flavour != nil {
		flavour = p.Flavour.String()
	}
	if p.External != nil {
		external = strconv.FormatBool(*p.External)
	}
	handle := p.String() // of the device
	name := portOf(p.Handle, &p.Index)
	r.add(devlinkPortRow, 1, handle, name, device, flavour, number(p.Number),
		number(p.Controller), number(p.PF), number(p.VF), number(p.SF), external, p.RDMADevice)
	if p.FunctionState != nil {
		r.add(functionActiveRow, oneIf(*p.FunctionState == 1), handle, name)
	}
	if p.FunctionOperState != nil {
		r.add(functionAttachedRow, oneIf(*p.FunctionOperState == 1), handle, name)
	}
}
