//go:build lab

package lab

import (
	"maps"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/test/lab/world"
)

// TestSoftDPUSlowPath: without rules all that VFs of two DPUs say to each other
// goes through representors and uplinks, and software counts all of it.
func TestSoftDPUSlowPath(t *testing.T) {
	pair := world.AddDPUPair(t, world.DPUOptions{})
	pair.Bridge(t)
	reaches(t, "VF to VF", pair.VFs[0], pair.VFs[1], world.Pings, world.Pings)
	if n := pair.VFs[1].Exchange(t, pair.VFs[0], datagrams); n != datagrams {
		t.Errorf("%d of %d datagrams came back", n, datagrams)
	}
	if got := pair.VFs[0].IPerf(t, pair.VFs[1], "4M"); got < 4<<20 {
		t.Errorf("%d bytes of 4 MiB arrived", got)
	}
	for p, counted := range audit(t, pair) {
		if counted.Software != counted.Eswitch {
			t.Errorf("%s: software has carried %+v of %+v", p.Netdev(), counted.Software, counted.Eswitch)
		}
		if n := int64(world.Pings + datagrams); counted.Eswitch.RxPackets < n || counted.Eswitch.TxPackets < n {
			t.Errorf("%s: %+v, of at least %d packets each way", p.Netdev(), counted.Eswitch, n)
		}
	}
}

// TestSoftDPULegacy: in legacy mode functions reach each other without
// representors and software has no part in it.
func TestSoftDPULegacy(t *testing.T) {
	pair := world.AddDPUPair(t, world.DPUOptions{VFs: 2})
	left, right, other := pair.VFs[0], pair.VFs[1], pair.DPUs[0].VF(0, 1).Endpoint(t, "other", "10.8.0.3/24")
	reaches(t, "with nothing between representors", left, other, 0, 0)
	for _, d := range pair.DPUs {
		d.SetMode(t, world.Legacy)
	}
	reaches(t, "VF to VF of one uplink", left, other, world.Pings, world.Pings)
	before := pair.DPUs[0].Uplink(0).Traffic(t)
	reaches(t, "VF to VF over the wire", left, right, world.Pings, world.Pings)
	n := pair.DPUs[0].Uplink(0).Traffic(t).Eswitch.Since(before.Eswitch)
	if n.TxPackets < world.Pings || n.RxPackets < world.Pings {
		t.Errorf("over the wire went %+v", n)
	}
	checkLegacy(t, pair)
}

// checkLegacy: the eswitch counts for each VF what its function does, the wire
// has no more than that, and nobody tells of a slow path.
func checkLegacy(t *testing.T, pair world.DPUPair) {
	t.Helper()
	var counted books
	world.Await(t, "nothing moves", func() bool {
		counted = readBooks(t, pair.Ports())
		return maps.Equal(counted, readBooks(t, pair.Ports()))
	})
	checkEnds(t, pair, counted)
	for i, d := range pair.DPUs {
		shown, own := world.VFs(t, d.Uplink(0).Netdev())[0].Stats, pair.VFs[i].Traffic(t)
		vf := world.Traffic{
			RxPackets: int64(shown["rx"]["packets"]), RxBytes: int64(shown["rx"]["bytes"]),
			TxPackets: int64(shown["tx"]["tx_packets"]), TxBytes: int64(shown["tx"]["tx_bytes"]),
		}
		if vf != own || own.RxPackets < world.Pings {
			t.Errorf("VF 0 of %s: %+v at the uplink, %+v at the function", d.Name, vf, own)
		}
	}
	if hits := cpuHits(t); len(hits) > 0 {
		t.Errorf("slow path in legacy mode: %v", hits)
	}
	if slow := collect(t).traffic(t, "dpu_offload_slow_path_"); len(slow) > 0 {
		t.Errorf("the program's slow path in legacy mode: %v", slow)
	}
}
