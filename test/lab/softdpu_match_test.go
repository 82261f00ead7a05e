//go:build lab

package lab

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpu-exporter/dpu-exporter/test/lab/world"
)

// matchFrames are frames of every kind that flower tells apart.
var matchFrames = []string{
	/* 0 */ eth("02", "01", "0806") + "0001080006040001" + "020000000001" + "0a080001" + "000000000000" + "0a080009", // who has 10.8.0.9?
	/* 1 */ eth("02", "01", "0800") + ipv4("00", "0000", "40", "06") + tcp("0050", "02"), // SYN to port 80
	/* 2 */ eth("02", "01", "0800") + ipv4("10", "4000", "01", "06") + tcp("01bb", "10"), // ACK to port 443, TOS 0x10, TTL 1
	/* 3 */ eth("02", "01", "0800") + ipv4("00", "2000", "40", "11") + udp("0035"), // to port 53, the first fragment
	/* 4 */ eth("02", "01", "0800") + ipv4("00", "2010", "40", "11") + udp("0035"), // a later fragment: no ports, whatever it holds
	/* 5 */ eth("02", "01", "0800") + ipv4("00", "0000", "40", "01") + "0800000000010001", // ICMP echo request
	/* 6 */ eth("02", "01", "86dd") + ipv6("11", "fd000000000000000000000000000009") + udp("0035"),
	/* 7 */ eth("02", "01", "86dd") + ipv6("3a", "ff0200000000000000000001ff000009") + "8700000000000000", // ICMPv6 neighbour solicitation
	/* 8 */ eth("08", "01", "8100") + "600b0800" + ipv4("00", "0000", "40", "11") + udp("0035"), // VLAN 11, priority 3
	/* 9 */ eth("02", "11", "88a8") + "0064" + "8100" + "000b" + "86dd" + ipv6("06", "fd000000000000000000000000000019") + tcp("0050", "12"), // VLAN 100, in it VLAN 11
}

func eth(to, from, etherType string) string {
	return "0200000000" + to + "0200000000" + from + etherType
}

// ipv4 is the header of a packet of 40 bytes from 10.8.0.1 to 10.8.0.9; nobody
// here looks at its checksum.
func ipv4(tos, flagsAndOffset, ttl, protocol string) string {
	return "45" + tos + "0028" + "0001" + flagsAndOffset + ttl + protocol + "0000" + "0a080001" + "0a080009"
}

func ipv6(next, to string) string {
	return "60000000" + "0014" + next + "40" + "fd000000000000000000000000000001" + to
}

func tcp(port, flags string) string {
	return "03e8" + port + "00000001" + "00000000" + "50" + flags + "0400" + "00000000"
}

func udp(port string) string { return "03e8" + port + "0008" + "0000" }

