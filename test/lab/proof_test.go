//go:build lab

package lab

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/test/lab/world"
)

// TestLiveRowsAreSeenInTheLab: what claims that it was read from a real kernel
// comes out of the program in a guest with all that the lab has.
func TestLiveRowsAreSeenInTheLab(t *testing.T) {
	var described []struct {
		Metrics []struct{ Name, Proof string }
	}
	if err := json.Unmarshal([]byte(world.Run(t, binary, "metrics", "--describe=json")), &described); err != nil {
		t.Fatal(err)
	}
	seen := everything(t)
	live := 0
	for _, group := range described {
		for _, row := range group.Metrics {
			if row.Proof != "live" || !strings.HasPrefix(row.Name, "dpu_") {
				continue
			}
			if live++; len(seen[row.Name].GetMetric()) == 0 {
				t.Errorf("%s claims proof live and does not come out", row.Name)
			}
		}
	}
	if live < 150 {
		t.Errorf("only %d rows with proof live", live)
	}
}

// everything is what the program exports where a software DPU with a link, a
// simulated NIC with traps and rates, a PF with VFs, an RDMA device, a veth
// and an address that ends are there.
func everything(t *testing.T) exposition {
	t.Helper()
	pair := world.AddDPUPair(t, world.DPUOptions{VFs: 2, Driver: "mlx5_core", RepDriver: "mlx5e_rep"})
	d := pair.DPUs[0]
	d.AddSF(t, 0, 88)
	d.VF(0, 1).Set(t, "vport_tx_packets 1")
	uplink := d.Uplink(0).Netdev()
	world.Batch(t, "ip", fmt.Sprintf("link set %[1]s vf 1 max_tx_rate 300 min_tx_rate 200\naddress add 192.0.2.77/24 dev %[1]s valid_lft 1000 preferred_lft 500\n", uplink))
	world.Run(t, "devlink", "port", "function", "rate", "set", d.VF(0, 0).DevlinkPort(), "tx_share", "10mbit", "tx_max", "1000mbit")
	world.AddNIC(t, 1, 1)
	pf := world.AddPF(t, 2)
	pf.SetUp(t)
	world.AddRXEPair(t, world.SharedRDMA)
	world.Run(t, "ip", "link", "add", "live0", "type", "veth", "peer", "name", "live1")
	t.Cleanup(func() { world.Run(t, "ip", "link", "del", "live0") })
	return collect(t, "--interface.fields=all", "--ethtool.per-queue", "--ethtool.raw-include=.*")
}
