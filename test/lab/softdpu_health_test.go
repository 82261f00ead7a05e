//go:build lab

package lab

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpu-exporter/dpu-exporter/test/lab/world"
)

// TestSoftDPUHealth: the reporter fw breaks, fails to recover and recovers; the
// reporter vnic of a port tells its counters.
func TestSoftDPUHealth(t *testing.T) {
	world.WatchKernelLog(t)
	d := world.AddDPU(t, "dpu", world.DPUOptions{})
	checkReporter(t, d, "healthy", 0, 0)
	d.Fault(t, "fail recover 5")
	d.Report(t, "assert 0x8")
	checkReporter(t, d, "error", 1, 0)
	if out := world.Run(t, "devlink", "-j", "health", "dump", "show", d.Handle(), "reporter", "fw"); !strings.Contains(out, "assert 0x8") {
		t.Errorf("the dump is %s", out)
	}
	if _, err := world.Try(t, "devlink", "health", "recover", d.Handle(), "reporter", "fw"); err == nil {
		t.Error("it recovers, though that should fail")
	}
	checkDiagnosis(t, d.Handle(), "fw", map[string]float64{"Syndrome": 1, "Recoveries": 0})
	d.Fault(t, "clear")
	world.Run(t, "devlink", "health", "recover", d.Handle(), "reporter", "fw")
	checkReporter(t, d, "healthy", 1, 1)
	checkDiagnosis(t, d.Handle(), "fw", map[string]float64{"Syndrome": 0, "Recoveries": 1})

	vnic := map[string]float64{}
	for i, name := range []string{
		"total_error_queues", "send_queue_priority_update_flow", "comp_eq_overrun", "async_eq_overrun", "cq_overrun", "invalid_command",
		"quota_exceeded_command", "nic_receive_steering_discard", "generated_pkt_steering_fail", "handled_pkt_steering_fail",
	} {
		vnic[name] = float64(301 + i)
		d.PF(0).Set(t, fmt.Sprintf("%s %d", name, 301+i))
	}
	checkDiagnosis(t, d.PF(0).DevlinkPort(), "vnic", vnic)
}

// checkDiagnosis compares the numbers that a reporter tells with what they
// should be.
func checkDiagnosis(t *testing.T, handle, reporter string, want map[string]float64) {
	t.Helper()
	out := world.Run(t, "devlink", "-j", "health", "diagnose", handle, "reporter", reporter)
	if diff := cmp.Diff(want, numbers(t, out)); diff != "" {
		t.Errorf("%s of %s (-want +got):\n%s", reporter, handle, diff)
	}
}

// checkReporter compares the reporter fw with what it should be.
func checkReporter(t *testing.T, d *world.DPU, state string, errors, recoveries int) {
	t.Helper()
	want := world.Reporter{Name: "fw", State: state, Error: errors, Recover: recoveries, AutoRecover: true}
	got := world.RunJSON[struct{ Health map[string][]world.Reporter }](t,
		"devlink", "-j", "health", "show", d.Handle(), "reporter", "fw").Health[d.Handle()]
	if diff := cmp.Diff([]world.Reporter{want}, got); diff != "" {
		t.Errorf("reporter (-want +got):\n%s", diff)
	}
}

// TestSoftDPUDevlink: serial numbers, versions, parameters, resources and rates as
// devlink(8) has them.
func TestSoftDPUDevlink(t *testing.T) {
	d := world.AddDPU(t, "dpu", world.DPUOptions{VFs: 1})
	info := world.RunJSON[struct {
		Info map[string]struct {
			Driver      string
			Serial      string `json:"serial_number"`
			BoardSerial string `json:"board.serial_number"`
			Versions    struct{ Fixed, Running, Stored map[string]string }
		}
	}](t, "devlink", "-j", "dev", "info", d.Handle()).Info[d.Handle()]
	v := info.Versions
	if info.Driver != softDPU || info.Serial != "SD-dpu" || info.BoardSerial != "SDB-dpu" {
		t.Errorf("device: %+v", info)
	}
	if v.Fixed["fw.psid"] != "SD_0000000001" || v.Running["fw.version"] != "24.43.1014" || v.Stored["fw.version"] != "24.44.1036" {
		t.Errorf("versions: %+v", v)
	}
	world.Run(t, "devlink", "dev", "param", "set", d.Handle(), "name", "flow_steering_mode", "value", "smfs", "cmode", "runtime")
	if _, err := world.Try(t, "devlink", "dev", "param", "set", d.Handle(), "name", "flow_steering_mode", "value", "fast", "cmode", "runtime"); err == nil {
		t.Error("a steering mode that there is not is taken")
	}
	if out := world.Run(t, "devlink", "-j", "dev", "param", "show", d.Handle(), "name", "flow_steering_mode"); !strings.Contains(out, `"smfs"`) {
		t.Errorf("the steering mode is %s", out)
	}
	world.AddFlower(t, d.VF(0, 0).Netdev(), "pref 1 protocol ip flower skip_sw action drop", "pref 2 protocol arp flower skip_sw action drop")
	d.AddSF(t, 0, 7)
	resources := occupancy(t, d)
	if diff := cmp.Diff(map[string][2]int{"rules": {4096, 2}, "sfs": {64, 1}}, resources); diff != "" {
		t.Errorf("resources, size and occupancy (-want +got):\n%s", diff)
	}
	world.Run(t, "devlink", "port", "function", "rate", "set", d.VF(0, 0).DevlinkPort(), "tx_max", "25gbit")
	if out := world.Run(t, "devlink", "-j", "port", "function", "rate", "show", d.VF(0, 0).DevlinkPort()); !strings.Contains(out, `"tx_max":3125000000`) {
		t.Errorf("the rate is %s", out)
	}
}

// occupancy is the size and what is used of each resource.
func occupancy(t *testing.T, d *world.DPU) map[string][2]int {
	t.Helper()
	all := map[string][2]int{}
	for _, r := range world.RunJSON[struct {
		Resources map[string][]struct {
			Name string
			Size int
			Occ  int
		}
	}](t, "devlink", "-j", "resource", "show", d.Handle()).Resources[d.Handle()] {
		all[r.Name] = [2]int{r.Size, r.Occ}
	}
	return all
}
