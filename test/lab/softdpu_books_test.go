//go:build lab

package lab

import (
	"maps"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/test/lab/world"
)

// books are what is counted at a port of a DPU, by the module.
type books map[world.DPUPort]world.DPUTraffic

func readBooks(t *testing.T, ports []world.DPUPort) books {
	t.Helper()
	all := books{}
	for _, p := range ports {
		all[p] = p.Traffic(t)
	}
	return all
}

// audit reads the books of a pair, once nothing moves, and compares them with
// what others tell: ip(8), the program, the endpoints; and with one another.
func audit(t *testing.T, pair world.DPUPair) books {
	t.Helper()
	var told map[string]told
	var counted books
	world.Await(t, "nothing moves", func() bool {
		counted = readBooks(t, pair.Ports())
		told = readTold(t)
		return maps.Equal(counted, readBooks(t, pair.Ports()))
	})
	for p, c := range counted {
		want := told[p.Netdev()]
		if want.link != c.Eswitch || want.interfaces != c.Eswitch {
			t.Errorf("%s has carried %+v; ip says %+v, the program %+v", p.Netdev(), c.Eswitch, want.link, want.interfaces)
		}
		if want.cpuHit != c.Software || want.slowPath != c.Software {
			t.Errorf("software has carried %+v at %s; ip says %+v, the program %+v", c.Software, p.Netdev(), want.cpuHit, want.slowPath)
		}
	}
	checkEnds(t, pair, counted)
	return counted
}

// checkEnds: what goes in at one end of a function or wire comes out at the
// other, by those who count there.
func checkEnds(t *testing.T, pair world.DPUPair, counted books) {
	t.Helper()
	for i, d := range pair.DPUs {
		vf := counted[d.VF(0, 0)]
		if own := pair.VFs[i].Traffic(t); vf.Eswitch.Turned() != vf.Function || own != vf.Function {
			t.Errorf("VF of %s: eswitch %+v, function %+v, /proc/net/dev %+v", d.Name, vf.Eswitch, vf.Function, own)
		}
	}
	left, right := counted[pair.DPUs[0].Uplink(0)], counted[pair.DPUs[1].Uplink(0)]
	if left.Eswitch != right.Eswitch.Turned() {
		t.Errorf("ends of the wire: %+v, %+v", left.Eswitch, right.Eswitch)
	}
}

// told is what others say of a netdev: ip(8) and the program.
type told struct{ link, cpuHit, interfaces, slowPath world.Traffic }

func readTold(t *testing.T) map[string]told {
	t.Helper()
	links, hits, e := ipCounters(t), cpuHits(t), collect(t)
	interfaces, slowPath := e.traffic(t, "dpu_interface_"), e.traffic(t, "dpu_offload_slow_path_")
	all := map[string]told{}
	for name := range links {
		all[name] = told{trafficBy(links, name), trafficBy(hits, name), interfaces[name], slowPath[name]}
	}
	return all
}

// trafficBy is the traffic of a device in counters that ip(8) shows.
func trafficBy(c counters, device string) world.Traffic {
	of := func(name string) int64 { return int64(c[device][name]) }
	return world.Traffic{RxPackets: of("rx packets"), RxBytes: of("rx bytes"), TxPackets: of("tx packets"), TxBytes: of("tx bytes")}
}

// traffic is the traffic by device in four families of a prefix.
func (e exposition) traffic(t *testing.T, prefix string) map[string]world.Traffic {
	t.Helper()
	of := func(suffix string) map[string]float64 { return e.by(t, prefix+suffix, "device") }
	rxPackets, rxBytes := of("receive_packets_total"), of("receive_bytes_total")
	txPackets, txBytes := of("transmit_packets_total"), of("transmit_bytes_total")
	all := map[string]world.Traffic{}
	for device := range rxPackets {
		all[device] = world.Traffic{
			RxPackets: int64(rxPackets[device]), RxBytes: int64(rxBytes[device]),
			TxPackets: int64(txPackets[device]), TxBytes: int64(txBytes[device]),
		}
	}
	return all
}

// cpuHits are the counters of the slow path by device, as `ip stats` shows
// them; a device without them is not there.
func cpuHits(t *testing.T) counters {
	t.Helper()
	all := counters{}
	for _, d := range world.RunJSON[[]struct {
		Name  string                        `json:"ifname"`
		Stats map[string]map[string]float64 `json:"stats64"`
	}](t, "ip", "-j", "stats", "show", "group", "offload", "subgroup", "cpu_hit") {
		for direction, shown := range d.Stats {
			for name, value := range shown {
				if all[d.Name] == nil {
					all[d.Name] = map[string]float64{}
				}
				all[d.Name][direction+" "+name] = value
			}
		}
	}
	return all
}
