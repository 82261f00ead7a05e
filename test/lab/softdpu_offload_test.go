//go:build lab

package lab

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/test/lab/world"
)

// TestSoftDPUOffload: what two VFs say to each other goes by rules that tc has
// given to hardware: counted by functions, ports, rules and the receiver, and
// seen by nobody on the Arm cores. Without the rules it is slow path again.
func TestSoftDPUOffload(t *testing.T) {
	world.WatchKernelLog(t)
	pair := world.AddDPUPair(t, world.DPUOptions{})
	pair.Bridge(t)
	reaches(t, "slow path", pair.VFs[0], pair.VFs[1], world.Pings, world.Pings)
	installed := audit(t, pair)
	pair.Offload(t)
	checkOffloaded(t, pair)
	checkRules(t, pair, installed)
	for _, p := range pair.Ports() {
		world.Run(t, "tc", "qdisc", "del", "dev", p.Netdev(), "clsact")
	}
	captures := capturePorts(t, pair)
	before := audit(t, pair)
	reaches(t, "slow path once more", pair.VFs[0], pair.VFs[1], world.Pings, world.Pings)
	for i, p := range pair.Ports() { // or a capture that is deaf would prove the rules
		if n := len(ofIPv4(captures[i].Frames(t))); n < 2*world.Pings {
			t.Errorf("%s has seen %d frames of IPv4 in the slow path", p.Netdev(), n)
		}
	}
	for p, now := range audit(t, pair) {
		if all, soft := now.Eswitch.Since(before[p].Eswitch), now.Software.Since(before[p].Software); all != soft || soft.RxPackets < world.Pings {
			t.Errorf("%s: software has carried %+v of %+v", p.Netdev(), soft, all)
		}
	}
}

// checkOffloaded sends by rules, and checks that software has no part in it.
func checkOffloaded(t *testing.T, pair world.DPUPair) {
	t.Helper()
	const sent = 4 << 20
	captures := capturePorts(t, pair)
	before := audit(t, pair)
	packets, octets := pair.VFs[1].IPReceived(t)
	reaches(t, "by rules", pair.VFs[0], pair.VFs[1], world.Pings, world.Pings)
	if got := pair.VFs[0].IPerf(t, pair.VFs[1], "4M"); got < sent {
		t.Errorf("%d bytes of %d arrived", got, sent)
	}
	after := audit(t, pair)
	for i, p := range pair.Ports() {
		for _, f := range ofIPv4(captures[i].Frames(t)) {
			t.Errorf("%s has seen a frame of IPv4: %x", p.Netdev(), f)
		}
		if soft := after[p].Software.Since(before[p].Software); soft.RxPackets > 4 || soft.TxPackets > 4 { // neighbours are asked for
			t.Errorf("software has carried %+v at %s", soft, p.Netdev())
		}
	}
	checkReceiver(t, pair, packets, octets, after, before)
}

// capturePorts begins to keep what the Arm cores see at each port.
func capturePorts(t *testing.T, pair world.DPUPair) (captures []world.Capture) {
	t.Helper()
	for _, p := range pair.Ports() {
		captures = append(captures, world.Namespace("").Capture(t, p.Netdev()))
	}
	return captures
}

// checkRules: tc says of the one rule of each port that it has had all that came in
// there since but for the slow path, however often it is asked.
func checkRules(t *testing.T, pair world.DPUPair, since books) {
	t.Helper()
	now := audit(t, pair)
	for _, p := range pair.Ports() {
		_ = world.FlowerRules(t, p.Netdev())
		all, soft := now[p].Eswitch.Since(since[p].Eswitch), now[p].Software.Since(since[p].Software)
		packets, octets := all.RxPackets-soft.RxPackets, all.RxBytes-soft.RxBytes
		rules := world.FlowerRules(t, p.Netdev())
		if len(rules) != 1 || !rules[0].SkipSW || !rules[0].InHW || packets < world.Pings || rules[0].Hardware.Packets != packets || rules[0].Hardware.Bytes != octets {
			t.Errorf("rules at %s: %+v; the port has had %d packets, %d bytes", p.Netdev(), rules, packets, octets)
		}
	}
}

