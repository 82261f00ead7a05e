//go:build lab

package lab

import (
	"fmt"
	"net"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/test/lab/world"
)

// stir makes devices of many kinds in this and another namespace, and has each
// counter that software can move move.
func stir(t *testing.T) {
	t.Helper()
	far := world.AddNamespace(t, "far")
	a, b := world.AddNIC(t, 2, 2), world.AddNIC(t, 1, 0)
	near, loose, away := a.Physical(t)[0], a.Physical(t)[1], b.Physical(t)[0]
	world.Batch(t, "ip", fmt.Sprintf("link set %s netns far\nlink add veth0 type veth peer name veth1 netns far\n", away)+
		upWithAddress(near, "192.0.2.1/24")+upWithAddress("veth0", "198.51.100.1/24")+upWithAddress(loose, "")+
		fmt.Sprintf("link add link %s vlan0 type vlan id 100\n", near)+upWithAddress("vlan0", "203.0.113.1/24")+
		"link add tun0 type ipip local 192.0.2.1 remote 10.9.9.9\n"+upWithAddress("tun0", "10.1.1.1/24")+
		"link add strict0 type gre local 198.51.100.1 remote 198.51.100.2 key 1 icsum\n"+upWithAddress("strict0", "10.1.2.1/24")+
		"link add strict1 type gre local 198.51.100.1 remote 198.51.100.2 key 2 iseq\n"+upWithAddress("strict1", "10.1.3.1/24"))
	t.Cleanup(func() {
		world.Batch(t, "ip", "link del vlan0\nlink del tun0\nlink del strict0\nlink del strict1\n")
		world.Run(t, "modprobe", "-r", "ipip", "ip_gre") // and their tunl0, gre0…
	})
	far.Batch(t, "ip", upWithAddress(away, "192.0.2.2/24")+upWithAddress("veth1", "198.51.100.2/24")+
		fmt.Sprintf("link add link %s vlan1 type vlan id 100\n", away)+upWithAddress("vlan1", "203.0.113.2/24")+
		"link add lax0 type gre local 198.51.100.2 remote 198.51.100.1 key 1\n"+upWithAddress("lax0", "10.1.2.2/24")+
		"link add lax1 type gre local 198.51.100.2 remote 198.51.100.1 key 2\n"+upWithAddress("lax1", "10.1.3.2/24"))
	if err := world.LinkPorts(t, "", near, far, away); err != nil {
		t.Fatal(err)
	}
	const unknown, ip = 0x88b5, 0x0800 // EtherTypes: one for experiments, which no protocol of Linux takes, and IPv4
	const all, group, stranger = "ff:ff:ff:ff:ff:ff", "01:00:5e:00:00:42", "02:00:00:00:00:99"
	here := world.Namespace("")
	for i, device := range []string{near, "veth0", "vlan0", loose} {
		here.SendFrames(t, device, all, unknown, 3+i)
	}
	for i, device := range []string{away, "veth1", "vlan1"} {
		far.SendFrames(t, device, all, unknown, 7+i)
	}
	far.SendFrames(t, "vlan1", group, unknown, 11)
	far.SendFrames(t, "veth1", stranger, ip, 12)
	sendUDP(t, "10.1.1.2:9") // no route to the far end of the tunnel
	world.Run(t, "ip", "route", "add", "10.9.9.9", "dev", "tun0")
	sendUDP(t, "10.1.1.2:9") // it leads into itself
	far.Inside(t, func() {
		sendUDP(t, "10.1.2.1:9") // without the checksum that is asked for
		sendUDP(t, "10.1.3.1:9") // without the sequence number
	})
}

func sendUDP(t *testing.T, to string) {
	t.Helper()
	c, err := net.Dial("udp4", to)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Write([]byte("lost")); err != nil {
		t.Fatal(err)
	}
}

// upWithAddress are commands of ip-link(8) and ip-address(8); without the
// addresses of IPv6, which would speak up by themselves.
func upWithAddress(device, address string) string {
	commands := fmt.Sprintf("link set %s addrgenmode none\nlink set %s up\n", device, device)
	if address != "" {
		commands += fmt.Sprintf("addr add %s dev %s\n", address, device)
	}
	return commands
}
