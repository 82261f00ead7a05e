//go:build lab

package lab

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"net"
	"time"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// stormBlock is a block of filters that several netdevs share.
var stormBlock = uint32(7)

// anyBlock is how netlink names a shared block in the place of a netdev
// (TCM_IFINDEX_MAGIC_BLOCK).
const anyBlock = -1

// rulers change the rules of tc flower, and read them.
func (s *storm) rulers() []actor {
	return []actor{
		{"ingress", 1, 100 * time.Millisecond, []operation{
			{"ingress add", addIngress},
			{"ingress share", shareIngress}, {"ingress remove", removeIngress},
		}},
		{"rules", 2, 5 * time.Millisecond, []operation{
			{"rule add", func(r *rand.Rand) error { return rule(r, netlink.FilterAdd) }},
			{"rule replace", func(r *rand.Rand) error { return rule(r, netlink.FilterReplace) }},
			{"rule delete", deleteRule},
			{"rule of tunnel", decapsulation},
			{"rules read", readRules},
		}},
	}
}

func clsact(index int, block *uint32) netlink.Qdisc {
	return &netlink.GenericQdisc{QdiscType: "clsact", QdiscAttrs: netlink.QdiscAttrs{
		LinkIndex: index, Handle: netlink.MakeHandle(0xffff, 0), Parent: netlink.HANDLE_CLSACT, IngressBlock: block,
	}}
}

// anyRuled is what rules are put on.
func anyRuled(r *rand.Rand) string {
	if r.IntN(8) == 0 {
		return stormTunnel
	}
	return anyThere(r, everyEswitch)
}

func addIngress(r *rand.Rand) error {
	return on(anyRuled(r), func(l netlink.Link) error { return netlink.QdiscAdd(clsact(l.Attrs().Index, nil)) })
}

// shareIngress leaves tunnels alone: a netdev without offload that the kernel does
// not let share a block with offloaded rules stays in flow_indir_dev_list of
// net/core/flow_offload.c when it is gone (Linux 7.3), for the module to meet.
func shareIngress(r *rand.Rand) error {
	return on(anyThere(r, everyEswitch), func(l netlink.Link) error { return netlink.QdiscAdd(clsact(l.Attrs().Index, &stormBlock)) })
}

func removeIngress(r *rand.Rand) error {
	return on(anyRuled(r), func(l netlink.Link) error { return netlink.QdiscDel(clsact(l.Attrs().Index, nil)) })
}

// rule makes or replaces one of few rules, so that each is met again.
func rule(r *rand.Rand, do func(netlink.Filter) error) error {
	return on(anyThere(r, everyEswitch), func(l netlink.Link) error {
		priority := 1 + r.IntN(3)
		f := &netlink.Flower{
			FilterAttrs: netlink.FilterAttrs{
				LinkIndex: l.Attrs().Index, Parent: netlink.HANDLE_MIN_INGRESS, Handle: uint32(1 + r.IntN(3)),
				Priority: uint16(priority), Protocol: []uint16{unix.ETH_P_ALL, unix.ETH_P_IP, unix.ETH_P_8021Q}[priority-1],
			},
			SkipSw: r.IntN(3) == 0, SkipHw: r.IntN(10) == 0, Actions: anyActions(r),
		}
		if r.IntN(8) == 0 {
			f.LinkIndex, f.Parent = anyBlock, stormBlock
		}
		match(r, f)
		return withIngress(f, do)
	})
}

// withIngress does something to a filter, and gives its netdev an ingress first
// where it has none.
func withIngress(f netlink.Filter, do func(netlink.Filter) error) error {
	err := do(f)
	if f.Attrs().LinkIndex == anyBlock || !errors.Is(err, unix.EINVAL) {
		return err
	}
	if err := netlink.QdiscAdd(clsact(f.Attrs().LinkIndex, nil)); err != nil {
		return err
	}
	return do(f)
}

