package inventory

import (
	"cmp"
	"context"
	"errors"
	"io/fs"

	"github.com/dpu-exporter/dpu-exporter/internal/devlink"
	"github.com/dpu-exporter/dpu-exporter/internal/outcome"
)

// portTable is what devlink says of the links of this namespace.
type portTable struct {
	byNetdev map[int]*devlink.Port // by interface index
	bare     []*devlink.Port       // without a netdev here
	devices  map[devlink.Handle]facts
	eswitch  map[devlink.Handle]eswitch // of physical ports
	err      error                      // the ports could not be read, or not all
}

// eswitch is the mode of a devlink device's eswitch, or why it is not known.
type eswitch struct {
	mode            devlink.EswitchMode
	err             error
	hasRepresentors bool // a port of the device stands for another function
}

// readPorts reads the ports, and of the eswitch modes those that decide the
// role of a physical port that is not filtered out. What cannot be read stays
// as it was. It reports whether all was read.
func (i *Inventory) readPorts(ctx context.Context) (complete bool) {
	if i.ports == nil {
		return true
	}
	ports, err := i.ports.Ports(ctx)
	if givenUp(ctx) {
		return false
	}
	interrupted := errors.Is(err, devlink.ErrInterrupted)
	if interrupted {
		err = nil
	}
	if err != nil && len(ports) == 0 {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.state.ports.err = err
		return false
	}
	missing, missingErr := i.missingPorts(ctx, ports)
	ports, err = append(ports, missing...), errors.Join(err, missingErr)
	if givenUp(ctx) {
		return false
	}
	table := i.newPortTable(ctx, ports)
	if givenUp(ctx) {
		return false
	}
	table.err = err
	i.mu.Lock()
	defer i.mu.Unlock()
	i.state.ports = table
	return err == nil && !interrupted
}

// missingPorts asks one by one for the ports that links name and a list does not
// have: where a driver fails at one, the kernel ends the list of its device there
// without an error (the dumps of net/devlink).
func (i *Inventory) missingPorts(ctx context.Context, listed []devlink.Port) (found []devlink.Port, err error) {
	type place struct {
		devlink.Handle
		index uint32
	}
	has := make(map[place]bool, len(listed))
	for n := range listed {
		has[place{listed[n].Handle, listed[n].Index}] = true
	}
	for _, e := range i.state.entries {
		l := &e.link
		if l.DevlinkPort == nil || i.leavesOut(l, e.facts, nil) {
			continue
		}
		at := place{devlink.Handle{Bus: l.DevlinkBus, Device: l.DevlinkDev}, *l.DevlinkPort}
		if has[at] {
			continue
		}
		port, portErr := i.ports.Port(ctx, at.Handle, at.index)
		if outcome.Of(portErr) == outcome.Vanished {
			continue
		}
		if err = errors.Join(err, portErr); portErr == nil {
			found = append(found, port)
		}
	}
	return found, err
}

// givenUp reports whether a caller does not want the answer any more: what then
// was not read is no fault. A device that is too slow for a deadline is one.
func givenUp(ctx context.Context) bool { return errors.Is(ctx.Err(), context.Canceled) }

func (i *Inventory) newPortTable(ctx context.Context, ports []devlink.Port) portTable {
	t := portTable{
		byNetdev: make(map[int]*devlink.Port, len(ports)),
		devices:  map[devlink.Handle]facts{}, eswitch: map[devlink.Handle]eswitch{},
	}
	for n := range ports {
		p := &ports[n]
		if p.NetdevIndex != 0 {
			t.byNetdev[p.NetdevIndex] = p
		} else {
			t.bare = append(t.bare, p)
		}
		if _, known := t.devices[p.Handle]; !known {
			t.devices[p.Handle] = i.readPortDevice(p.Handle)
		}
	}
	for n := range ports {
		p := &ports[n]
		if _, known := t.eswitch[p.Handle]; known || !isFlavour(p, devlink.Physical) || !i.wantsMode(&t, p) {
			continue
		}
		mode, err := i.ports.Eswitch(ctx, p.Handle)
		t.eswitch[p.Handle] = eswitch{mode: mode, err: err}
	}
	for n := range ports {
		p := &ports[n]
		if s, asked := t.eswitch[p.Handle]; asked && standsForFunction(p) {
			s.hasRepresentors = true
			t.eswitch[p.Handle] = s
		}
	}
	return t
}

// readPortDevice reads the facts of a devlink device. One that sysfs does not
// show is nothing to tell of: not every devlink device is on a bus.
func (i *Inventory) readPortDevice(h devlink.Handle) facts {
	f := i.readDevice(h)
	if errors.Is(f.err, fs.ErrNotExist) {
		f.err = nil
	}
	return f
}

// wantsMode reports whether a physical port is in the inventory, so that the
// mode of its eswitch decides a role.
func (i *Inventory) wantsMode(t *portTable, p *devlink.Port) bool {
	if p.NetdevIndex == 0 {
		return i.filter.keeps(i.functionNames(t.devices[p.Handle], PF)...)
	}
	e := i.state.entries[p.NetdevIndex]
	return e != nil && !i.leavesOut(&e.link, t.factsOf(e, p), p)
}

// factsOf returns the facts of a link, over those of the devlink device of its
// port: representors of some drivers have no parent, but a port. Only the driver
// and the PCI function are taken from there, for that device is another's.
func (t *portTable) factsOf(e *entry, p *devlink.Port) facts {
	f := e.facts
	if p == nil || f.function.Driver != "" && f.function.PCI != "" {
		return f
	}
	device := t.devices[p.Handle]
	f.function.Driver = cmp.Or(f.function.Driver, device.function.Driver)
	f.function.PCI = cmp.Or(f.function.PCI, device.function.PCI)
	if f.device == "" && f.err == nil {
		f.err = device.err
	}
	return f
}

// inSwitchdev reports whether the eswitch of a physical port is in switchdev
// mode. Where its mode may not be read, representors on the same devlink device
// or on the same switch tell as much.
func (t *portTable) inSwitchdev(p *devlink.Port, onRepresentorSwitch bool) bool {
	s, asked := t.eswitch[p.Handle]
	switch {
	case !asked:
		return false
	case s.err == nil:
		return s.mode != devlink.Legacy
	case outcome.Of(s.err) == outcome.Unsupported:
		return false
	}
	return s.hasRepresentors || onRepresentorSwitch
}

func isFlavour(p *devlink.Port, f devlink.Flavour) bool {
	return p.Flavour != nil && *p.Flavour == f
}

func standsForFunction(p *devlink.Port) bool {
	return isFlavour(p, devlink.PCIPF) || isFlavour(p, devlink.PCIVF) || isFlavour(p, devlink.PCISF)
}
