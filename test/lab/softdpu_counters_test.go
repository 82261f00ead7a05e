//go:build lab

package lab

import (
	"encoding/hex"
	"maps"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpu-exporter/dpu-exporter/test/lab/world"
)

// countedFrames are 14 frames of 4311 bytes: of one address, a group and all, of
// four lengths, and four of them of priority 6. With their FCS, lengths are at the
// bounds of RFC 2819.
var countedFrames = []struct {
	head        string
	size, times int
}{
	{eth("02", "01", "88b5"), 60, 5},
	{"010000000001" + "020000000001" + "88b5", 61, 3},
	{"ffffffffffff" + "020000000001" + "88b5", 1514, 2},
	{eth("02", "01", "8100") + "c001" + "88b5", 200, 4},
}

// places are where frames of one direction are counted.
type places struct{ function, vf, uplink, farUplink, farVF, farFunction map[string]int64 }

// ofNetdev is what a netdev counts of them.
func ofNetdev(way string) map[string]int64 {
	return map[string]int64{
		way + "_packets": 14, way + "_bytes": 4311, way + " queues packets": 14, way + " queues bytes": 4311,
		way + "_vport_unicast_packets": 9, way + "_vport_unicast_bytes": 1100,
		way + "_vport_multicast_packets": 3, way + "_vport_multicast_bytes": 183,
		way + "_vport_broadcast_packets": 2, way + "_vport_broadcast_bytes": 3028,
	}
}

// ofVport is what the eswitch counts at a function's port.
func ofVport(way string) map[string]int64 {
	return map[string]int64{"vport_" + way + "_packets": 14, "vport_" + way + "_bytes": 4311, "vport_" + way + "_multicast": 3, "vport_" + way + "_broadcast": 2}
}

// ofWire is what it counts at an uplink, where bins are the names of those of 64,
// 65, 128 and 1518 bytes and more.
func ofWire(way string, bins ...string) map[string]int64 {
	return map[string]int64{
		way + "_packets_phy": 14, way + "_bytes_phy": 4311, way + "_multicast_phy": 3, way + "_broadcast_phy": 2,
		way + "_prio0_packets": 10, way + "_prio0_bytes": 3511, way + "_prio6_packets": 4, way + "_prio6_bytes": 800,
		bins[0]: 5, bins[1]: 3, bins[2]: 4, bins[3]: 2,
	}
}

// TestSoftDPUCounters: each frame is counted once at each place that it passes, by
// its length, its address and its priority, and nowhere else.
func TestSoftDPUCounters(t *testing.T) {
	pair := world.AddDPUPair(t, world.DPUOptions{})
	slow := places{function: ofNetdev("tx"), vf: ofVport("rx")}
	maps.Copy(slow.vf, ofNetdev("rx"))
	checkCounted(t, "without rules", pair, slow)
	pair.Offload(t)
	checkCounted(t, "by rules", pair, places{
		function: ofNetdev("tx"), vf: ofVport("rx"),
		uplink:    ofWire("tx", "tx_hist_phy_0", "tx_hist_phy_1", "tx_hist_phy_2", "tx_hist_phy_5"),
		farUplink: ofWire("rx", "rx_64_bytes_phy", "rx_65_to_127_bytes_phy", "rx_128_to_255_bytes_phy", "rx_1024_to_1518_bytes_phy"),
		farVF:     ofVport("tx"), farFunction: ofNetdev("rx"),
	})
}

// TestSoftDPUDropped: a frame that a representor does not take is dropped once.
func TestSoftDPUDropped(t *testing.T) {
	pair := world.AddDPUPair(t, world.DPUOptions{})
	vf := pair.DPUs[0].VF(0, 0)
	world.Run(t, "ip", "link", "set", vf.Netdev(), "mtu", "100")
	pair.VFs[0].SendFrame(t, pair.VFs[0].Device, make([]byte, 1000), 3)
	if n := number(t, "/sys/class/net/"+vf.Netdev()+"/statistics/rx_dropped"); n != 3 {
		t.Errorf("3 frames are longer than the MTU, and %v dropped", n)
	}
	if soft := vf.Traffic(t).Software; soft != (world.Traffic{}) {
		t.Errorf("software has had %+v", soft)
	}
}

func checkCounted(t *testing.T, what string, pair world.DPUPair, want places) {
	t.Helper()
	left, right := pair.DPUs[0], pair.DPUs[1]
	counters := func() []map[string]int64 {
		return []map[string]int64{
			left.VF(0, 0).FunctionCounters(t), left.VF(0, 0).Counters(t), left.Uplink(0).Counters(t),
			right.Uplink(0).Counters(t), right.VF(0, 0).Counters(t), right.VF(0, 0).FunctionCounters(t),
		}
	}
	before := counters()
	for _, f := range countedFrames {
		head, err := hex.DecodeString(f.head)
		if err != nil {
			t.Fatal(err)
		}
		pair.VFs[0].SendFrame(t, pair.VFs[0].Device, append(head, make([]byte, f.size-len(head))...), f.times)
	}
	after := counters()
	for i, w := range []map[string]int64{want.function, want.vf, want.uplink, want.farUplink, want.farVF, want.farFunction} {
		if diff := cmp.Diff(w, moved(before[i], after[i])); diff != "" {
			t.Errorf("%s: place %d (-want +got):\n%s", what, i, diff)
		}
	}
}

// ofAQueue is the name of a counter of one queue.
var ofAQueue = regexp.MustCompile(`^([rt]x)\d_(packets|bytes)$`) // rx3_bytes

// moved are the counters that are not as they were, by how much; those of queues
// together, since the kernel chooses the queue.
func moved(before, after map[string]int64) map[string]int64 {
	var all map[string]int64 // nil where nothing moves
	for name, value := range after {
		if by := value - before[name]; by != 0 {
			if all == nil {
				all = map[string]int64{}
			}
			all[ofAQueue.ReplaceAllString(name, "$1 queues $2")] += by
		}
	}
	return all
}
