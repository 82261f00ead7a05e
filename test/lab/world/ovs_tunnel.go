package world

import (
	"fmt"
	"testing"
)

// An OVSTunnel is a bridge with a VXLAN port towards another host.
type OVSTunnel struct {
	Port    string   // the tunnel's interface in OVSDB
	Inside  Endpoint // at a port of the bridge
	Outside Endpoint // the other host's VXLAN device
}

// AddTunnel makes a bridge of the kernel's datapath with an endpoint and a VXLAN
// tunnel to another host, which is a namespace with a VXLAN device of the kernel
// and the same key (VNI).
func (o *OVS) AddTunnel(t testing.TB, bridge string, key int) OVSTunnel {
	t.Helper()
	Run(t, "modprobe", "vxlan")
	tunnel := OVSTunnel{Port: bridge + "-vx"}
	host := Namespace("").AddEndpoint(t, "tunnel-host", "underlay", "192.0.2.2/24")
	tunnel.Inside = Namespace("").AddEndpoint(t, "tunnel-in", bridge+"-in", "10.9.0.1/24")
	tunnel.Outside = Endpoint{Namespace: host.Namespace, Device: "vxlan0"}
	Batch(t, "ip", "address add 192.0.2.1/24 dev underlay")
	host.Batch(t, "ip", fmt.Sprintf(
		"link add %s type vxlan id %d local 192.0.2.2 remote 192.0.2.1 dstport 4789", tunnel.Outside.Device, key))
	tunnel.Outside.setAddress(t, "10.9.0.2/24")
	o.AddBridge(t, bridge, "system", "", bridge+"-in")
	o.Set(t, "add-port", bridge, tunnel.Port, "--", "set", "Interface", tunnel.Port, "type=vxlan",
		"options:remote_ip=192.0.2.2", fmt.Sprintf("options:key=%d", key))
	return tunnel
}
