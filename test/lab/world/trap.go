package world

import "testing"

// Trap is a packet trap, trap group or policer with its statistics as
// devlink-trap(8) shows it.
type Trap struct {
	Name    string // of a trap or group
	Type    string // drop, exception, control
	Action  string // drop, trap, mirror
	Group   string // of a trap
	Policer int    // of a group, or the number of a policer; 0 without one
	Rate    uint64 // of a policer, packets per second
	Burst   uint64 // of a policer, packets
	Stats   struct {
		Rx struct{ Bytes, Packets, Dropped uint64 }
	}
}

// Traps are the NIC's packet traps by name. For each port that is up,
// representors too, netdevsim reports a made-up packet of 142 bytes to each trap
// that does not drop, ten times a second (nsim_dev_trap_report,
// drivers/net/netdevsim/dev.c). Dropped is made up too: it counts how often it
// was read.
func (n *NIC) Traps(t testing.TB) map[string]Trap {
	t.Helper()
	return byName(n, RunJSON[map[string]map[string][]Trap](t, "devlink", "-js", "trap", "show"), "trap")
}

// TrapGroups are the NIC's groups of packet traps by name.
func (n *NIC) TrapGroups(t testing.TB) map[string]Trap {
	t.Helper()
	return byName(n, RunJSON[map[string]map[string][]Trap](t, "devlink", "-js", "trap", "group", "show"), "trap_group")
}

func byName(n *NIC, all map[string]map[string][]Trap, object string) map[string]Trap {
	traps := map[string]Trap{}
	for _, trap := range all[object][n.Handle()] {
		traps[trap.Name] = trap
	}
	return traps
}

// TrapPolicer is one of the NIC's policers, 1 to 3.
func (n *NIC) TrapPolicer(t testing.TB, number string) (p Trap) {
	t.Helper()
	return RunJSON[map[string]map[string][]Trap](t,
		"devlink", "-js", "trap", "policer", "show", n.Handle(), "policer", number)["trap_policer"][n.Handle()][0]
}

// SetTrap changes a trap, group or policer: SetTrap(t, "group", "l2_drops",
// "policer", "2"). The object "trap" is a single trap.
func (n *NIC) SetTrap(t testing.TB, object, name string, what ...string) error {
	t.Helper()
	args := []string{"trap"}
	if object != "trap" {
		args = append(args, object)
	}
	_, err := Try(t, "devlink", append(append(args, "set", n.Handle(), object, name), what...)...)
	return err
}
