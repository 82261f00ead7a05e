//go:build lab

package lab

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpu-exporter/dpu-exporter/test/lab/world"
)

// TestSoftDPUVFs: what is set of a VF and counted for it is told of that VF, by
// its number, in the right field.
func TestSoftDPUVFs(t *testing.T) {
	const vfs = 100
	d := world.AddDPU(t, "dpu", world.DPUOptions{Uplinks: 2, VFs: vfs})
	p := d.VF(1, 97)
	p.Set(t, "vport_tx_packets 201", "vport_tx_bytes 202", "vport_tx_multicast 203", "vport_tx_broadcast 204", "vport_tx_dropped 205",
		"vport_rx_packets 206", "vport_rx_bytes 207", "vport_rx_dropped 208")
	world.Batch(t, "ip", fmt.Sprintf(
		"link set %[1]s vf 97 mac 02:00:00:00:00:61 vlan 100 qos 3 spoofchk off trust on\nlink set %[1]s vf 97 max_tx_rate 300 min_tx_rate 200\nlink set %[1]s vf 97 state disable\n",
		d.Uplink(1).Netdev()))
	for _, uplink := range []int{0, 1} {
		all := world.VFs(t, d.Uplink(uplink).Netdev())
		if len(all) != vfs {
			t.Fatalf("uplink %d has %d VFs", uplink, len(all))
		}
		for n, vf := range all {
			set := uplink == 1 && n == 97
			if counted := vf.Stats["rx"]["packets"] != 0; vf.Number != n || vf.Trust != set || counted != set {
				t.Errorf("VF %d of uplink %d: %+v", n, uplink, vf)
			}
		}
	}
	vf := world.VFs(t, d.Uplink(1).Netdev())[97]
	want := map[string]map[string]float64{
		"rx": {"bytes": 202, "packets": 201, "multicast": 203, "broadcast": 204, "dropped": 205},
		"tx": {"tx_bytes": 207, "tx_packets": 206, "dropped": 208},
	}
	if diff := cmp.Diff(want, vf.Stats); diff != "" {
		t.Errorf("statistics (-want +got):\n%s", diff)
	}
	if vf.Address != "02:00:00:00:00:61" || vf.VLANs[0].VLAN != 100 || vf.VLANs[0].QoS != 3 || vf.Rate.Max != 300 || vf.Rate.Min != 200 || vf.SpoofChk {
		t.Errorf("configuration %+v", vf)
	}
	if _, err := world.Try(t, "ip", "link", "set", d.Uplink(1).Netdev(), "vf", "97", "mac", "01:00:00:00:00:61"); err == nil {
		t.Error("the address of a group is taken")
	}
	world.Batch(t, "ip", fmt.Sprintf("link set %s up\nlink set %s up\n", p.Netdev(), p.Function()))
	carrier := "/sys/class/net/" + p.Function() + "/carrier"
	if number(t, carrier) != 0 {
		t.Error("the VF has a carrier, though its state is disable")
	}
	world.Run(t, "ip", "link", "set", d.Uplink(1).Netdev(), "vf", "97", "state", "auto")
	if number(t, carrier) != 1 {
		t.Error("the VF has no carrier")
	}
}