func match(r *rand.Rand, f *netlink.Flower) {
	f.EthType = f.Protocol
	switch f.Protocol {
	case unix.ETH_P_ALL:
		f.EthType = 0
		if r.IntN(2) == 0 {
			f.DestMac = oneOf(r, stormMACs)
		}
	case unix.ETH_P_IP:
		udp := nl.IPPROTO_UDP
		f.IPProto, f.DestPort = &udp, uint16(r.IntN(3))
	case unix.ETH_P_8021Q:
		f.VlanId = uint16(1 + r.IntN(3))
	}
}

// anyActions end with an output, a drop or a trap.
func anyActions(r *rand.Rand) []netlink.Action {
	switch r.IntN(8) {
	case 0:
		return []netlink.Action{&netlink.GenericAction{ActionAttrs: netlink.ActionAttrs{Action: netlink.TC_ACT_SHOT}}}
	case 1:
		return []netlink.Action{&netlink.VlanAction{ActionAttrs: piped, Action: netlink.TCA_VLAN_ACT_PUSH, VlanID: uint16(1 + r.IntN(3))}, output(r)}
	case 2:
		return []netlink.Action{&netlink.VlanAction{ActionAttrs: piped, Action: netlink.TCA_VLAN_ACT_POP}, output(r)}
	case 3:
		return []netlink.Action{mirror(r), mirror(r), output(r)}
	case 4:
		return []netlink.Action{mirror(r), &netlink.PeditAction{ActionAttrs: piped, DstMacAddr: oneOf(r, stormMACs)}, output(r)}
	case 5, 6:
		tunnel, _ := index(stormTunnel)
		return []netlink.Action{&netlink.TunnelKeyAction{
			ActionAttrs: piped, Action: netlink.TCA_TUNNEL_KEY_SET, KeyID: stormVNI, DestPort: stormTunnelPort,
			SrcAddr: net.ParseIP(stormNear), DstAddr: net.ParseIP(stormFar),
		}, netlink.NewMirredAction(tunnel)}
	}
	return []netlink.Action{output(r)}
}

var piped = netlink.ActionAttrs{Action: netlink.TC_ACT_PIPE}

func output(r *rand.Rand) netlink.Action {
	index, _ := index(anyThere(r, everyEswitch))
	return netlink.NewMirredAction(index)
}

func mirror(r *rand.Rand) netlink.Action {
	index, _ := index(anyThere(r, everyEswitch))
	return &netlink.MirredAction{ActionAttrs: piped, MirredAction: netlink.TCA_EGRESS_MIRROR, Ifindex: index}
}

// deleteRule deletes one that there is.
func deleteRule(r *rand.Rand) error {
	return on(anyRuled(r), func(l netlink.Link) error {
		all, err := netlink.FilterList(l, netlink.HANDLE_MIN_INGRESS)
		if err != nil || len(all) == 0 {
			return cmp.Or(err, error(unix.ENOENT))
		}
		return netlink.FilterDel(&netlink.Flower{FilterAttrs: *oneOf(r, all).Attrs()})
	})
}

// decapsulation makes or replaces a rule for what comes out of a tunnel.
func decapsulation(r *rand.Rand) error {
	return on(stormTunnel, func(l netlink.Link) error {
		f := &netlink.Flower{
			FilterAttrs: netlink.FilterAttrs{
				LinkIndex: l.Attrs().Index, Parent: netlink.HANDLE_MIN_INGRESS, Handle: uint32(1 + r.IntN(3)), Priority: 1, Protocol: unix.ETH_P_ALL,
			},
			EncKeyId: stormVNI, EncDestIP: net.ParseIP(stormNear), EncDestPort: stormTunnelPort, DestMac: oneOf(r, stormMACs),
			Actions: []netlink.Action{&netlink.TunnelKeyAction{ActionAttrs: piped, Action: netlink.TCA_TUNNEL_KEY_UNSET}, output(r)},
		}
		return withIngress(f, netlink.FilterReplace)
	})
}

// readRules has hardware tell its counts.
func readRules(r *rand.Rand) error {
	return on(anyRuled(r), func(l netlink.Link) error {
		_, err := netlink.FilterList(l, netlink.HANDLE_MIN_INGRESS)
		_, blocked := netlink.FilterList(&netlink.Device{LinkAttrs: netlink.LinkAttrs{Index: anyBlock}}, stormBlock)
		return cmp.Or(err, blocked)
	})
}
