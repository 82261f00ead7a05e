package world

import (
	"fmt"
	"testing"
)

// A VLANBridge is a bridge of the guest's first namespace that keeps VLANs
// apart (bridge(8), vlan_filtering).
type VLANBridge string

// AddVLANBridge makes a bridge whose ports are in no VLAN but those they are
// given.
func AddVLANBridge(t testing.TB, name string) VLANBridge {
	t.Helper()
	Run(t, "modprobe", "8021q")
	Batch(t, "ip", fmt.Sprintf(`
		link add %s type bridge vlan_filtering 1 vlan_default_pvid 0 vlan_stats_enabled 1 vlan_stats_per_port 1
		link set %s up`, name, name))
	t.Cleanup(func() { removeLink(name) })
	return VLANBridge(name)
}

// AddAccess makes an endpoint that is in a VLAN and does not know it: its port
// is untagged.
func (b VLANBridge) AddAccess(t testing.TB, name string, vid int, address string) Endpoint {
	t.Helper()
	return b.add(t, name, address, fmt.Sprintf("vid %d pvid untagged", vid))
}

// AddTrunk makes an endpoint whose device is a VLAN device (802.1Q), at a port
// that passes that VLAN tagged.
func (b VLANBridge) AddTrunk(t testing.TB, name string, vid int, address string) Endpoint {
	t.Helper()
	e := b.add(t, name, address, fmt.Sprintf("vid %d", vid))
	device := fmt.Sprintf("%s.%d", e.Device, vid)
	e.Batch(t, "ip", fmt.Sprintf(`
		address del %[1]s dev %[2]s
		link add link %[2]s name %[3]s type vlan id %[4]d
		address add %[1]s dev %[3]s
		link set %[3]s up`, address, e.Device, device, vid))
	e.Device = device
	return e
}

func (b VLANBridge) add(t testing.TB, name, address, vlan string) Endpoint {
	t.Helper()
	e := Namespace("").AddEndpoint(t, name, name, address)
	Run(t, "ip", "link", "set", name, "master", string(b))
	Batch(t, "bridge", "vlan add dev "+name+" "+vlan)
	return e
}

// Stop has a port pass a VLAN no longer.
func (b VLANBridge) Stop(t testing.TB, port string, vid int) {
	t.Helper()
	Batch(t, "bridge", fmt.Sprintf("vlan del dev %s vid %d", port, vid))
}

// Packets is how many packets the bridge has received in a VLAN from a port
// (BRIDGE_VLAN_INFO and BRIDGE_XSTATS_VLAN as bridge(8) shows them).
func (b VLANBridge) Packets(t testing.TB, port string, vid int) int {
	t.Helper()
	for _, p := range RunJSON[[]struct {
		Vlans []struct {
			VID       int
			RxPackets int `json:"rx_packets"`
		}
	}](t, "bridge", "-s", "-j", "vlan", "show", "dev", port) {
		for _, vlan := range p.Vlans {
			if vlan.VID == vid {
				return vlan.RxPackets
			}
		}
	}
	t.Fatalf("no VLAN %d at %s", vid, port)
	return 0
}
