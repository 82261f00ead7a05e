//go:build lab

package lab

import (
	"testing"

	"github.com/dpu-exporter/dpu-exporter/test/lab/world"
)

// packetBytes is the size of the packets that netdevsim makes up for its traps
// (NSIM_TRAP_L4_DATA_LEN and the headers, drivers/net/netdevsim/dev.c).
const packetBytes = 142

// TestTraps: a trap counts what the kernel reports to it, and its group with it,
// while a port is up and the trap does not drop.
func TestTraps(t *testing.T) {
	n := world.AddNIC(t, 1, 0)
	const name, group, exception = "ingress_vlan_filter", "l2_drops", "fid_miss"
	reports := world.StartTrace(t, "devlink/devlink_trap_report")
	if err := n.SetTrap(t, "trap", name, "action", "trap"); err != nil {
		t.Fatal(err)
	}
	if got := n.Traps(t)[name]; got.Action != "trap" || got.Type != "drop" || got.Group != group || got.Stats.Rx.Packets != 0 {
		t.Errorf("%s with no port up: %+v", name, got)
	}
	port := n.Physical(t)[0]
	world.Run(t, "ip", "link", "set", port, "up")
	world.Await(t, name+" has packets", func() bool { return n.Traps(t)[name].Stats.Rx.Packets >= 5 })
	world.Run(t, "ip", "link", "set", port, "down")
	reports.Stop(t)

	traps := n.Traps(t)
	for _, trap := range []string{name, exception, "igmp_query"} {
		stats := traps[trap].Stats.Rx
		if lines := reports.Lines(t, "trap_name="+trap+" ", "input_dev_name="+port); uint64(len(lines)) != stats.Packets {
			t.Errorf("%s counts %d packets, %d were reported", trap, stats.Packets, len(lines))
		}
		if stats.Bytes != stats.Packets*packetBytes {
			t.Errorf("%s counts %d bytes in %d packets", trap, stats.Bytes, stats.Packets)
		}
	}
	if stats := traps["vlan_tag_mismatch"].Stats.Rx; stats.Packets != 0 {
		t.Errorf("a trap that drops counts %d packets", stats.Packets)
	}
	all := n.TrapGroups(t)[group].Stats.Rx.Packets
	if want := traps[name].Stats.Rx.Packets + traps[exception].Stats.Rx.Packets; all != want {
		t.Errorf("%s counts %d packets, its traps %d", group, all, want)
	}
}

// TestTrapPolicers: policers and the groups bound to them keep what they are
// told, and the driver refuses what is beyond it.
func TestTrapPolicers(t *testing.T) {
	n := world.AddNIC(t, 1, 0)
	if before := n.TrapGroups(t)["l2_drops"].Policer; before != 0 {
		t.Errorf("l2_drops has policer %d", before)
	}
	for object, words := range map[string][]string{
		"group":   {"l2_drops", "policer", "2"},
		"policer": {"2", "rate", "500", "burst", "64"},
	} {
		if err := n.SetTrap(t, object, words[0], words[1:]...); err != nil {
			t.Error(err)
		}
	}
	if p := n.TrapPolicer(t, "2"); p.Policer != 2 || p.Rate != 500 || p.Burst != 64 {
		t.Errorf("policer %+v", p)
	}
	if after := n.TrapGroups(t)["l2_drops"].Policer; after != 2 {
		t.Errorf("l2_drops has policer %d, want 2", after)
	}
	if err := n.SetTrap(t, "policer", "2", "rate", "5000000"); err == nil {
		t.Error("a rate above the limit was accepted")
	}
	if err := n.SetTrap(t, "trap", "no_such_trap", "action", "drop"); err == nil {
		t.Error("a trap that does not exist was changed")
	}
}
