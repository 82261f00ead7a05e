//go:build lab

package lab

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/test/lab/world"
)

// TestFlowerRules: two VFs are joined by rules alone. The NIC says that it has
// taken those that it was asked to, and software carries them out, but for
// skip_sw.
func TestFlowerRules(t *testing.T) {
	representors := world.AddNIC(t, 1, 2).Representors(t)
	a := world.Namespace("").AddBehind(t, representors[0], "vf0", "10.6.0.1/24")
	b := world.Namespace("").AddBehind(t, representors[1], "vf1", "10.6.0.2/24")
	across, back := " action mirred egress redirect dev "+representors[1], " action mirred egress redirect dev "+representors[0]
	world.AddFlower(t, representors[0],
		"pref 1 protocol ip flower skip_sw ip_proto udp action drop",
		"pref 2 protocol ip flower skip_hw ip_proto tcp dst_port 81 action drop",
		"pref 3 protocol ip flower ip_proto icmp action police rate 10mbit burst 64k conform-exceed drop/pipe"+across,
		"pref 4 protocol 802.1q flower vlan_id 5 action vlan pop"+across,
		"pref 5 protocol ip flower ct_state -trk action ct zone 3 pipe action goto chain 1",
		"pref 5 protocol ip chain 1 flower ct_state +trk+new action ct commit zone 3"+across,
		"pref 5 protocol ip chain 1 flower ct_state +trk+est"+across,
		"pref 6 protocol arp flower"+across)
	world.AddFlower(t, representors[1],
		"pref 5 protocol ip flower ct_state -trk action ct zone 3 pipe action goto chain 1",
		"pref 5 protocol ip chain 1 flower ct_state +trk"+back,
		"pref 6 protocol arp flower"+back)
	arrived := reaches(t, "VF to VF through tc", a, b, world.Pings, world.Pings)
	if n := a.Exchange(t, b, datagrams); n != datagrams {
		t.Errorf("%d of %d datagrams came back, which only hardware would drop", n, datagrams)
	}
	checkFlower(t, arrived, world.FlowerRules(t, representors[0]))
	checkRefusals(t, representors[0], "to-"+representors[0])
}

// checkFlower checks the rules of the first representor, after so many pings.
func checkFlower(t *testing.T, pings int, rules []world.FlowerRule) {
	t.Helper()
	for i, want := range []world.FlowerRule{
		{Pref: 1, SkipSW: true, InHW: true, Kinds: []string{"gact"}},
		{Pref: 2, SkipHW: true, NotInHW: true, Kinds: []string{"gact"}},
		{Pref: 3, InHW: true, Kinds: []string{"police", "mirred"}, Packets: pings},
		{Pref: 4, InHW: true, Kinds: []string{"vlan", "mirred"}},
		{Pref: 5, InHW: true, Kinds: []string{"ct", "gact"}, Packets: datagrams},
		{Pref: 5, Chain: 1, InHW: true, Kinds: []string{"ct", "mirred"}, Packets: 1},
		{Pref: 5, Chain: 1, InHW: true, Kinds: []string{"mirred"}, Packets: datagrams - 1},
	} {
		if !slices.ContainsFunc(rules, func(r world.FlowerRule) bool { return reflect.DeepEqual(r, want) }) {
			t.Errorf("rule %d: no %+v in %+v", i, want, rules)
		}
	}
}

// checkRefusals: what tc does not take, from whom.
func checkRefusals(t *testing.T, representor, veth string) {
	t.Helper()
	for _, c := range []struct{ device, rule, says string }{
		{veth, "flower skip_sw", "Operation not supported"},
		{representor, "flower skip_sw skip_hw", "Invalid argument"},
		{representor, "matchall skip_sw", "offload type not supported"},
	} {
		rule := "filter add dev " + c.device + " ingress pref 20 protocol ip " + c.rule + " action drop"
		if _, err := world.Try(t, "tc", strings.Fields(rule)...); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", rule, err)
		}
	}
}
