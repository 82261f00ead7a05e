package world

import (
	"fmt"
	"net"
	"testing"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// A Tenant is a VRF of the guest's first namespace with two endpoints behind
// it, each on a network of its own: what one sends the other the guest routes.
type Tenant struct {
	VRF       string
	Table     int // its routing table
	Endpoints [2]Endpoint
	number    int
}

// AddTenants makes the VRFs red and blue. Neither reaches the other until Leak.
// Addresses are 10.1.0.0/24 and 10.1.1.0/24 for red, 10.2.0.0/24 and
// 10.2.1.0/24 for blue.
func AddTenants(t testing.TB) (red, blue Tenant) {
	t.Helper()
	Run(t, "modprobe", "vrf")
	SetSysctl(t, "net/ipv4/ip_forward", "1")
	red, blue = Tenant{VRF: "red", Table: 101, number: 1}, Tenant{VRF: "blue", Table: 102, number: 2}
	for _, tenant := range []*Tenant{&red, &blue} {
		tenant.make(t)
	}
	return red, blue
}

// make makes the VRF.
func (tenant *Tenant) make(t testing.TB) {
	t.Helper()
	commands := fmt.Sprintf(`
		link add %[1]s type vrf table %[2]d
		link set %[1]s up`, tenant.VRF, tenant.Table)
	for i := range tenant.Endpoints {
		port := tenant.port(i)
		tenant.Endpoints[i] = Namespace("").AddEndpoint(t, port, port, tenant.network(i, 2))
		tenant.Endpoints[i].via(t, fmt.Sprintf("10.%d.%d.1", tenant.number, i))
		commands += fmt.Sprintf(`
		link set %[1]s master %[2]s
		address add %[3]s dev %[1]s`, port, tenant.VRF, tenant.network(i, 1))
	}
	t.Cleanup(func() { removeLink(tenant.VRF) })
	Batch(t, "ip", commands)
	tenant.close(t)
}

// close keeps what the VRF's table does not know from the main table (vrf.rst).
// The route has no device to go with.
func (tenant *Tenant) close(t testing.TB) {
	t.Helper()
	route := &netlink.Route{
		Table: tenant.Table, Type: unix.RTN_UNREACHABLE, Priority: 4278198272,
		Dst: &net.IPNet{IP: net.IPv4zero, Mask: net.CIDRMask(0, 32)},
	}
	must(t, netlink.RouteAdd(route))
	t.Cleanup(func() { must(t, netlink.RouteDel(route)) })
}

// port is the device of the guest's first namespace that leads to an endpoint.
func (tenant *Tenant) port(endpoint int) string { return fmt.Sprintf("%s%d", tenant.VRF, endpoint) }

// network is the network of an endpoint with one of its addresses.
func (tenant *Tenant) network(endpoint, host int) string {
	return fmt.Sprintf("10.%d.%d.%d/24", tenant.number, endpoint, host)
}

// Leak gives the tenant's VRF routes to another tenant's networks: what it
// sends there arrives, but answers need a leak the other way.
func (tenant *Tenant) Leak(t testing.TB, to Tenant) { tenant.leak(t, "add", to) }

// Seal takes the routes of Leak away.
func (tenant *Tenant) Seal(t testing.TB, to Tenant) { tenant.leak(t, "del", to) }

func (tenant *Tenant) leak(t testing.TB, verb string, to Tenant) {
	t.Helper()
	routes := ""
	for i := range to.Endpoints {
		routes += fmt.Sprintf("route %s 10.%d.%d.0/24 dev %s table %d\n", verb, to.number, i, to.port(i), tenant.Table)
	}
	Batch(t, "ip", routes)
}
