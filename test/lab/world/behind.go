package world

import (
	"fmt"
	"testing"

	"github.com/vishvananda/netlink"
)

// AddBehind makes an endpoint behind a device of this namespace: a VF behind
// its representor, a host behind a port of a NIC. What the endpoint sends the
// device receives, and what is sent to the device the endpoint receives.
//
// netdevsim carries nothing by itself, so tc(8) redirects between the device
// and the near end of a veth, in software. The device's own counters of
// packets do not move: netdevsim counts only what it carries itself. A bridge
// of Open vSwitch comes first: a port that it is given loses its queueing
// discipline.
func (n Namespace) AddBehind(t testing.TB, device, name, address string) Endpoint {
	t.Helper()
	port := "to-" + device
	e := n.AddEndpoint(t, name, port, address)
	n.Inside(t, func() {
		front, err := netlink.LinkByName(device)
		must(t, err)
		near, err := netlink.LinkByName(port)
		must(t, err)
		// The same address, or the kernel takes what is sent to the device's for
		// another host's.
		must(t, netlink.LinkSetHardwareAddr(near, front.Attrs().HardwareAddr))
		must(t, netlink.LinkSetUp(front))
	})
	n.Batch(t, "tc", fmt.Sprintf(`
		qdisc add dev %[1]s clsact
		filter add dev %[1]s ingress matchall action mirred ingress redirect dev %[2]s
		qdisc add dev %[2]s root handle 1: prio
		filter add dev %[2]s parent 1: matchall action mirred egress redirect dev %[1]s`, port, device))
	return e
}
