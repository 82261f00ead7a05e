package inventory

import "github.com/dpu-exporter/dpu-exporter/internal/sysfs"

// RDMA is an RDMA device of this node.
type RDMA struct {
	Name   string // mlx5_0
	Parent string // the device below it: 0000:03:00.0, mlx5_core.sf.2; "" of software devices (rxe, siw)
}

// addRDMA lists the RDMA devices that are not left out: those of functions that
// are in the snapshot, and those without any that the filter keeps by their own
// names.
func (i *Inventory) addRDMA(s *Snapshot) {
	kept, owned := map[string]bool{}, map[string]bool{}
	for _, list := range [][]*Device{s.Devices, s.Detached} {
		for _, d := range list {
			if d.RDMADevice != "" {
				kept[d.RDMADevice] = true
			}
		}
	}
	for _, e := range i.state.entries {
		owned[e.facts.device] = true
	}
	for _, r := range i.state.rdmaDevices {
		if i.keepsRDMA(r, kept, owned) {
			s.RDMA = append(s.RDMA, RDMA{Name: r.Name, Parent: r.Device})
		}
	}
}

// keepsRDMA says whether one stays. All devices of a function stay with it.
func (i *Inventory) keepsRDMA(r sysfs.RDMADevice, kept, owned map[string]bool) bool {
	if i.filter.excludes(r.Name, r.Device) {
		return false
	}
	for _, name := range i.state.rdma[r.Device] {
		if kept[name] {
			return true
		}
	}
	return (r.Device == "" || !owned[r.Device]) && i.filter.keeps(r.Name, r.Device)
}
