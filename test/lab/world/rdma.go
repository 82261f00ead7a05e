package world

import (
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// RDMAMode says how RDMA devices belong to network namespaces
// (rdma-system(8)).
type RDMAMode string

// The modes of rdma-system(8).
const (
	SharedRDMA    RDMAMode = "shared"    // all namespaces see all devices
	ExclusiveRDMA RDMAMode = "exclusive" // a device is in one namespace
)

// SetRDMAMode sets the mode until the test ends. The kernel refuses it (EBUSY)
// while any network namespace but the first exists.
func SetRDMAMode(t testing.TB, mode RDMAMode) {
	t.Helper()
	Run(t, "modprobe", "-a", "rdma_rxe", "ib_uverbs") // the mode is ib_core's
	set := func(m RDMAMode) {
		Await(t, "RDMA mode "+string(m), func() bool { // namespaces end some time after they are deleted
			_, err := Try(t, "rdma", "system", "set", "netns", string(m))
			return err == nil
		})
	}
	set(mode)
	if mode != SharedRDMA {
		t.Cleanup(func() { set(SharedRDMA) })
	}
}

// An RDMADevice is a software RDMA device over the netdev of an endpoint.
type RDMADevice struct {
	Endpoint
	Name string
}

// AddRXEPair makes two RoCE devices (rdma_rxe), each over one end of a veth in
// a namespace of its own. In exclusive mode each is in its namespace alone.
func AddRXEPair(t testing.TB, mode RDMAMode) [2]RDMADevice {
	t.Helper()
	SetRDMAMode(t, mode)
	wire := AddWire(t, "rdma-a", "192.0.2.1/24", "rdma-b", "192.0.2.2/24")
	var pair [2]RDMADevice
	for i, name := range []string{"rxe0", "rxe1"} {
		pair[i] = AddRDMADevice(t, name, "rxe", wire[i])
		if mode == ExclusiveRDMA { // rdma-link(8) makes it in the first namespace
			Run(t, "rdma", "dev", "set", name, "netns", string(wire[i].Namespace))
		}
	}
	return pair
}

// AddRDMADevice makes an RDMA device of a kind (rxe: RoCE, siw: iWARP) over the
// netdev of an endpoint (rdma-link(8)).
func AddRDMADevice(t testing.TB, name, kind string, at Endpoint) RDMADevice {
	t.Helper()
	if kind != "rxe" {
		Run(t, "modprobe", "-a", kind, "ib_uverbs")
	}
	_, err := at.tryInside(t, "rdma", "link", "add", name, "type", kind, "netdev", at.Device)
	must(t, err)
	t.Cleanup(func() { _, _ = at.tryInside(t, "rdma", "link", "del", name) }) // or it goes with its namespace
	return RDMADevice{at, name}
}

// gidLine is of what grep prints of /sys/class/infiniband/rxe0/ports/1.
var gidLine = regexp.MustCompile(`(?m)^(gids|gid_attrs/types)/(\d+):(.*)$`) // gids/1:0000:0000:0000:0000:0000:ffff:c000:0201

// GIDIndex is the index of the GID that RoCE v2 over the device's IPv4 address
// uses, which perftest takes as -x (ports/1/gids and gid_attrs in sysfs).
func (d RDMADevice) GIDIndex(t testing.TB) int {
	t.Helper()
	ip := hex.EncodeToString(d.Address.AsSlice())
	wanted := "0000:0000:0000:0000:0000:ffff:" + ip[:4] + ":" + ip[4:]
	found := -1
	Await(t, "GID "+wanted+" of "+d.Name, func() bool { // the kernel adds GIDs from a work queue
		out := d.Run(t, "sh", "-c", "cd /sys/class/infiniband/"+d.Name+
			"/ports/1 && grep -sH . gids/[0-9] gid_attrs/types/[0-9]; true") // types of empty GIDs cannot be read
		gid, kind := map[string]string{}, map[string]string{}
		for _, m := range gidLine.FindAllStringSubmatch(out, -1) {
			if m[1] == "gids" {
				gid[m[2]] = m[3]
			} else {
				kind[m[2]] = m[3]
			}
		}
		for index := range gid {
			if gid[index] == wanted && kind[index] == "RoCE v2" {
				found, _ = strconv.Atoi(index)
			}
		}
		return found >= 0
	})
	return found
}

// Counters are the hardware counters of the device's port by their names in
// rdma-statistic(8): sent_pkts, rcvd_pkts, sent_bytes…
func (d RDMADevice) Counters(t testing.TB) map[string]uint64 {
	t.Helper()
	counters := map[string]uint64{}
	out, err := d.tryInside(t, "rdma", "-p", "statistic", "show", "link", d.Name+"/1")
	must(t, err)
	for line := range strings.Lines(out) {
		f := strings.Fields(line) // sent_pkts 200, or link rxe0/1 alone or before the first
		for i := 0; i+1 < len(f); i += 2 {
			if n, err := strconv.ParseUint(f[i+1], 10, 64); err == nil {
				counters[f[i]] = n
			}
		}
	}
	return counters
}

// RDMALink is a port of an RDMA device as rdma-link(8) shows it.
type RDMALink struct {
	Ifname, State, Netdev string
	PhysicalState         string `json:"physical_state"`
}

// RDMALinks are the ports of the RDMA devices that this namespace sees.
func (n Namespace) RDMALinks(t testing.TB) (links []RDMALink) {
	t.Helper()
	n.Inside(t, func() { links = RunJSON[[]RDMALink](t, "rdma", "-j", "link", "show") })
	return links
}
