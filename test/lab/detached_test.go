//go:build lab

package lab

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpu-exporter/dpu-exporter/inventory"
	"github.com/dpu-exporter/dpu-exporter/test/lab/world"
)

// TestDetachedPorts: a port whose netdev is in another namespace is told as
// detached, and as attached when it comes back; in that other namespace, which
// has no devlink of it, the netdev is told by its port name.
func TestDetachedPorts(t *testing.T) {
	tenant := world.AddNamespace(t, "tenant")
	n := world.AddNIC(t, 2, 3)
	inv := runInventory(t, inventory.Options{})
	port, reps := n.Physical(t)[1], n.Representors(t)
	switchID := identities(awaitTruth(t, inv, n))[port].SwitchID

	world.Batch(t, "ip", fmt.Sprintf("link set %s netns tenant\nlink set %s netns tenant\n", port, reps[1]))
	for _, p := range n.Ports(t) {
		if away := p.Index() == 1 || p.Index() == 129; away != (p.Netdev == "") {
			t.Errorf("devlink says %+v", p)
		}
	}
	if ports := tenant.Ports(t); len(ports) != 0 {
		t.Errorf("devlink of the other namespace has ports: %+v", ports)
	}
	want := []identity{
		{Role: "uplink", Driver: driver, DevlinkPort: n.Handle() + "/1"},
		{Role: "vf_representor", Driver: driver, DevlinkPort: n.Handle() + "/129", Controller: "0", PF: "0", VF: "1"},
	}
	here := truth(t, n)
	awaitSnapshot(t, inv, func(s *inventory.Snapshot) string {
		return cmp.Diff(want, detachedIdentities(s)) + difference(here, identities(s))
	})

	e := collect(t)
	byRole := map[string]float64{"uplink": 1, "vf_representor": 1}
	if diff := cmp.Diff(byRole, present(e.by(t, "dpu_exporter_detached_functions", "role"))); diff != "" {
		t.Errorf("dpu_exporter_detached_functions (-want +got):\n%s", diff)
	}
	away := collectIn(t, tenant)
	for host, e := range map[string]exposition{"true": e, "false": away} {
		if got := e.by(t, "dpu_exporter_netns_info", "host"); len(got) != 1 || got[host] != 1 {
			t.Errorf("dpu_exporter_netns_info %v, want host=%s", got, host)
		}
	}
	there := away.identities()
	if diff := difference(map[string]identity{
		"lo":    {Role: "loopback"},
		port:    {Role: "uplink", Driver: driver, SwitchID: switchID, PortName: "p2"},
		reps[1]: {Role: "vf_representor", Driver: driver, SwitchID: switchID, PortName: "pf0vf1", Controller: "0", PF: "0", VF: "1"},
	}, there); diff != "" {
		t.Errorf("in the other namespace: %s", diff)
	}

	tenant.Batch(t, "ip", fmt.Sprintf("link set %s netns 1\nlink set %s netns 1\n", port, reps[1]))
	if left := awaitTruth(t, inv, n).Detached; len(left) != 0 {
		t.Errorf("still detached: %+v", detachedIdentities(inv.Snapshot()))
	}
}

// TestOnlyDevlinkTells: of a representor whose netdev is elsewhere devlink alone
// announces that it goes, and its port alone shows, without privileges, which
// mode the eswitch is in.
func TestOnlyDevlinkTells(t *testing.T) {
	world.AddNamespace(t, "tenant")
	n := world.AddNIC(t, 1, 1)
	inv := runInventory(t, inventory.Options{})
	world.Run(t, "ip", "link", "set", n.Representors(t)[0], "netns", "tenant")
	awaitTruth(t, inv, n)
	checkUnprivileged(t, n)
	world.Await(t, "read for what the move left unsaid", func() bool {
		return len(inv.Snapshot().Detached) == 1 && inv.Health().Reads[inventory.Settled] > 0
	})
	n.SetMode(t, world.Legacy)
	if s := awaitTruth(t, inv, n); len(s.Detached) != 0 {
		t.Errorf("still detached: %+v", detachedIdentities(s))
	}
}

func detachedIdentities(s *inventory.Snapshot) (all []identity) {
	for _, d := range s.Detached {
		all = append(all, identityOf(d))
	}
	return all
}
