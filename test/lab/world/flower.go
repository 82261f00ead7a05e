package world

import "testing"

// A FlowerRule is a rule of tc-flower(8) at the ingress of a device, as
// tc -s -j filter shows it.
type FlowerRule struct {
	Pref, Chain int
	SkipSW      bool     // only for hardware
	SkipHW      bool     // only for software
	InHW        bool     // hardware has taken it
	NotInHW     bool     // hardware has not
	Kinds       []string // of its actions, in order: gact, mirred, ct, vlan, police
	Packets     int      // that its first action has had
	Installed   int      // how long its first action has been there, in seconds
	LastUsed    int      // how long ago it has had a packet, in seconds
	Hardware    Hardware // what hardware has done of its last action
}

// Hardware is what tc tells of an action that hardware carries out.
type Hardware struct {
	Packets, Bytes, Drops int64
	Stats                 []string // how they are counted: delayed, immediate
}

// FlowerRules are the rules at the ingress of a device, in the order of tc(8).
func FlowerRules(t testing.TB, device string) (rules []FlowerRule) {
	t.Helper()
	for _, f := range RunJSON[[]struct {
		Kind        string
		Pref, Chain int
		Options     *struct {
			SkipSW  bool `json:"skip_sw"`
			SkipHW  bool `json:"skip_hw"`
			InHW    bool `json:"in_hw"`
			NotInHW bool `json:"not_in_hw"`
			Actions []struct {
				Kind      string
				Installed int
				LastUsed  int `json:"last_used"`
				Stats     struct {
					Packets   int
					Drops     int64
					HWPackets int64 `json:"hw_packets"`
					HWBytes   int64 `json:"hw_bytes"`
				}
				Used []string `json:"used_hw_stats"`
			}
		}
	}](t, "tc", "-s", "-j", "filter", "show", "dev", device, "ingress") {
		if f.Kind != "flower" || f.Options == nil {
			continue // a line of the priority alone
		}
		o := f.Options
		rule := FlowerRule{Pref: f.Pref, Chain: f.Chain, SkipSW: o.SkipSW, SkipHW: o.SkipHW, InHW: o.InHW, NotInHW: o.NotInHW}
		for i, action := range o.Actions {
			rule.Kinds = append(rule.Kinds, action.Kind)
			if i == 0 {
				rule.Packets, rule.Installed, rule.LastUsed = action.Stats.Packets, action.Installed, action.LastUsed
			}
			rule.Hardware = Hardware{action.Stats.HWPackets, action.Stats.HWBytes, action.Stats.Drops, action.Used}
		}
		rules = append(rules, rule)
	}
	return rules
}

// AddFlower adds rules to the ingress of a device that has none, as tc(8) takes
// them after the device: pref 1 protocol ip flower ….
func AddFlower(t testing.TB, device string, rules ...string) {
	t.Helper()
	commands := "qdisc add dev " + device + " clsact\n"
	for _, rule := range rules {
		commands += "filter add dev " + device + " ingress " + rule + "\n"
	}
	Batch(t, "tc", commands)
}
