//go:build lab

package lab

import (
	"bytes"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/test/lab/world"
)

// TestSoftDPUActions: rules do what tc says that they do, in the order that it
// says, and hardware refuses what it cannot do.
func TestSoftDPUActions(t *testing.T) {
	world.WatchKernelLog(t)
	pair := world.AddDPUPair(t, world.DPUOptions{VFs: 2})
	other := pair.DPUs[0].VF(0, 1).Endpoint(t, "other", "10.8.0.3/24")
	left, right := pair.DPUs[0].VF(0, 0), pair.DPUs[1].VF(0, 0)
	pair.DPUs[0].Uplink(0).Redirect(t, left)
	pair.DPUs[1].Uplink(0).Redirect(t, right)
	right.Redirect(t, pair.DPUs[1].Uplink(0))
	const toWire = "mirred egress redirect dev leftp0"
	t.Run("drop", func(t *testing.T) {
		// The lower pref comes first, whatever was added first.
		setRules(t, left, "pref 2 protocol all flower skip_sw action "+toWire, "pref 1 protocol ip flower skip_sw ip_proto icmp action drop")
		reaches(t, "what is dropped", pair.VFs[0], pair.VFs[1], 0, 0)
		if n := pair.VFs[0].Exchange(t, pair.VFs[1], datagrams); n != datagrams {
			t.Errorf("%d of %d other datagrams came back", n, datagrams)
		}
		if rules := world.FlowerRules(t, left.Netdev()); len(rules) != 2 || rules[0].Packets != world.Pings || rules[1].Packets < datagrams {
			t.Errorf("rules %+v", rules)
		}
	})
	t.Run("mirror", func(t *testing.T) {
		setRules(t, left, "pref 1 protocol all flower skip_sw action mirred egress mirror dev leftpf0vf1 pipe action "+toWire)
		capture := other.Capture(t, other.Device)
		reaches(t, "what is mirrored", pair.VFs[0], pair.VFs[1], world.Pings, world.Pings)
		if n := len(ofIPv4(capture.Frames(t))); n < world.Pings {
			t.Errorf("the mirror has had %d frames", n)
		}
	})
	t.Run("vlan", func(t *testing.T) { tagsOnTheWire(t, pair, toWire) })
	t.Run("ports", func(t *testing.T) {
		setRules(t, left, "pref 1 protocol ip flower skip_sw ip_proto udp dst_port 9 action "+toWire, "pref 2 protocol arp flower skip_sw action "+toWire)
		reaches(t, "another protocol", pair.VFs[0], pair.VFs[1], 0, 0)
		if n := pair.VFs[0].Exchange(t, pair.VFs[1], datagrams); n != datagrams {
			t.Errorf("%d of %d datagrams to the port came back", n, datagrams)
		}
	})
	t.Run("rewrite", func(t *testing.T) {
		setRules(t, left, "pref 1 protocol all flower skip_sw action pedit ex munge eth src set 02:00:00:00:00:77 pipe action "+toWire)
		capture := pair.VFs[1].Capture(t, pair.VFs[1].Device)
		reaches(t, "from another address", pair.VFs[0], pair.VFs[1], world.Pings, world.Pings)
		rewritten := slices.DeleteFunc(ofIPv4(capture.Frames(t)), func(f []byte) bool {
			return !bytes.Equal(f[6:12], []byte{2, 0, 0, 0, 0, 0x77})
		})
		if len(rewritten) < world.Pings {
			t.Errorf("%d frames have come from the other address", len(rewritten))
		}
	})
	t.Run("last used", func(t *testing.T) {
		setRules(t, left, "pref 1 protocol all flower skip_sw action "+toWire)
		world.Await(t, "the rule is old", func() bool { return world.FlowerRules(t, left.Netdev())[0].LastUsed >= 2 })
		reaches(t, "by an old rule", pair.VFs[0], pair.VFs[1], world.Pings, world.Pings)
		if r := world.FlowerRules(t, left.Netdev())[0]; r.LastUsed >= r.Installed {
			t.Errorf("it has had packets, and is %+v", r)
		}
	})
	t.Run("gone", func(t *testing.T) { outputsToNowhere(t, pair) })
	t.Run("refused", func(t *testing.T) { refusesRules(t, left) })
}

