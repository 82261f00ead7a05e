//go:build lab

package lab

import (
	"testing"

	"github.com/dpu-exporter/dpu-exporter/test/lab/world"
)

const (
	readSize = 8   // bytes
	reads    = 200 // enough for an order of percentiles
)

func TestRXEPairReads(t *testing.T) {
	pair := world.AddRXEPair(t, world.SharedRDMA)
	reader, server := pair[0], pair[1]
	before := reader.Counters(t)
	checkReadLatency(t, reader, reader.ReadLatency(t, server, readSize, reads))
	checkReadCounters(t, before, reader.Counters(t))
	checkSeenFrom(t, world.SharedRDMA, pair)
	if _, err := world.Try(t, "rdma", "system", "set", "netns", "exclusive"); err == nil {
		t.Error("the kernel made RDMA exclusive with a namespace there")
	}
	checkSIW(t, world.AddRDMADevice(t, "siw0", "siw", reader.Endpoint), server)
}

// checkSIW: an iWARP device is as its netdev is.
func checkSIW(t *testing.T, d, peer world.RDMADevice) {
	t.Helper()
	state := func() string {
		for _, link := range d.RDMALinks(t) {
			if link.Ifname == d.Name && link.Netdev == d.Device {
				return link.State + " " + link.PhysicalState
			}
		}
		return ""
	}
	if got := state(); got != "ACTIVE LINK_UP" {
		t.Errorf("siw is %q", got)
	}
	peer.Run(t, "ip", "link", "set", peer.Device, "down")
	world.Await(t, "siw DOWN without a carrier", func() bool { return state() == "DOWN DISABLED" })
}

func TestRXEPairIsExclusive(t *testing.T) {
	pair := world.AddRXEPair(t, world.ExclusiveRDMA)
	checkSeenFrom(t, world.ExclusiveRDMA, pair)
	checkReadLatency(t, pair[0], pair[0].ReadLatency(t, pair[1], readSize, reads))
	if out, err := pair[0].Try(t, "rdma", "link", "show", pair[1].Name); err == nil {
		t.Errorf("asked for by name it is seen: %s", out)
	}
}

// checkReadLatency checks shape and order; how long it took says nothing here.
func checkReadLatency(t *testing.T, reader world.RDMADevice, l world.ReadLatency) {
	t.Helper()
	if l.Device != reader.Name || l.Size != readSize || l.Iterations != reads {
		t.Errorf("ib_read_lat measured something else: %+v", l)
	}
	if l.Min <= 0 || l.Min > l.Typical || l.Typical > l.P99 || l.P99 > l.P999 || l.P999 > l.Max || l.Average < l.Min || l.Average > l.Max {
		t.Errorf("percentiles out of order: %+v", l)
	}
}

// checkReadCounters: a read is one packet there and, while it fits one, one
// back; RoCE repeats what is lost.
func checkReadCounters(t *testing.T, before, after map[string]uint64) {
	t.Helper()
	for _, name := range []string{"sent_pkts", "rcvd_pkts"} {
		if moved := after[name] - before[name]; moved < reads || moved > 2*reads {
			t.Errorf("%s moved by %d with %d reads", name, moved, reads)
		}
		bytes := map[string]string{"sent_pkts": "sent_bytes", "rcvd_pkts": "rcvd_bytes"}[name]
		if moved := after[bytes] - before[bytes]; moved < reads*readSize {
			t.Errorf("%s moved by %d with %d reads of %d bytes", bytes, moved, reads, readSize)
		}
	}
}

// checkSeenFrom checks who sees which device, and which netdev below it.
func checkSeenFrom(t *testing.T, mode world.RDMAMode, pair [2]world.RDMADevice) {
	t.Helper()
	for i, d := range pair {
		seen := map[string]world.RDMALink{}
		for _, link := range d.RDMALinks(t) {
			seen[link.Ifname] = link
		}
		if own := seen[d.Name]; own.State != "ACTIVE" || own.PhysicalState != "LINK_UP" || own.Netdev != d.Device {
			t.Errorf("%s from its own namespace: %+v", d.Name, own)
		}
		other, there := seen[pair[1-i].Name]
		if there != (mode == world.SharedRDMA) {
			t.Errorf("%s sees %s: %v in mode %s", d.Namespace, pair[1-i].Name, there, mode)
		}
		if other.Netdev != "" {
			t.Errorf("%s sees the netdev %s of another namespace", d.Namespace, other.Netdev)
		}
	}
	if all := world.Namespace("").RDMALinks(t); len(all) != map[world.RDMAMode]int{world.SharedRDMA: 2, world.ExclusiveRDMA: 0}[mode] {
		t.Errorf("the first namespace sees %+v in mode %s", all, mode)
	}
}
