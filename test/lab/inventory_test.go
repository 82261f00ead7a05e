//go:build lab

package lab

import (
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpu-exporter/dpu-exporter/inventory"
	"github.com/dpu-exporter/dpu-exporter/test/lab/world"
)

// TestInventoryOfSwitchdev: the inventory follows a NIC with 2 ports and 64
// representors through renames, modes and numbers of VFs, by events alone.
func TestInventoryOfSwitchdev(t *testing.T) {
	n := world.AddNIC(t, 2, 64)
	inv := runInventory(t, inventory.Options{})
	checkRoles(t, awaitTruth(t, inv, n), map[inventory.Role]int{"uplink": 2, "vf_representor": 64})

	// Names that lie: nothing may come from them.
	port, reps := n.Physical(t)[0], n.Representors(t)
	world.Batch(t, "ip", fmt.Sprintf("link set %s name pf0vf9\nlink set %s name p0\nlink set %s name c1pf0hpf\n", port, reps[0], reps[1]))
	world.Batch(t, "ip", "link set pf0vf9 up\nlink property add dev pf0vf9 altname pf0sf1\n") // of one that is down no event tells
	s := awaitTruth(t, inv, n)
	if d := deviceNamed(s, "pf0vf9"); d == nil || d.Role != inventory.Uplink || !cmp.Equal(d.AltNames, []string{"pf0sf1"}) {
		t.Errorf("renamed physical port: %+v", d)
	}

	n.SetVFs(t, 8)
	n.SetMode(t, world.Switchdev)
	checkRoles(t, awaitTruth(t, inv, n), map[inventory.Role]int{"uplink": 2, "vf_representor": 8})
	checkExported(t, n)

	n.SetMode(t, world.Legacy)
	checkRoles(t, awaitTruth(t, inv, n), map[inventory.Role]int{"pf": 2})
	h := inv.Health()
	if h.PortEvents == 0 || h.Events == 0 || h.Reads[inventory.Periodic] != 0 {
		t.Errorf("not by events: %+v", h)
	}
}

// checkExported checks what the program says of devices and their roles.
func checkExported(t *testing.T, n *world.NIC) {
	t.Helper()
	e, want := collect(t), truth(t, n)
	if diff := difference(want, e.identities()); diff != "" {
		t.Errorf("dpu_interface_info: %s", diff)
	}
	roles := map[string]float64{}
	for _, id := range want {
		roles[id.Role]++
	}
	exported := e.by(t, "dpu_exporter_devices", "role")
	for _, role := range []string{"uplink", "vf_representor", "loopback"} { // other hardware may be PFs
		if exported[role] != roles[role] {
			t.Errorf("dpu_exporter_devices{role=%q} %v, want %v", role, exported[role], roles[role])
		}
	}
}

// TestUnannouncedMode: the kernel does not announce the mode of an eswitch that
// has no VFs (no port changes); the next full read sees it.
func TestUnannouncedMode(t *testing.T) {
	n := world.AddNIC(t, 1, 0)
	inv := runInventory(t, inventory.Options{})
	checkRoles(t, awaitTruth(t, inv, n), map[inventory.Role]int{"uplink": 1})
	n.SetMode(t, world.Legacy)
	if err := inv.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	checkRoles(t, inv.Snapshot(), map[inventory.Role]int{"pf": 1})
}

// TestInventoryFilter: what a filter excludes is in no list, and its number is
// told.
func TestInventoryFilter(t *testing.T) {
	nics := world.AddNICs(t, 2, 1, 2)
	reps := nics[1].Representors(t)
	filter, err := inventory.NewFilter(nil, reps)
	if err != nil {
		t.Fatal(err)
	}
	inv := runInventory(t, inventory.Options{Filter: filter})
	want := truth(t, nics...)
	for _, rep := range reps {
		delete(want, rep)
	}
	s := awaitSnapshot(t, inv, func(s *inventory.Snapshot) string { return difference(want, identities(s)) })
	if s.Excluded != len(reps) || !s.Filtered || len(s.Notes) != 0 {
		t.Errorf("%d excluded, filtered %v, notes %v", s.Excluded, s.Filtered, s.Notes)
	}

	e := collect(t, "--device.exclude="+strings.Join(reps, "|"))
	if diff := difference(want, e.identities()); diff != "" {
		t.Errorf("dpu_interface_info: %s", diff)
	}
	if got := e["dpu_exporter_excluded_devices"].GetMetric()[0].GetGauge().GetValue(); got != 2 {
		t.Errorf("dpu_exporter_excluded_devices %v, want 2", got)
	}
	named := regexp.MustCompile(`"(` + strings.Join(reps, "|") + `)"`)
	for name, family := range e {
		if found := named.FindString(family.String()); found != "" {
			t.Errorf("%s tells of the excluded %s", name, found)
		}
	}
}

// TestInventoryUnprivileged: without CAP_NET_ADMIN the mode of an eswitch cannot
// be read, and its representors tell it.
func TestInventoryUnprivileged(t *testing.T) {
	nics := world.AddNICs(t, 2, 1, 2)
	nics[1].SetMode(t, world.Legacy)
	checkUnprivileged(t, nics...)
}

// checkUnprivileged checks what the program says as nobody.
func checkUnprivileged(t *testing.T, nics ...*world.NIC) {
	t.Helper()
	out := world.Run(t, "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--bounding-set=-all", "--inh-caps=-all", binary, "metrics")
	e, err := parse(strings.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	if diff := difference(truth(t, nics...), e.identities()); diff != "" {
		t.Errorf("dpu_interface_info: %s", diff)
	}
}

func checkRoles(t *testing.T, s *inventory.Snapshot, want map[inventory.Role]int) {
	t.Helper()
	got := map[inventory.Role]int{}
	for _, d := range s.Devices {
		if d.Driver == driver {
			got[d.Role]++
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("roles (-want +got):\n%s", diff)
	}
}

// present are the counts above zero.
func present(counts map[string]float64) map[string]float64 {
	maps.DeleteFunc(counts, func(_ string, count float64) bool { return count == 0 })
	return counts
}

func deviceNamed(s *inventory.Snapshot, name string) *inventory.Device {
	for _, d := range s.Devices {
		if d.Name == name {
			return d
		}
	}
	return nil
}
