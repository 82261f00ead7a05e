package inventory

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/dpu-exporter/dpu-exporter/internal/devlink"
	"github.com/dpu-exporter/dpu-exporter/internal/rtnl"
	"golang.org/x/sys/unix"
)

// operStates are the words of iproute2 for IF_OPER_* (include/uapi/linux/if.h, RFC 2863).
var operStates = [...]string{"unknown", "notpresent", "down", "lowerlayerdown", "testing", "dormant", "up"}

// build makes a snapshot of the state. Callers hold mu.
func (i *Inventory) build() *Snapshot {
	devices := make([]*Device, 0, len(i.state.entries))
	excluded, unparsed := 0, 0
	switches := i.representorSwitches()
	notes := notes{all: slices.Clone(i.opened)}
	slab := make([]Device, len(i.state.entries))
	for index, e := range i.state.entries {
		port := i.state.ports.byNetdev[index]
		switchdev := port != nil && i.state.ports.inSwitchdev(port, switches[e.switchID])
		id := identify(&e.link, port, switchdev, e.facts)
		d := &slab[len(devices)]
		facts := i.state.ports.factsOf(e, port)
		i.describe(d, e, facts, port, id)
		if !i.filter.keeps(i.namesOf(&e.link, d.PCI, facts.device, id.role)...) {
			excluded++
			*d = Device{}
			continue
		}
		if id.unparsed {
			unparsed++
			notes.addUnparsed(d, port)
		}
		notes.addFacts(d, errors.Join(facts.err, facts.vfErr))
		devices = append(devices, d)
	}
	slices.SortFunc(devices, func(a, b *Device) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), cmp.Compare(a.Index, b.Index))
	})
	s := NewSnapshot(devices, excluded)
	s.Namespace, s.Unparsed, s.Filtered = i.namespace, unparsed, i.filter.inForce()
	_, s.Blind = i.links.(*blank)
	i.addDetached(s, &notes)
	i.addRDMA(s)
	s.Notes = notes.finish(&i.state, devices)
	return s
}

// describe fills in a device.
func (i *Inventory) describe(d *Device, e *entry, f facts, port *devlink.Port, id identity) {
	l := &e.link
	*d = Device{
		Key:  Key{Namespace: i.namespace.Inode, Index: l.Index, Generation: e.generation},
		Name: l.Name, AltNames: l.AltNames, Alias: l.Alias, Address: e.address, Kind: l.Kind,
		Role: id.role, Driver: f.function.Driver,
		PCI: f.function.PCI, RDMADevice: i.rdmaOf(f.device, id.role),
		SwitchID: e.switchID, PortName: l.PortName, DevlinkPort: portHandle(port),
		Port: id.port, Subport: id.subport, Controller: id.controller, PF: id.pf, VF: id.vf, SF: id.sf,
		MTU: l.MTU, Master: i.nameOf(l.Master), Up: l.Flags&unix.IFF_UP != 0,
		Carrier: l.Carrier, CarrierChanges: l.CarrierChanges, CarrierUps: l.CarrierUps, CarrierDowns: l.CarrierDowns,
	}
	if !l.LowerForeign && l.Lower != l.Index {
		d.Lower = i.nameOf(l.Lower)
	}
	if int(l.OperState) < len(operStates) {
		d.OperState = operStates[l.OperState]
	}
}

// portHandle is a port as devlink(8) writes it, "" without one.
func portHandle(port *devlink.Port) string {
	if port == nil {
		return ""
	}
	return port.String() + "/" + strconv.FormatUint(uint64(port.Index), 10)
}

// rdmaOf returns the RDMA device of what has that role on a device.
func (i *Inventory) rdmaOf(device string, role Role) string {
	if rdma := i.state.rdma[device]; len(rdma) > 0 && role.ownsRDMA() {
		return rdma[0]
	}
	return ""
}

// nameOf returns the name of a link of this namespace, "" without one.
func (i *Inventory) nameOf(index int) string {
	if e := i.state.entries[index]; e != nil {
		return e.link.Name
	}
	return ""
}

// leavesOut reports whether the filter leaves out a link, by all names that it
// has as far as they are known.
// f are the facts of the link, over those of the port's device.
func (i *Inventory) leavesOut(link *rtnl.Link, f facts, port *devlink.Port) bool {
	if i.filter == nil {
		return false
	}
	role := identify(link, port, false, f).role
	return !i.filter.keeps(i.namesOf(link, f.function.PCI, f.device, role)...)
}

// namesOf lists what the filter matches. The RDMA device is the function's own,
// so it names no representor that shares the PCI function.
func (i *Inventory) namesOf(link *rtnl.Link, pci, parent string, role Role) []string {
	if i.filter == nil {
		return nil
	}
	names := append(slices.Clone(link.AltNames), link.Name, pci)
	if role.ownsRDMA() {
		names = append(names, i.state.rdma[parent]...)
	}
	return names
}

// representorSwitches are the ids of switches with a representor.
func (i *Inventory) representorSwitches() map[string]bool {
	switches := map[string]bool{}
	for index, port := range i.state.ports.byNetdev {
		if e := i.state.entries[index]; e != nil && e.switchID != "" && standsForFunction(port) {
			switches[e.switchID] = true
		}
	}
	return switches
}