// matches are what tc-flower(8) is asked to match, and of which frames that is.
var matches = []struct {
	rule   string
	frames []int
}{
	{"all flower", []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
	{"all flower dst_mac 02:00:00:00:00:08", []int{8}},
	{"all flower src_mac 02:00:00:00:00:01/ff:ff:ff:ff:ff:ef", []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
	{"all flower src_mac 02:00:00:00:00:10/00:00:00:00:00:f0", []int{9}},
	{"arp flower", []int{0}},
	{"arp flower arp_op request arp_tip 10.8.0.9", []int{0}},
	{"arp flower arp_op reply", nil},
	{"ip flower", []int{1, 2, 3, 4, 5}},
	{"ip flower ip_proto tcp", []int{1, 2}},
	{"ip flower ip_proto tcp dst_port 80", []int{1}},
	{"ip flower ip_proto tcp src_port 1000", []int{1, 2}},
	{"ip flower ip_proto tcp tcp_flags 0x2/0x12", []int{1}},
	{"ip flower ip_proto udp dst_port 53", nil}, // ports of fragments are not looked at (skb_flow_dissect)
	{"ip flower dst_ip 10.8.0.8/30", []int{1, 2, 3, 4, 5}},
	{"ip flower src_ip 10.8.0.2", nil},
	{"ip flower ip_tos 0x10/0xff", []int{2}},
	{"ip flower ip_ttl 1", []int{2}},
	{"ip flower ip_flags frag", []int{3, 4}},
	{"ip flower ip_flags nofrag", []int{1, 2, 5}},
	{"ip flower ip_flags firstfrag", []int{3}},
	{"ip flower ip_flags nofirstfrag", []int{1, 2, 4, 5}}, // no fragment is no first one
	{"ip flower ip_proto icmp type 8 code 0", []int{5}},
	{"ip flower ip_proto icmp type 0", nil},
	{"ipv6 flower", []int{6, 7}},
	{"ipv6 flower dst_ip fd00::/64", []int{6}},
	{"ipv6 flower src_ip fd00::1 dst_ip ff02::1:ff00:9", []int{7}},
	{"ipv6 flower ip_proto udp dst_port 53", []int{6}},
	{"ipv6 flower ip_proto icmpv6 type 135", []int{7}},
	{"802.1q flower", []int{8}},
	{"802.1q flower vlan_id 11", []int{8}},
	{"802.1q flower vlan_prio 3", []int{8}},
	{"802.1q flower vlan_id 12", nil},
	{"802.1q flower vlan_ethtype ip ip_proto udp dst_port 53", []int{8}},
	{"802.1q flower vlan_ethtype ipv6", nil},
	{"802.1ad flower vlan_id 100 vlan_ethtype 802.1q cvlan_id 11", []int{9}},
	{"802.1ad flower vlan_ethtype 802.1q cvlan_ethtype ipv6 ip_proto tcp tcp_flags 0x12", []int{9}},
	{"802.1ad flower vlan_id 11", nil},
}

// TestSoftDPUMatches: hardware matches the frames that the kernel matches by the
// same rule, and those that tc-flower(8) says.
func TestSoftDPUMatches(t *testing.T) {
	world.WatchKernelLog(t)
	vf := world.AddDPUPair(t, world.DPUOptions{}).DPUs[0].VF(0, 0)
	software := matchedBySoftware(t, vf)
	for i, m := range matches {
		if hardware := matchedByHardware(t, vf, m.rule); !slices.Equal(hardware, m.frames) || !slices.Equal(software[i], m.frames) {
			t.Errorf("%s: hardware matches the frames %v, software %v; they are %v", m.rule, hardware, software[i], m.frames)
		}
	}
}

// matchedBySoftware are the frames that the kernel matches by each of the rules:
// one frame after the other meets all of them.
func matchedBySoftware(t *testing.T, vf world.DPUPort) [][]int {
	t.Helper()
	var rules []string
	for i, m := range matches {
		rules = append(rules, fmt.Sprintf("pref %d protocol %s action continue", 1+i, strings.Replace(m.rule, "flower", "flower skip_hw", 1)))
	}
	setRules(t, vf, append(rules, "pref 99 protocol all flower skip_hw action continue")...)
	found := make([][]int, len(matches))
	had := make([]int, len(matches))
	for frame := range matchFrames {
		sendMatchFrame(t, vf, frame)
		world.Await(t, "the last rule has had the frame", func() bool {
			return world.FlowerRules(t, vf.Netdev())[len(matches)].Packets == frame+1
		})
		now := world.FlowerRules(t, vf.Netdev()) // tc tells of the first before it comes to the last
		for i := range matches {
			if now[i].Packets > had[i] {
				found[i], had[i] = append(found[i], frame), now[i].Packets
			}
		}
	}
	return found
}

// matchedByHardware are the frames that the module matches by a rule.
func matchedByHardware(t *testing.T, vf world.DPUPort, rule string) (frames []int) {
	t.Helper()
	setRules(t, vf, "pref 1 protocol "+strings.Replace(rule, "flower", "flower skip_sw", 1)+" action drop")
	for frame := range matchFrames {
		sendMatchFrame(t, vf, frame)
		if shown := vf.Rules(t); len(shown) != 1 {
			t.Fatalf("rules %q", shown)
		} else if strings.Contains(shown[0], fmt.Sprintf(" hits %d ", len(frames)+1)) {
			frames = append(frames, frame)
		}
	}
	return frames
}

func sendMatchFrame(t *testing.T, vf world.DPUPort, frame int) {
	t.Helper()
	octets, err := hex.DecodeString(matchFrames[frame])
	if err != nil {
		t.Fatal(err)
	}
	world.Namespace("left").SendFrame(t, vf.Function(), octets, 1)
}

// TestSoftDPURuleTable: thousands of rules of many masks are found, no more than
// there is room for are taken, and room comes back.
func TestSoftDPURuleTable(t *testing.T) {
	world.WatchKernelLog(t)
	const room, prefixes = 4096, 32 // SD_MAX_RULES; a mask for each length of a prefix
	vf := world.AddDPUPair(t, world.DPUOptions{}).DPUs[0].VF(0, 0)
	var rules []string
	for i := range room {
		rules = append(rules, fmt.Sprintf("pref %d protocol ip flower skip_sw dst_ip 10.8.%d.%d/%d ip_proto tcp dst_port %d action drop", 1+i%prefixes, i>>8, i&0xff, 32-i%prefixes, 1+i))
	}
	setRules(t, vf, rules...)
	const last = "pref 99 protocol ip flower skip_sw ip_proto udp action drop"
	if _, err := world.Try(t, "tc", append([]string{"filter", "add", "dev", vf.Netdev(), "ingress"}, strings.Fields(last)...)...); err == nil || !strings.Contains(err.Error(), "the rule table is full") {
		t.Errorf("rule %d: %v", room+1, err)
	}
	if n := len(vf.Rules(t)); n != room {
		t.Errorf("%d rules, not %d", n, room)
	}
	checkFound(t, vf, prefixes)
	setRules(t, vf, last)
	if n := len(vf.Rules(t)); n != 1 {
		t.Errorf("%d rules, not 1", n)
	}
}

// checkFound sends a frame for a few of the rules, each to a port that one rule
// alone has, and one to no rule's port: those rules have a hit, by their mask.
func checkFound(t *testing.T, vf world.DPUPort, prefixes int) {
	t.Helper()
	want := map[int]int{} // hits by priority
	for _, rule := range []int{0, 1, 31, 32, 2047, 4095, 5000} {
		frame := eth("02", "01", "0800") + ipv4("00", "0000", "40", "06") + tcp(fmt.Sprintf("%04x", 1+rule), "02")
		octets, err := hex.DecodeString(frame)
		if err != nil {
			t.Fatal(err)
		}
		copy(octets[30:34], []byte{10, 8, byte(rule >> 8), byte(rule)})
		world.Namespace("left").SendFrame(t, vf.Function(), octets, 1)
		if rule < 4096 {
			want[1+rule%prefixes]++
		}
	}
	got := map[int]int{}
	for _, line := range vf.Rules(t) {
		var priority, hits int
		if _, err := fmt.Sscanf(line, "prio %d hits %d", &priority, &hits); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if hits > 0 {
			got[priority] += hits
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("hits by priority (-want +got):\n%s", diff)
	}
}
