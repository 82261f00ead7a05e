package e2e

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/test/program"
	"github.com/dpu-exporter/dpu-exporter/test/worlds"
)

// inTheLab is the beginning of rows that only a representor has: TestSoftDPUSlowPath
// of test/lab sees them.
const inTheLab = "dpu_offload_slow_path_"

// TestLiveRowsAreSeen: every row whose proof is live comes out of the real
// program on a real kernel, in a namespace with a veth pair.
func TestLiveRowsAreSeen(t *testing.T) {
	worlds.Enter(t)
	worlds.AddVeths(t, 1)
	path := program.Build(t)
	text, err := exec.Command(path, "metrics", "--interface.fields=all").Output()
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
			if r.Proof != "live" || !strings.HasPrefix(r.Name, "dpu_") || strings.HasPrefix(r.Name, inTheLab) {
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
