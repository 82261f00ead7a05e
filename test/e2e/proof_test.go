package e2e

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/test/program"
	"github.com/dpu-exporter/dpu-exporter/test/worlds"
)

// inTheLab are the beginnings of rows that only hardware has:
// TestLiveRowsAreSeenInTheLab of test/lab sees them.
var inTheLab = []string{
	"dpu_offload_", "dpu_port_", "dpu_vf_", "dpu_vport_", "dpu_devlink_", "dpu_module_", "dpu_rdma_", "dpu_pci_",
	"dpu_interface_autonegotiation", "dpu_interface_channels", "dpu_interface_coalesce_", "dpu_interface_feature",
	"dpu_interface_link_lanes", "dpu_interface_queue_", "dpu_interface_ring_", "dpu_interface_speed_max", "dpu_interface_timestamping_",
}

// TestLiveRowsAreSeen: every row whose proof is live comes out of the real
// program on a real kernel, in a namespace with a veth pair.
func TestLiveRowsAreSeen(t *testing.T) {
	worlds.Enter(t)
	worlds.AddVeths(t, 1)
	if out, err := exec.Command("ip", "address", "add", "192.0.2.1/24", "dev", "lo", "valid_lft", "1000", "preferred_lft", "500").CombinedOutput(); err != nil {
		t.Fatalf("ip: %v: %s", err, out)
	}
	path := program.Build(t)
	text, err := exec.Command(path, "metrics", "--interface.fields=all", "--ethtool.per-queue", "--ethtool.raw-include=.*").Output()
	if err != nil {
		t.Fatalf("metrics: %v", err)
	}
	described, err := exec.Command(path, "metrics", "--describe=json").Output()
	if err != nil {
		t.Fatalf("describe: %v", err)
	}
	var groups []struct {
		Metrics []struct{ Name, Proof string }
	}
	if err := json.Unmarshal(described, &groups); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, g := range groups {
		for _, r := range g.Metrics {
			if r.Proof != "live" || !strings.HasPrefix(r.Name, "dpu_") || slices.ContainsFunc(inTheLab, func(p string) bool { return strings.HasPrefix(r.Name, p) }) {
				continue
			}
			if seen++; !strings.Contains(string(text), "# TYPE "+r.Name+" ") {
				t.Errorf("%s claims proof live and does not come out", r.Name)
			}
		}
	}
	if seen < 30 {
		t.Errorf("only %d rows with proof live", seen)
	}
}