// setRules has a port have these rules of tc-flower(8) and no others.
func setRules(t *testing.T, p world.DPUPort, rules ...string) {
	t.Helper()
	_, _ = world.Try(t, "tc", "qdisc", "del", "dev", p.Netdev(), "clsact")
	world.AddFlower(t, p.Netdev(), rules...)
}

// tagsOnTheWire: what goes out is tagged, is of its priority on the wire, and
// comes to the other function without the tag.
func tagsOnTheWire(t *testing.T, pair world.DPUPair, toWire string) {
	far := pair.DPUs[1].Uplink(0)
	setRules(t, pair.DPUs[0].VF(0, 0), "pref 1 protocol all flower skip_sw action vlan push id 11 priority 3 pipe action "+toWire)
	setRules(t, far, "pref 1 protocol 802.1q flower skip_sw vlan_id 11 action vlan pop pipe action mirred egress redirect dev rightpf0vf0")
	before := far.Counters(t)
	reaches(t, "with a tag on the wire", pair.VFs[0], pair.VFs[1], world.Pings, world.Pings)
	after := far.Counters(t)
	packets, octets := after["rx_prio3_packets"]-before["rx_prio3_packets"], after["rx_prio3_bytes"]-before["rx_prio3_bytes"]
	if all := after["rx_packets_phy"] - before["rx_packets_phy"]; packets != all || packets < world.Pings || octets < world.Pings*(98+4) {
		t.Errorf("of %d packets %d were of priority 3, %d bytes", all, packets, octets)
	}
	setRules(t, far, "pref 1 protocol 802.1q flower skip_sw vlan_id 12 action vlan pop pipe action mirred egress redirect dev rightpf0vf0")
	reaches(t, "with another tag", pair.VFs[0], pair.VFs[1], 0, 0)
	setRules(t, far, "pref 1 protocol all flower skip_sw action mirred egress redirect dev rightpf0vf0")
}

// outputsToNowhere: a rule whose port has gone drops what it gets, and says so.
func outputsToNowhere(t *testing.T, pair world.DPUPair) {
	left := pair.DPUs[0].VF(0, 0)
	sf := pair.DPUs[0].AddSF(t, 0, 5)
	setRules(t, left, "pref 1 protocol ip flower skip_sw action mirred egress redirect dev "+sf.Netdev())
	world.Run(t, "devlink", "port", "del", sf.DevlinkPort())
	reaches(t, "to nowhere", pair.VFs[0], pair.VFs[1], 0, 0)
	if rules := left.Rules(t); len(rules) != 1 || !strings.Contains(rules[0], "drops 3 ") {
		t.Errorf("rules %q", rules)
	}
}

// refusesRules: a rule for hardware alone is an error, and another is left to
// software.
func refusesRules(t *testing.T, p world.DPUPort) {
	setRules(t, p)
	add := func(rule string) error {
		_, err := world.Try(t, "tc", append([]string{"filter", "add", "dev", p.Netdev(), "ingress"}, strings.Fields(rule)...)...)
		return err
	}
	p.Fault(t, "fail rule 28")
	if err := add("pref 1 protocol ip flower skip_sw action drop"); err == nil || !strings.Contains(err.Error(), "No space left") {
		t.Errorf("the table is full: %v", err)
	}
	if err := add("pref 1 protocol ip flower action drop"); err != nil {
		t.Error(err)
	}
	if rules := world.FlowerRules(t, p.Netdev()); len(rules) != 1 || rules[0].InHW || !rules[0].NotInHW {
		t.Errorf("rules %+v", rules)
	}
	p.Fault(t, "clear")
	for rule, want := range map[string]string{
		"pref 2 protocol ip flower skip_sw ct_state +trk action drop":              "no match on conntrack",
		"pref 3 protocol ip flower skip_sw action mirred egress redirect dev lo":   "is no port of this eswitch",
		"pref 4 protocol ip flower skip_sw action skbedit mark 5 pipe action drop": "is not offloaded",
		"pref 5 protocol ip flower skip_sw action skbedit mark 5":                  "is not offloaded",
	} {
		if err := add(rule); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", rule, err)
		}
	}
}

