package inventory

import (
	"fmt"
	"strings"
)

// CountByRole returns how many network devices have each role. Uplinks,
// functions and representors are always in it. What has no netdev here is
// counted by DetachedByRole.
func (s *Snapshot) CountByRole() map[Role]int { return countByRole(s.Devices) }

// DetachedByRole returns how many functions and ports without a netdev here
// have each role. Uplinks, functions and representors are always in it.
func (s *Snapshot) DetachedByRole() map[Role]int { return countByRole(s.Detached) }

func countByRole(devices []*Device) map[Role]int {
	counts := map[Role]int{Uplink: 0, PF: 0, VF: 0, SF: 0, PFRepresentor: 0, VFRepresentor: 0, SFRepresentor: 0}
	for _, d := range devices {
		counts[d.Role]++
	}
	return counts
}

// summaryNouns are the roles that Summary counts, in its order.
var summaryNouns = []struct {
	noun  string
	roles []Role
}{
	{"uplink", []Role{Uplink}},
	{"PF", []Role{PF}},
	{"VF", []Role{VF}},
	{"SF", []Role{SF}},
	{"representor", []Role{PFRepresentor, VFRepresentor, SFRepresentor}},
}

// Summary says in one line what was found, with or without a netdev here:
// 2 uplinks, 1 PF, 16 VFs (12 without a netdev here), 0 SFs, 8 representors, 12 other links.
func (s *Snapshot) Summary() string {
	if s.Blind {
		return "nothing: interfaces cannot be read"
	}
	with, without := s.CountByRole(), s.DetachedByRole()
	otherWith, otherWithout := len(s.Devices), len(s.Detached)
	var line strings.Builder
	for _, n := range summaryNouns {
		netdevs, detached := 0, 0
		for _, r := range n.roles {
			netdevs += with[r]
			detached += without[r]
		}
		otherWith -= netdevs
		otherWithout -= detached
		line.WriteString(counted(netdevs, detached, n.noun) + ", ")
	}
	return line.String() + counted(otherWith, otherWithout, "other link")
}

func counted(netdevs, detached int, noun string) string {
	text := fmt.Sprintf("%d %s", netdevs+detached, noun)
	if netdevs+detached != 1 {
		text += "s"
	}
	if detached > 0 {
		text += fmt.Sprintf(" (%d without a netdev here)", detached)
	}
	return text
}
