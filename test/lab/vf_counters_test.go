//go:build lab

package lab

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpu-exporter/dpu-exporter/test/lab/world"
)

// TestVFCounters: configuration and statistics of VFs as ip-link(8) has them, by
// the kernel's numbers.
func TestVFCounters(t *testing.T) {
	const vfs = 100
	d := world.AddDPU(t, "dpu", world.DPUOptions{Uplinks: 1, VFs: vfs})
	uplink := d.Uplink(0).Netdev()
	d.VF(0, 97).Set(t, "vport_tx_packets 201", "vport_tx_bytes 202", "vport_tx_multicast 203", "vport_tx_broadcast 204", "vport_tx_dropped 205",
		"vport_rx_packets 206", "vport_rx_bytes 207", "vport_rx_dropped 208")
	world.Batch(t, "ip", fmt.Sprintf(
		"link set %[1]s vf 97 mac 02:00:00:00:00:61 vlan 100 qos 3 spoofchk off trust on\nlink set %[1]s vf 97 max_tx_rate 300 min_tx_rate 200\nlink set %[1]s vf 97 state disable\n",
		uplink))
	e := collect(t, "--interface.fields=all")
	for _, vf := range world.VFs(t, uplink) {
		with := labels{"device": uplink, "vf": strconv.Itoa(vf.Number)}
		e.is(t, "dpu_vf_spoof_check", with, bit(vf.SpoofChk))
		e.is(t, "dpu_vf_trusted", with, bit(vf.Trust))
		for row, want := range map[string]float64{
			"receive_packets": vf.Stats["rx"]["packets"], "receive_bytes": vf.Stats["rx"]["bytes"], "receive_multicast_packets": vf.Stats["rx"]["multicast"],
			"receive_broadcast_packets": vf.Stats["rx"]["broadcast"], "receive_dropped": vf.Stats["rx"]["dropped"],
			"transmit_packets": vf.Stats["tx"]["tx_packets"], "transmit_bytes": vf.Stats["tx"]["tx_bytes"], "transmit_dropped": vf.Stats["tx"]["dropped"],
		} {
			e.is(t, "dpu_vf_"+row+"_total", with, want)
		}
	}
	with := labels{"device": uplink, "vf": "97"}
	e.is(t, "dpu_vf_info", labels{"device": uplink, "vf": "97", "address": "02:00:00:00:00:61", "vlan": "100", "vlan_protocol": "802.1Q", "link_state": "disable"}, 1)
	e.is(t, "dpu_vf_transmit_rate_max_bytes_per_second", with, 300*125_000)
	e.is(t, "dpu_vf_transmit_rate_min_bytes_per_second", with, 200*125_000)
	if got := e.with("dpu_vf_transmit_rate_max_bytes_per_second", labels{"vf": "1"}); got != nil {
		t.Errorf("a limit that nobody set: %v", got)
	}

	d.Uplink(0).Fault(t, "fail vf_config 5")
	e = collect(t)
	e.is(t, "dpu_collector_devices", labels{"collector": "sriov", "source": "vf_config", "outcome": "truncated"}, 1)
	d.Uplink(0).Fault(t, "clear")
}

func bit(on bool) float64 {
	if on {
		return 1
	}
	return 0
}

// TestEmulatedNICs: igb has VFs without statistics; all of QEMU's NICs have
// counters of their drivers, settings and a PCI link.
func TestEmulatedNICs(t *testing.T) {
	pf := world.AddPF(t, 2)
	pf.SetUp(t)
	e := collect(t)
	e.is(t, "dpu_vf_spoof_check", labels{"device": pf.Netdev, "vf": "1"}, 1)
	e.is(t, "dpu_pci_sriov_vfs", labels{"pci": pf.PCI}, 2)
	e.is(t, "dpu_pci_sriov_vfs_max", labels{"pci": pf.PCI}, 7)
	if got := e.with("dpu_vf_receive_bytes_total", nil); got != nil {
		t.Errorf("igb keeps no statistics of VFs: %v", got)
	}
	e.is(t, "dpu_collector_devices", labels{"collector": "sriov", "source": "vf_statistics", "outcome": "unsupported"}, 1)

	stats := ethtoolStats(t, pf.Netdev)
	for row, name := range map[string]string{
		"dpu_port_receive_broadcast_packets_total": "rx_broadcast", "dpu_interface_driver_transmit_timeouts_total": "tx_timeout_count",
	} {
		e.is(t, row, labels{"device": pf.Netdev}, float64(stats[name]))
	}
	rings := world.RunJSON[[]map[string]any](t, "ethtool", "--json", "-g", pf.Netdev)[0]
	for ring, name := range map[string]string{"receive": "rx", "transmit": "tx"} {
		e.is(t, "dpu_interface_ring_descriptors", labels{"device": pf.Netdev, "ring": ring}, rings[name].(float64))
		e.is(t, "dpu_interface_ring_descriptors_max", labels{"device": pf.Netdev, "ring": ring}, rings[name+"-max"].(float64))
	}
	e.is(t, "dpu_interface_speed_max_bytes_per_second", labels{"device": pf.Netdev}, 125_000_000)
	e.is(t, "dpu_interface_autonegotiation", labels{"device": pf.Netdev}, 1)
	if diff := cmp.Diff(1, len(e.with("dpu_pci_link_lanes", labels{"pci": pf.PCI}))); diff != "" {
		t.Errorf("PCI link of %s: %v", pf.PCI, e["dpu_pci_link_lanes"])
	}
}
