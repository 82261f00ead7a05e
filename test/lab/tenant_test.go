//go:build lab

package lab

import (
	"testing"

	"github.com/dpu-exporter/dpu-exporter/test/lab/world"
)

// reaches checks what one endpoint's echo requests become: how many arrive,
// by the counter of who receives them, and how many are answered. It returns how
// many arrived, which may be more where answers took their time.
func reaches(t *testing.T, what string, from, to world.Endpoint, arrive, answered int) (arrived int) {
	t.Helper()
	before, ping := to.Echoes(t), from.Ping
	if answered == 0 {
		ping = from.PingInVain
	}
	got := ping(t, to)
	arrived = to.Echoes(t) - before
	exact, more := arrived == arrive && got == answered, answered > 0 && got >= answered && arrived >= got
	if !exact && !more {
		t.Errorf("%s: %d requests arrived, %d were answered; want %d, %d", what, arrived, got, arrive, answered)
	}
	return arrived
}

func TestVRFsKeepTenantsApart(t *testing.T) {
	red, blue := world.AddTenants(t)
	const all = world.Pings
	reaches(t, "inside red", red.Endpoints[0], red.Endpoints[1], all, all)
	reaches(t, "inside blue", blue.Endpoints[1], blue.Endpoints[0], all, all)
	reaches(t, "red to blue", red.Endpoints[0], blue.Endpoints[0], 0, 0)
	red.Leak(t, blue)
	reaches(t, "red to blue, leak one way", red.Endpoints[0], blue.Endpoints[0], all, 0)
	blue.Leak(t, red)
	reaches(t, "red to blue, leak both ways", red.Endpoints[0], blue.Endpoints[0], all, all)
	red.Seal(t, blue)
	reaches(t, "red to blue, sealed again", red.Endpoints[0], blue.Endpoints[0], 0, 0)
	if out, err := world.Try(t, "ip", "link", "add", "green", "type", "vrf"); err == nil {
		t.Errorf("a VRF without a table: %s", out)
	}
}

func TestVLANsAreKeptApart(t *testing.T) {
	bridge := world.AddVLANBridge(t, "br-vlan")
	a := bridge.AddAccess(t, "access-a", 100, "10.3.0.1/24")
	b := bridge.AddTrunk(t, "trunk-b", 100, "10.3.0.2/24")
	c := bridge.AddAccess(t, "access-c", 200, "10.3.0.3/24")
	d := bridge.AddTrunk(t, "trunk-d", 200, "10.3.0.4/24")
	const all = world.Pings
	before := bridge.Packets(t, "trunk-b", 100)
	reaches(t, "same vid", a, b, all, all)
	if moved := bridge.Packets(t, "trunk-b", 100) - before; moved < all {
		t.Errorf("the bridge received %d packets in VLAN 100 from who answered", moved)
	}
	reaches(t, "other vid", a, c, 0, 0)
	reaches(t, "that vid", d, c, all, all)
	bridge.Stop(t, "trunk-d", 200)
	reaches(t, "vid that the port stopped", d, c, 0, 0)
	if out, err := world.Try(t, "bridge", "vlan", "add", "dev", "access-a", "vid", "4095"); err == nil {
		t.Errorf("VLAN 4095: %s", out)
	}
}

func TestVXLANKeepsNetworksApart(t *testing.T) {
	fabric := world.AddFabric(t)
	a := fabric.AddEndpoint(t, "vni-a", 0, 100, "10.4.0.1/24")
	b := fabric.AddEndpoint(t, "vni-b", 1, 100, "10.4.0.2/24")
	c := fabric.AddEndpoint(t, "vni-c", 1, 200, "10.4.0.3/24")
	const all = world.Pings
	before := fabric.Hosts[1].Received(t)
	reaches(t, "same VNI", a, b, all, all)
	if moved := fabric.Hosts[1].Received(t) - before; moved < all {
		t.Errorf("host b received %d datagrams", moved)
	}
	reaches(t, "other VNI", a, c, 0, 0)
	d := fabric.AddEndpoint(t, "vni-d", 0, 200, "10.4.0.4/24")
	reaches(t, "that VNI from the same host", d, c, all, all)
	host := fabric.Hosts[0]
	if out, err := host.Try(t, "ip", "link", "add", "twice", "type", "vxlan", "id", "100", "dstport", "4789", "dev", host.Device); err == nil {
		t.Errorf("the VNI twice: %s", out)
	}
}