// ofIPv4 are the frames of IPv4.
func ofIPv4(frames [][]byte) [][]byte {
	return slices.DeleteFunc(frames, func(f []byte) bool {
		return len(f) < 14 || !bytes.Equal(f[12:14], []byte{8, 0})
	})
}

// checkReceiver: the receiver's IP has had what hardware says that it carried to
// it, less the Ethernet headers; other protocols are a few packets.
func checkReceiver(t *testing.T, pair world.DPUPair, packets, octets int64, after, before books) {
	t.Helper()
	p := pair.DPUs[1].VF(0, 0)
	carried := after[p].Eswitch.Since(before[p].Eswitch)
	packetsNow, octetsNow := pair.VFs[1].IPReceived(t)
	others := carried.TxPackets - (packetsNow - packets)
	bytesOfIP := carried.TxBytes - 14*carried.TxPackets
	if others < 0 || others > 4 || bytesOfIP < octetsNow-octets || bytesOfIP > octetsNow-octets+others*46 {
		t.Errorf("hardware carried %+v to the receiver, whose IP has had %d packets, %d bytes", carried, packetsNow-packets, octetsNow-octets)
	}
	if carried.TxBytes < 4<<20 {
		t.Errorf("hardware carried %+v of 4 MiB", carried)
	}
}

// softDPUWithOVS: Open vSwitch offloads what it forwards, and its tools, tc and
// ip agree on what hardware carried.
func softDPUWithOVS(t *testing.T, ovs *world.OVS) {
	pair := world.AddDPUPair(t, world.DPUOptions{})
	for _, d := range pair.DPUs {
		ovs.AddBridge(t, "br-"+d.Name, "system", "", d.Uplink(0).Netdev(), d.VF(0, 0).Netdev())
	}
	reaches(t, "slow path", pair.VFs[0], pair.VFs[1], world.Pings, world.Pings)
	reaches(t, "by flows", pair.VFs[0], pair.VFs[1], world.Pings, world.Pings)
	for i, d := range pair.DPUs {
		awaitOffloadedFlow(t, ovs, d.VF(0, 0).Netdev(), d.Uplink(0).Netdev(), world.Pings)
		awaitOffloadedFlow(t, ovs, d.Uplink(0).Netdev(), d.VF(0, 0).Netdev(), world.Pings)
		if rules := pair.DPUs[i].VF(0, 0).Rules(t); len(rules) == 0 {
			t.Errorf("%s has no rules", d.Name)
		}
	}
	checkOffloaded(t, pair)
	awaitOffloadedFlow(t, ovs, pair.DPUs[0].VF(0, 0).Netdev(), pair.DPUs[0].Uplink(0).Netdev(), 4<<20/1514)
	for _, d := range pair.DPUs {
		awaitAgreement(t, ovs, d.VF(0, 0).Netdev(), d.Uplink(0).Netdev())
		awaitAgreement(t, ovs, d.Uplink(0).Netdev(), d.VF(0, 0).Netdev())
	}
}

// awaitAgreement waits until dpctl says of a flow of IPv4 what tc says that hardware
// has carried by one of the port's rules.
func awaitAgreement(t *testing.T, ovs *world.OVS, from, to string) {
	t.Helper()
	world.Await(t, "dpctl and tc agree on what went from "+from, func() bool {
		for _, f := range ovs.Flows(t, "offloaded") {
			if f.InPort == from && f.EthType == "0x0800" && f.Actions == to {
				return slices.ContainsFunc(world.FlowerRules(t, from), func(r world.FlowerRule) bool {
					return r.Hardware.Packets == int64(f.Packets) && r.Hardware.Bytes == int64(f.Bytes) && f.Packets > 0
				})
			}
		}
		return false
	})
}

// awaitOffloadedFlow waits until dpctl shows an offloaded flow of IPv4 from one
// port to another that has had so many packets; statistics follow in a second.
func awaitOffloadedFlow(t *testing.T, ovs *world.OVS, from, to string, packets int) {
	t.Helper()
	world.Await(t, fmt.Sprintf("%d packets offloaded from %s to %s", packets, from, to), func() bool {
		for _, f := range ovs.Flows(t, "offloaded") {
			if f.InPort == from && f.EthType == "0x0800" && f.Actions == to {
				return f.Datapath == "tc" && f.Offloaded == "yes" && f.Packets >= packets
			}
		}
		return false
	})
}