// TestSoftDPUVXLAN: hardware puts frames into a tunnel and takes them out of it,
// and the kernel of another host understands both.
func TestSoftDPUVXLAN(t *testing.T) {
	world.WatchKernelLog(t)
	pair := world.AddDPUPair(t, world.DPUOptions{})
	vf, uplink := pair.DPUs[0].VF(0, 0), pair.DPUs[0].Uplink(0)
	far := pair.DPUs[1].Uplink(0).Netdev()
	host := world.Endpoint{Namespace: world.AddNamespace(t, "far"), Device: "vxlan0"}
	host.Inside(t, func() { // nothing is sent unasked
		world.WriteFile(t, "/proc/sys/net/ipv6/conf/all/disable_ipv6", "1")
		world.WriteFile(t, "/proc/sys/net/ipv6/conf/default/disable_ipv6", "1")
	})
	world.Batch(t, "ip", "link set "+far+" netns far\naddress add 192.0.2.1/24 dev leftp0\nlink add lab-vxlan type vxlan dstport 4789 external\nlink set lab-vxlan up\n")
	t.Cleanup(func() { world.Run(t, "ip", "link", "del", "lab-vxlan") })
	host.Batch(t, "ip", "address add 192.0.2.2/24 dev "+far+"\nlink set "+far+" up\n"+
		"link add vxlan0 type vxlan id 7 local 192.0.2.2 remote 192.0.2.1 dstport 4789\nlink set vxlan0 up\naddress add 10.8.0.9/24 dev vxlan0\n")
	host.Address = netip.MustParseAddr("10.8.0.9")
	world.Run(t, "ping", "-n", "-q", "-c", "1", "-w", "10", "192.0.2.2") // the neighbour is known now
	setRules(t, vf, "pref 1 protocol all flower skip_sw action tunnel_key set id 7 src_ip 192.0.2.1 dst_ip 192.0.2.2 dst_port 4789 nocsum pipe action mirred egress redirect dev lab-vxlan")
	world.AddFlower(t, "lab-vxlan", "pref 1 protocol all flower enc_key_id 7 enc_src_ip 192.0.2.2 enc_dst_ip 192.0.2.1 enc_dst_port 4789 action tunnel_key unset pipe action mirred egress redirect dev "+vf.Netdev())
	capture := host.Capture(t, far) // a filter of a tunnel cannot be hardware's alone (nooffloaddevcnt in cls_api.c)
	before := map[world.DPUPort]world.DPUTraffic{vf: vf.Traffic(t), uplink: uplink.Traffic(t)}
	reaches(t, "through the tunnel", pair.VFs[0], host, world.Pings, world.Pings)
	for p, was := range before {
		now := p.Traffic(t)
		if soft := now.Software.Since(was.Software); soft.RxPackets > 1 || soft.TxPackets > 1 {
			t.Errorf("software has carried %+v at %s", soft, p.Netdev())
		}
		if n := now.Eswitch.Since(was.Eswitch); n.RxPackets < world.Pings || n.TxPackets < world.Pings {
			t.Errorf("%s has carried %+v", p.Netdev(), n)
		}
	}
	tunnelled := 0
	for _, f := range capture.Frames(t) {
		if len(f) == 98+50 && bytes.Equal(f[12:14], []byte{8, 0}) && f[23] == 17 && bytes.Equal(f[36:38], []byte{0x12, 0xb5}) && bytes.Equal(f[46:49], []byte{0, 0, 7}) {
			tunnelled++
		}
	}
	if tunnelled < 2*world.Pings { // more where answers took their time
		t.Errorf("the wire has carried %d echoes in the tunnel", tunnelled)
	}
}
