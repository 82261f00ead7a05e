package world

import (
	"fmt"
	"strings"
	"testing"
)

// A DPUPair is two DPUs, left and right, with a wire between their uplinks. Two
// functions are endpoints: VF 0 of each.
type DPUPair struct {
	DPUs [2]*DPU
	VFs  [2]Endpoint
}

// AddDPUPair makes a pair of DPUs alike. Nothing joins a representor to its
// uplink yet. Their netdevs are quiet: without IPv6 nothing is sent unasked.
func AddDPUPair(t testing.TB, o DPUOptions) DPUPair {
	t.Helper()
	SetSysctl(t, "net/ipv6/conf/default/disable_ipv6", "1")
	SetSysctl(t, "net/core/netdev_max_backlog", "20000") // or a burst of TCP is dropped between two netdevs
	o.VFs = max(1, o.VFs)
	var pair DPUPair
	for i, name := range []string{"left", "right"} {
		pair.DPUs[i] = AddDPU(t, name, o)
		pair.VFs[i] = pair.DPUs[i].VF(0, 0).Endpoint(t, name, fmt.Sprintf("10.8.0.%d/24", i+1))
	}
	WirePorts(t, pair.DPUs[0].Uplink(0), pair.DPUs[1].Uplink(0))
	Batch(t, "ip", "link set leftp0 up\nlink set rightp0 up\n")
	return pair
}

// Ports are the uplink and VF 0 of the left DPU, then of the right.
func (p DPUPair) Ports() (ports []DPUPort) {
	for _, d := range p.DPUs {
		ports = append(ports, d.Uplink(0), d.VF(0, 0))
	}
	return ports
}

// Bridge joins the uplink and the representor of VF 0 of each DPU by a bridge of
// the kernel, as software does what no rule has hardware do. It does not snoop:
// a bridge that does says so itself, by IGMP to 224.0.0.106 (RFC 4286).
func (p DPUPair) Bridge(t testing.TB) {
	t.Helper()
	var batch strings.Builder
	for _, d := range p.DPUs {
		bridge := "br-" + d.Name
		fmt.Fprintf(&batch, "link add %s type bridge mcast_snooping 0\nlink set %s up\n", bridge, bridge)
		for _, port := range []DPUPort{d.Uplink(0), d.VF(0, 0)} {
			fmt.Fprintf(&batch, "link set %s master %s\n", port.Netdev(), bridge)
		}
		t.Cleanup(func() { removeLink(bridge) })
	}
	Batch(t, "ip", batch.String())
}

// Offload gives hardware rules for all that goes between the uplink and VF 0 of
// each DPU, and software none.
func (p DPUPair) Offload(t testing.TB) {
	t.Helper()
	for _, d := range p.DPUs {
		d.Uplink(0).Redirect(t, d.VF(0, 0))
		d.VF(0, 0).Redirect(t, d.Uplink(0))
	}
}

// Redirect has hardware send all that comes in at one port out of another of the
// same eswitch.
func (p DPUPort) Redirect(t testing.TB, to DPUPort) {
	t.Helper()
	AddFlower(t, p.Netdev(), "pref 1 protocol all flower skip_sw action mirred egress redirect dev "+to.Netdev())
}
