//go:build lab

package lab

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// stormTunnel is a VXLAN device whose tunnels rules say.
const stormTunnel = "sttun"

// addresses of the underlay and of what is in the tunnel
const (
	stormTunnelPort = 4789
	stormVNI        = 5
	stormNear       = "192.0.2.1" // of an uplink
	stormFar        = "192.0.2.9"
)

// stormMACs are addresses that functions are given and frames sent to.
var stormMACs = []net.HardwareAddr{{2, 0, 0, 0, 0, 1}, {2, 0, 0, 0, 0, 2}, {2, 0, 0, 0, 0, 3}, {2, 0, 0, 0, 0, 4}}

// movers change what netdevs are, and where.
func (s *storm) movers() []actor {
	return []actor{
		{"links", 2, 20 * time.Millisecond, []operation{
			{"link up", setUp}, {"link up", setUp}, {"link up", setUp}, {"link down", setDown},
			{"link mtu", setMTU}, {"link address", setMAC}, {"link rename", rename},
		}},
		{"vf settings", 1, 50 * time.Millisecond, []operation{{"vf setting", setVF}}},
		{"tunnel", 1, 200 * time.Millisecond, []operation{
			{"tunnel add", addTunnel}, {"tunnel underlay", setUnderlay}, {"tunnel underlay", setUnderlay}, {"tunnel remove", removeTunnel},
		}},
		{"namespaces", 1, 100 * time.Millisecond, []operation{
			{"namespace add", s.addNamespace}, {"namespace take", s.moveIn}, {"namespace take", s.moveIn}, {"namespace take", s.moveIn},
			{"namespace return", s.moveOut}, {"namespace delete", s.deleteNamespace},
		}},
	}
}

// index finds a netdev of the first namespace. To ask by ioctl(2) would have the
// kernel look for a module of that name.
func index(name string) (int, error) {
	text, err := os.ReadFile("/sys/class/net/" + name + "/ifindex")
	if err != nil {
		return 0, unix.ENODEV
	}
	return strconv.Atoi(strings.TrimSpace(string(text)))
}

// on does something to a netdev of the first namespace.
func on(name string, do func(netlink.Link) error) error {
	index, err := index(name)
	if err != nil {
		return err
	}
	return do(&netlink.Device{LinkAttrs: netlink.LinkAttrs{Index: index}})
}

// setUp sets some up: what is made anew is down. One that is there will do.
func setUp(r *rand.Rand) error {
	var failed error
	for n := range 6 {
		if err := on(anyThere(r, everyNetdev), netlink.LinkSetUp); err == nil || n == 0 {
			failed = err
		}
	}
	return failed
}

func setDown(r *rand.Rand) error { return on(anyThere(r, everyNetdev), netlink.LinkSetDown) }

func setMTU(r *rand.Rand) error {
	return on(anyThere(r, everyNetdev), func(l netlink.Link) error { return netlink.LinkSetMTU(l, oneOf(r, []int{1280, 1500, 9000, 9000})) })
}

func setMAC(r *rand.Rand) error {
	return on(anyThere(r, everyNetdev), func(l netlink.Link) error { return netlink.LinkSetHardwareAddr(l, oneOf(r, stormMACs)) })
}

// rename gives a netdev another name and its own back, unless it is taken.
func rename(r *rand.Rand) error {
	name := anyThere(r, everyNetdev)
	return on(name, func(l netlink.Link) error {
		err := netlink.LinkSetName(l, "strenamed")
		pause(r, 5*time.Millisecond)
		return errors.Join(err, netlink.LinkSetName(l, name))
	})
}

func setVF(r *rand.Rand) error {
	vf := r.IntN(stormVFs)
	return on(anyThere(r, everyUplink), func(l netlink.Link) error {
		switch r.IntN(6) {
		case 0:
			return netlink.LinkSetVfHardwareAddr(l, vf, oneOf(r, stormMACs))
		case 1:
			return netlink.LinkSetVfVlanQos(l, vf, r.IntN(4096), r.IntN(8))
		case 2:
			return netlink.LinkSetVfRate(l, vf, 0, r.IntN(1000))
		case 3:
			return netlink.LinkSetVfSpoofchk(l, vf, r.IntN(2) == 0)
		case 4:
			return netlink.LinkSetVfTrust(l, vf, r.IntN(2) == 0)
		}
		return netlink.LinkSetVfState(l, vf, uint32(r.IntN(3)))
	})
}

func addTunnel(*rand.Rand) error {
	tunnel := &netlink.Vxlan{LinkAttrs: netlink.NewLinkAttrs(), FlowBased: true, Port: stormTunnelPort}
	tunnel.Name, tunnel.Flags = stormTunnel, net.FlagUp
	return netlink.LinkAdd(tunnel)
}

func removeTunnel(*rand.Rand) error { return on(stormTunnel, netlink.LinkDel) }

// setUnderlay gives an uplink the address of a tunnel's near end and makes its
// far end known there, so that hardware can encapsulate.
func setUnderlay(r *rand.Rand) error {
	return on(anyThere(r, everyUplink), func(l netlink.Link) error {
		address, err := netlink.ParseAddr(stormNear + "/24")
		return cmp.Or(err, netlink.AddrReplace(l, address), netlink.LinkSetUp(l), netlink.NeighSet(&netlink.Neigh{
			LinkIndex: l.Attrs().Index, State: netlink.NUD_PERMANENT, IP: net.ParseIP(stormFar), HardwareAddr: stormMACs[0],
		}))
	})
}
