package world

import (
	"net"
	"net/netip"
	"testing"

	"github.com/vishvananda/netlink"
)

// An Endpoint is where a workload would be: a network namespace with one
// addressed device.
type Endpoint struct {
	Namespace
	Device  string     // its netdev
	Address netip.Addr // of the netdev, IPv4
}

// endpointDevice is what a veth's end is called at an endpoint.
const endpointDevice = "eth0"

// AddEndpoint makes an endpoint in a namespace of its own, at the far end of a
// veth. The near end is port, a device of this namespace, up. The address is
// written with its prefix, 192.0.2.1/24.
func (n Namespace) AddEndpoint(t testing.TB, name, port, address string) Endpoint {
	t.Helper()
	e := Endpoint{AddNamespace(t, name), endpointDevice, netip.Addr{}}
	file := e.open(t)
	defer file.Close()
	n.Inside(t, func() {
		attrs := netlink.NewLinkAttrs()
		attrs.Name, attrs.Flags = port, net.FlagUp
		must(t, netlink.LinkAdd(&netlink.Veth{LinkAttrs: attrs, PeerName: e.Device, PeerNamespace: netlink.NsFd(file.Fd())}))
	})
	// A namespace that is deleted takes its devices along at a time of its own.
	t.Cleanup(func() { n.Inside(t, func() { removeLink(port) }) })
	e.setAddress(t, address)
	return e
}

// AddWire makes two endpoints that are the two ends of one veth.
func AddWire(t testing.TB, a, addressA, b, addressB string) [2]Endpoint {
	t.Helper()
	near := Endpoint{AddNamespace(t, a), endpointDevice, netip.Addr{}}
	far := near.AddEndpoint(t, b, near.Device, addressB)
	near.setAddress(t, addressA)
	return [2]Endpoint{near, far}
}

// setAddress gives the endpoint its address and sets its device up.
func (e *Endpoint) setAddress(t testing.TB, address string) {
	t.Helper()
	e.Address = netip.MustParsePrefix(address).Addr()
	parsed, err := netlink.ParseAddr(address)
	must(t, err)
	e.Inside(t, func() {
		link, err := netlink.LinkByName(e.Device)
		must(t, err)
		must(t, netlink.AddrAdd(link, parsed))
		must(t, netlink.LinkSetUp(link))
	})
}

// via has the endpoint send to other networks through a gateway.
func (e Endpoint) via(t testing.TB, gateway string) {
	t.Helper()
	e.Inside(t, func() { must(t, netlink.RouteAdd(&netlink.Route{Gw: net.ParseIP(gateway)})) })
}

// removeLink deletes a device, if it is still there, and its veth peer.
func removeLink(name string) {
	if link, err := netlink.LinkByName(name); err == nil {
		_ = netlink.LinkDel(link)
	}
}
