package world

import (
	"fmt"
	"testing"
)

// A Fabric is two hosts, each a namespace, joined by a wire that carries
// tenants' traffic in VXLAN (RFC 7348).
type Fabric struct{ Hosts [2]Endpoint }

// AddFabric makes the hosts host-a and host-b.
func AddFabric(t testing.TB) Fabric {
	t.Helper()
	Run(t, "modprobe", "vxlan")
	return Fabric{AddWire(t, "host-a", "192.0.2.1/24", "host-b", "192.0.2.2/24")}
}

// AddEndpoint makes an endpoint whose device is a VXLAN device: what it sends
// leaves that host with the network identifier and arrives at the other host.
// One host has each identifier once.
func (f Fabric) AddEndpoint(t testing.TB, name string, host, vni int, address string) Endpoint {
	t.Helper()
	e := Endpoint{Namespace: AddNamespace(t, name), Device: "vxlan0"}
	here, there := f.Hosts[host], f.Hosts[1-host]
	here.Batch(t, "ip", fmt.Sprintf("link add %s type vxlan id %d local %s remote %s dev %s dstport 4789\nlink set %s netns %s",
		e.Device, vni, here.Address, there.Address, here.Device, e.Device, e.Namespace))
	e.setAddress(t, address)
	return e
}
