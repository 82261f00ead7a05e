package inventory

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/dpu-exporter/dpu-exporter/internal/devlink"
	"github.com/dpu-exporter/dpu-exporter/internal/rtnl"
)

// detached is a function or a port without a netdev in this namespace. All of
// it is decided when it is read, so that a snapshot only lists it.
type detached struct {
	device   *Device
	function devlink.Handle // what it is; zero for a port of another function
	port     *devlink.Port  // nil without one
	excluded bool           // by the filter
	unparsed bool
	err      error // why its driver or its number is not known
}

// readDetached looks for what has no netdev here. Without links nothing tells.
func (i *Inventory) readDetached() {
	var all []detached
	var err error
	if len(i.state.entries) > 0 {
		all, err = i.findDetached()
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.state.detached, i.state.detachedErr = all, err
}

func (i *Inventory) findDetached() ([]detached, error) {
	netdevs := i.state.functionsWithNetdev()
	vfs, vfErr := i.findVFs(netdevs)
	sfs, sfErr := i.findSFs(netdevs)
	all := i.addPorts(append(vfs, sfs...), netdevs)
	slices.SortFunc(all, func(a, b detached) int {
		return cmp.Or(
			strings.Compare(a.device.PCI, b.device.PCI), strings.Compare(a.device.DevlinkPort, b.device.DevlinkPort),
			cmp.Compare(known(a.device.SF), known(b.device.SF)))
	})
	return all, errors.Join(vfErr, sfErr)
}

// functionsWithNetdev are the functions that have a netdev in this namespace.
func (s *state) functionsWithNetdev() map[devlink.Handle]bool {
	functions := map[devlink.Handle]bool{}
	for _, e := range s.entries {
		if h := e.facts.owner(); h.Device != "" {
			functions[h] = true
		}
	}
	for _, p := range s.ports.byNetdev {
		functions[p.Handle] = true
	}
	return functions
}

// physicalFunctions are the PCI functions with a netdev or a devlink port here
// that are not known to be virtual and that the filter does not exclude by their
// address or RDMA device.
func (i *Inventory) physicalFunctions() []string {
	functions := map[string]bool{}
	add := func(f facts) {
		if virtual := f.function.Virtual; f.function.PCI != "" && (virtual == nil || !*virtual) {
			functions[f.function.PCI] = true
		}
	}
	for _, e := range i.state.entries {
		add(e.facts)
	}
	for _, device := range i.state.ports.devices {
		add(device)
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(functions)), func(pci string) bool {
		return i.filter.excludes(append(slices.Clone(i.state.rdma[pci]), pci)...)
	})
}

// findVFs finds the VFs below the physical functions.
func (i *Inventory) findVFs(netdevs map[devlink.Handle]bool) (all []detached, err error) {
	for _, pf := range i.physicalFunctions() {
		vfs, listErr := i.sysfs.VFs(pf)
		if !errors.Is(listErr, fs.ErrNotExist) {
			err = errors.Join(err, listErr)
		}
		for _, vf := range vfs {
			h := devlink.Handle{Bus: "pci", Device: vf.PCI}
			if netdevs[h] {
				continue
			}
			f := named(h.Bus, h.Device)
			if i.filter.keeps(i.functionNames(f, VF)...) {
				f.read(i.sysfs)
			}
			if !errors.Is(f.err, fs.ErrNotExist) {
				all = append(all, i.newDetached(h, f, nil, identity{role: VF, vf: &vf.Number}))
			}
		}
	}
	return all, err
}

// findSFs finds the subfunctions of the machine.
func (i *Inventory) findSFs(netdevs map[devlink.Handle]bool) (all []detached, err error) {
	names, err := i.sysfs.SFs()
	for _, name := range names {
		h := devlink.Handle{Bus: "auxiliary", Device: name}
		if netdevs[h] {
			continue
		}
		d := i.newDetached(h, i.readDevice(h), nil, identity{role: SF})
		if !d.excluded {
			sf, err := i.sysfs.SFNumber(name)
			d.device.SF, d.err = sf, errors.Join(d.err, err)
		}
		if !errors.Is(d.err, fs.ErrNotExist) && (d.excluded || d.err != nil || d.device.SF != nil) {
			all = append(all, d)
		}
	}
	return all, err
}

// addPorts adds the devlink ports. One of flavour virtual is the function's own
// and part of it. What has no flavour, or one that carries no traffic of a
// function, is left out.
func (i *Inventory) addPorts(all []detached, netdevs map[devlink.Handle]bool) []detached {
	own := make(map[devlink.Handle]*Device, len(all))
	for _, d := range all {
		own[d.function] = d.device
	}
	for _, p := range i.state.ports.bare {
		device := i.state.ports.devices[p.Handle]
		if p.Flavour == nil {
			continue
		}
		switch *p.Flavour {
		case devlink.CPU, devlink.DSA, devlink.Unused:
		case devlink.Virtual:
			if d := own[p.Handle]; d != nil {
				d.DevlinkPort = portHandle(p)
			} else if !netdevs[p.Handle] {
				all = append(all, i.newDetached(p.Handle, device, p, identifyFunction(&rtnl.Link{}, device)))
			}
		default:
			id := identifyPort(&rtnl.Link{}, p, i.state.ports.inSwitchdev(p, false), device)
			all = append(all, i.newDetached(devlink.Handle{}, device, p, id))
		}
	}
	return all
}

func (i *Inventory) newDetached(function devlink.Handle, f facts, port *devlink.Port, id identity) detached {
	return detached{
		device: &Device{
			Key: Key{Namespace: i.namespace.Inode}, Role: id.role, Driver: f.function.Driver,
			PCI: f.function.PCI, RDMADevice: i.rdmaOf(f.device, id.role), DevlinkPort: portHandle(port),
			Port: id.port, Subport: id.subport, Controller: id.controller, PF: id.pf, VF: id.vf, SF: id.sf,
		},
		function: function, port: port, unparsed: id.unparsed, err: f.err,
		excluded: !i.filter.keeps(i.functionNames(f, id.role)...),
	}
}

// functionNames lists what the filter matches of a function without a netdev.
func (i *Inventory) functionNames(f facts, role Role) []string {
	names := []string{f.function.PCI}
	if role.ownsRDMA() {
		names = append(names, i.state.rdma[f.device]...)
	}
	return names
}

// attach forgets a function that has a netdev now.
func (s *state) attach(e *entry) {
	if h := e.facts.owner(); h.Device != "" {
		s.detached = slices.DeleteFunc(s.detached, func(d detached) bool { return d.function == h })
	}
}

// addDetached lists what has no netdev here. Callers hold mu.
func (i *Inventory) addDetached(s *Snapshot, n *notes) {
	for _, d := range i.state.detached {
		switch {
		case d.excluded:
			s.Excluded++
			continue
		case d.unparsed:
			s.Unparsed++
			n.addUnparsed(d.device, d.port)
		}
		n.addFacts(d.device, d.err)
		s.Detached = append(s.Detached, d.device)
	}
}
