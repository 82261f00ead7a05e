package world

import (
	"fmt"
	"testing"

	"github.com/vishvananda/netlink"
)

// A DPUPort is a port of the eswitch of a DPU: an uplink, or where a function is
// attached.
type DPUPort struct {
	DPU    *DPU
	Kind   string // "p", "pf", "vf", "sf"
	PF     int    // number of the uplink or the host's PF
	Number int    // of a VF or SF on its PF
}

// Uplink is a physical port.
func (d *DPU) Uplink(number int) DPUPort { return DPUPort{d, "p", number, 0} }

// PF is the port of the host's PF.
func (d *DPU) PF(number int) DPUPort { return DPUPort{d, "pf", number, 0} }

// VF is the port of a VF.
func (d *DPU) VF(pf, number int) DPUPort { return DPUPort{d, "vf", pf, number} }

// SF is the port of an SF.
func (d *DPU) SF(pf, number int) DPUPort { return DPUPort{d, "sf", pf, number} }

// Name is the port's own: p0, pf0, pf0vf3, pf0sf88.
func (p DPUPort) Name() string {
	switch p.Kind {
	case "p", "pf":
		return fmt.Sprintf("%s%d", p.Kind, p.PF)
	}
	return fmt.Sprintf("pf%d%s%d", p.PF, p.Kind, p.Number)
}

// Netdev is the uplink or the representor: what the Arm cores have.
func (p DPUPort) Netdev() string { return p.DPU.Name + p.Name() }

// Function is the netdev of the PF, VF or SF: what its host or guest has.
func (p DPUPort) Function() string {
	switch p.Kind {
	case "pf":
		return fmt.Sprintf("%sh%d", p.DPU.Name, p.PF)
	case "vf":
		return fmt.Sprintf("%sh%dv%d", p.DPU.Name, p.PF, p.Number)
	}
	return fmt.Sprintf("%sh%ds%d", p.DPU.Name, p.PF, p.Number)
}

// DevlinkPort is the port in devlink: softdpu/dpu0/2097155.
func (p DPUPort) DevlinkPort() string {
	return fmt.Sprintf("%s/%d", p.DPU.Handle(), p.DevlinkIndex())
}

// DevlinkIndex is the number of the port on its device.
func (p DPUPort) DevlinkIndex() int {
	kind := map[string]int{"p": 0, "pf": 1, "vf": 2, "sf": 3}[p.Kind]
	if kind == 0 {
		return p.PF
	}
	return kind<<20 | p.PF<<16 | p.Number
}

// Endpoint takes the function to a namespace of its own, gives it an address
// like 192.0.2.1/24 and sets it and its representor, if there is one, up. Of
// itself it sends nothing but ARP: there is no IPv6.
func (p DPUPort) Endpoint(t testing.TB, name, address string) Endpoint {
	t.Helper()
	e := Endpoint{Namespace: AddNamespace(t, name), Device: p.Function()}
	e.Inside(t, func() { WriteFile(t, "/proc/sys/net/ipv6/conf/default/disable_ipv6", "1") })
	file := e.open(t)
	defer file.Close()
	function, err := netlink.LinkByName(e.Device)
	must(t, err)
	must(t, netlink.LinkSetNsFd(function, int(file.Fd())))
	if representor, err := netlink.LinkByName(p.Netdev()); err == nil {
		must(t, netlink.LinkSetUp(representor))
	}
	e.setAddress(t, address)
	return e
}
