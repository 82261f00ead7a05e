//go:build lab

package lab

import (
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
	d.Fault(t, "clear")
	world.Run(t, "devlink", "health", "recover", d.Handle(), "reporter", "fw")
	checkReporter(t, d, "healthy", 1, 1)

	d.PF(0).Set(t, "total_error_queues 301", "quota_exceeded_command 302", "handled_pkt_steering_fail 303")
	out := world.Run(t, "devlink", "-j", "health", "diagnose", d.PF(0).DevlinkPort(), "reporter", "vnic")
	got := numbers(t, out)
	for name, want := range map[string]float64{"total_error_queues": 301, "quota_exceeded_command": 302, "handled_pkt_steering_fail": 303, "cq_overrun": 0} {
		if value, told := got[name]; !told || value != want {
			t.Errorf("vnic tells %s: %v (%v), want %v; %s", name, value, told, want, out)
		}
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

// TestSoftDPUBooks: versions, parameters, resources and rates as devlink(8) has
// them.
func TestSoftDPUBooks(t *testing.T) {
	d := world.AddDPU(t, "dpu", world.DPUOptions{VFs: 1})
	info := world.RunJSON[struct {
		Info map[string]struct {
			Driver   string
			Versions struct{ Fixed, Running, Stored map[string]string }
		}
	}](t, "devlink", "-j", "dev", "info", d.Handle()).Info[d.Handle()]
	v := info.Versions
	if info.Driver != softDPU || v.Fixed["fw.psid"] != "SD_0000000001" || v.Running["fw.version"] != "24.43.1014" || v.Stored["fw.version"] != "24.44.1036" {
		t.Errorf("versions: %+v", info)
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
