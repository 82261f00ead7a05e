package inventory

import (
	"cmp"
	"errors"
	"io/fs"
	"slices"

	"github.com/dpu-exporter/dpu-exporter/internal/devlink"
	"github.com/dpu-exporter/dpu-exporter/internal/rtnl"
	"github.com/dpu-exporter/dpu-exporter/internal/sysfs"
	"golang.org/x/sys/unix"
)

// facts is what sysfs says of a device. Those of the device below a link are
// read once and kept while the link's parent stays the same.
type facts struct {
	bus, device string // of a link the parent: IFLA_PARENT_DEV_*, or of class/net on kernels before 5.14
	function    sysfs.Function
	sf, vf      *uint32
	vfErr       error // why vf is not known
	complete    bool  // nothing is left to read
	err         error // why it is not complete; nil where the filter is the reason
}

// unsure reports whether the device is, or may be, a PCI function whose kind
// could not be read.
func (f facts) unsure() bool {
	if f.bus == "auxiliary" && f.err != nil && f.sf == nil {
		return true
	}
	return f.function.Virtual == nil && (f.function.PCI != "" || f.bus == "virtio" && f.err != nil)
}

// standsFor reports whether an entry and a link of the same index are the same
// device as far as can be told: neither the kind nor the parent of one changes.
func (e *entry) standsFor(link *rtnl.Link) bool {
	return e.link.Kind == link.Kind && e.link.ParentBus == link.ParentBus && e.link.ParentDev == link.ParentDev
}

// named returns what netlink's name of a device says of it.
func named(bus, device string) facts {
	f := facts{bus: bus, device: device}
	if f.bus == "pci" && sysfs.IsPCI(f.device) {
		f.function.PCI = f.device
	}
	return f
}

// readFacts reads the facts of a link. Software devices touch no file. Where
// the filter leaves the device out, nothing more is read than it takes to know.
func (i *Inventory) readFacts(link *rtnl.Link) facts {
	f := named(link.ParentBus, link.ParentDev)
	if link.Kind != "" || link.Type == unix.ARPHRD_LOOPBACK {
		f.complete = true
		return f
	}
	if i.filter.excludes(append(slices.Clone(link.AltNames), link.Name, f.function.PCI)...) {
		return f
	}
	if f.device == "" {
		f.bus, f.device, f.err = i.sysfs.Parent(link.Name, link.Index)
		if f.err != nil {
			f.complete = errors.Is(f.err, fs.ErrNotExist)
			if f.complete {
				f.err = nil
			}
			return f
		}
	}
	i.readFunction(link, &f)
	return f
}

// readDevice reads the facts of a device without a link of its own. Of one that
// the filter names nothing is read.
func (i *Inventory) readDevice(h devlink.Handle) facts {
	f := named(h.Bus, h.Device)
	if !i.filter.excludes(append(slices.Clone(i.state.rdma[h.Device]), f.function.PCI)...) {
		f.read(i.sysfs)
	}
	return f
}

// read reads the links of the device.
func (f *facts) read(root sysfs.FS) {
	pci := f.function.PCI
	f.function, f.err = root.Function(f.bus, f.device)
	f.function.PCI = cmp.Or(f.function.PCI, pci)
}

// owner is the function that the device is or is part of: virtio and auxiliary
// devices are part of their PCI function, but for subfunctions.
func (f *facts) owner() devlink.Handle {
	part := f.bus != "auxiliary" || f.complete && f.sf == nil
	if f.function.PCI != "" && part {
		return devlink.Handle{Bus: "pci", Device: f.function.PCI}
	}
	return devlink.Handle{Bus: f.bus, Device: f.device}
}

func (i *Inventory) readFunction(link *rtnl.Link, f *facts) {
	f.read(i.sysfs)
	if errors.Is(f.err, fs.ErrNotExist) && i.sysfs.HasBus(f.bus) {
		f.err = nil // it was unplugged since the link was read
		return
	}
	if i.leavesOut(link, *f, nil) {
		return
	}
	if f.bus == "auxiliary" {
		sf, err := i.sysfs.SFNumber(f.device)
		f.sf, f.err = sf, errors.Join(f.err, err)
	}
	if pf := f.function.PF; pf != "" && f.sf == nil && !i.filter.excludes(append(slices.Clone(i.state.rdma[pf]), pf)...) {
		f.vf, f.vfErr = i.sysfs.VFNumber(pf, f.function.PCI)
	}
	f.complete = f.err == nil && f.vfErr == nil
}
