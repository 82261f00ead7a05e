//go:build lab

package lab

import (
	"encoding/json"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/test/lab/world"
)

// kind is a software device and what the program has to say of it.
type kind struct {
	name, add     string // add is what ip-link(8) takes
	role          string // also its kind
	lower, master string
}

// kinds are the kinds of software devices that a DPU or its host may have. The
// kernel tells no lower device of a VXLAN device (IFLA_VXLAN_LINK is its own).
var kinds = []kind{
	{"base", "type dummy", "dummy", "", ""},
	{"base2", "type dummy", "dummy", "", ""},
	{"base3", "type dummy", "dummy", "", ""},
	{"k-vrf", "type vrf table 10", "vrf", "", ""},
	{"k-bridge", "type bridge", "bridge", "", ""},
	{"k-bond", "type bond", "bond", "", ""},
	{"k-team", "type team", "team", "", ""},
	{"in-vrf", "master k-vrf type dummy", "dummy", "", "k-vrf"},
	{"in-bridge", "master k-bridge type dummy", "dummy", "", "k-bridge"},
	{"in-bond", "master k-bond type dummy", "dummy", "", "k-bond"},
	{"in-team", "master k-team type dummy", "dummy", "", "k-team"},
	{"k-vlan", "link base type vlan id 5", "vlan", "base", ""},
	{"k-bondvlan", "link k-bond master k-bridge type vlan id 5", "vlan", "k-bond", "k-bridge"},
	{"k-qinq", "link k-vlan type vlan proto 802.1ad id 6", "vlan", "k-vlan", ""},
	{"k-macvlan", "link base type macvlan", "macvlan", "base", ""},
	{"k-macvtap", "link base type macvtap", "macvtap", "base", ""},
	{"k-ipvlan", "link base2 type ipvlan", "ipvlan", "base2", ""},
	{"k-ipvtap", "link base2 type ipvtap", "ipvtap", "base2", ""},
	{"k-macsec", "link base3 type macsec", "macsec", "base3", ""},
	{"k-vxlan", "type vxlan id 5 dev base dstport 4789", "vxlan", "", ""},
	{"k-geneve", "type geneve id 5 remote 192.0.2.9", "geneve", "", ""},
	{"k-gre", "type gre local 192.0.2.1 remote 192.0.2.9 dev base", "gre", "base", ""},
	{"k-gretap", "type gretap local 192.0.2.1 remote 192.0.2.9", "gretap", "", ""},
	{"k-erspan", "type erspan seq key 5 local 192.0.2.1 remote 192.0.2.9 erspan_ver 1 erspan 123", "erspan", "", ""},
	{"k-ip6gre", "type ip6gre local 2001:db8::1 remote 2001:db8::9", "ip6gre", "", ""},
	{"k-ip6gretap", "type ip6gretap local 2001:db8::1 remote 2001:db8::9", "ip6gretap", "", ""},
	{"k-sit", "type sit local 192.0.2.1 remote 192.0.2.9", "sit", "", ""},
	{"k-ipip", "type ipip local 192.0.2.1 remote 192.0.2.9", "ipip", "", ""},
	{"k-ip6tnl", "type ip6tnl local 2001:db8::1 remote 2001:db8::9", "ip6tnl", "", ""},
	{"k-vti", "type vti local 192.0.2.1 remote 192.0.2.9 key 7", "vti", "", ""},
	{"k-vti6", "type vti6 local 2001:db8::1 remote 2001:db8::9 key 7", "vti6", "", ""},
	{"k-xfrm", "type xfrm dev base if_id 7", "xfrm", "base", ""},
	{"k-wireguard", "type wireguard", "wireguard", "", ""},
	{"k-ifb", "type ifb", "ifb", "", ""},
	{"k-netkit", "type netkit peer name k-netkitp", "netkit", "k-netkitp", ""},
	{"k-veth", "type veth peer name k-vethp", "veth", "k-vethp", ""},
}

// TestKindsOfDevices has one of each, in a namespace, and reads what ip-link(8)
// says of them beside what the program exports.
func TestKindsOfDevices(t *testing.T) {
	// No gre0, sit0… in any namespace, now or, the modules gone, later.
	t.Cleanup(func() {
		_, _ = world.Try(t, "modprobe", "-r", "ip_gre", "ip6_gre", "sit", "ipip", "ip_vti", "ip6_vti", "ip6_tunnel")
	})
	world.SetSysctl(t, "net/core/fb_tunnels_only_for_init_net", "2")
	n := world.AddNamespace(t, "kinds")
	commands := ""
	for _, k := range kinds {
		commands += "link add " + k.name + " " + k.add + "\n"
	}
	n.Batch(t, "ip", commands)
	e := collectIn(t, n)
	info, config := e.infos("dpu_interface_info"), e.infos("dpu_interface_config_info")
	said := saidByIP(t, n)
	for _, k := range kinds {
		want := kind{name: k.name, role: k.role, lower: k.lower, master: k.master}
		if got := said[k.name]; got != want {
			t.Errorf("ip says %+v; the test expects %+v", got, want)
		}
		i, c := info[k.name], config[k.name]
		if got := (kind{name: i["device"], role: i["role"], lower: c["lower"], master: c["master"]}); got != want || i["kind"] != k.role {
			t.Errorf("the program says %+v, kind %q; want %+v", got, i["kind"], want)
		}
	}
	if peers := 2; len(info) != len(kinds)+peers+1 || info["lo"]["role"] != "loopback" {
		t.Errorf("%d devices of %d and lo, which is %q", len(info), len(kinds)+peers, info["lo"]["role"])
	}
	if all := e.failures(); len(all) > 0 {
		t.Error(all)
	}
}

// saidByIP is what ip-link(8) says of the devices of a namespace.
func saidByIP(t *testing.T, n world.Namespace) map[string]kind {
	t.Helper()
	said := map[string]kind{}
	var links []struct {
		Ifname, Link, Master string
		Linkinfo             struct {
			Kind string `json:"info_kind"`
		}
	}
	if err := json.Unmarshal([]byte(n.Run(t, "ip", "-d", "-j", "link", "show")), &links); err != nil {
		t.Fatal(err)
	}
	for _, l := range links {
		said[l.Ifname] = kind{name: l.Ifname, role: l.Linkinfo.Kind, lower: l.Link, master: l.Master}
	}
	return said
}
