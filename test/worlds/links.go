package worlds

import (
	"fmt"
	"testing"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// AddVeths makes pairs veth pairs in the current namespace, named a0…/b0…, up.
func AddVeths(t testing.TB, pairs int) {
	t.Helper()
	for i := range pairs {
		AddVeth(t, fmt.Sprintf("a%d", i), fmt.Sprintf("b%d", i))
	}
}

// AddVeth makes one veth pair in the current namespace and sets both ends up.
func AddVeth(t testing.TB, name, peer string) {
	t.Helper()
	AddVethInGroup(t, name, peer, 0)
}

// AddVethInGroup is AddVeth with the first end in a device group.
func AddVethInGroup(t testing.TB, name, peer string, group int) {
	t.Helper()
	attrs := netlink.NewLinkAttrs()
	attrs.Name, attrs.Group = name, uint32(group)
	if err := netlink.LinkAdd(&netlink.Veth{LinkAttrs: attrs, PeerName: peer}); err != nil {
		t.Fatalf("add veth %s: %v", name, err)
	}
	SetUp(t, name)
	SetUp(t, peer)
}

// AddWideVeth makes a veth pair whose first end has so many queues each way, for
// an interface with thousands of statistics: nine a queue, and one.
func AddWideVeth(t testing.TB, name, peer string, queues int) {
	t.Helper()
	attrs := netlink.NewLinkAttrs()
	attrs.Name, attrs.NumRxQueues, attrs.NumTxQueues = name, queues, queues
	if err := netlink.LinkAdd(&netlink.Veth{LinkAttrs: attrs, PeerName: peer}); err != nil {
		t.Fatalf("add veth %s of %d queues: %v", name, queues, err)
	}
	SetUp(t, name)
	SetUp(t, peer)
}

// DeleteGroup deletes all devices of a group at once, and with them the peers
// of its veths (IFLA_GROUP of RTM_DELLINK).
func DeleteGroup(t testing.TB, group int) {
	t.Helper()
	request := nl.NewNetlinkRequest(unix.RTM_DELLINK, unix.NLM_F_ACK)
	request.AddData(nl.NewIfInfomsg(unix.AF_UNSPEC))
	request.AddData(nl.NewRtAttr(unix.IFLA_GROUP, nl.Uint32Attr(uint32(group))))
	if _, err := request.Execute(unix.NETLINK_ROUTE, 0); err != nil {
		t.Fatalf("delete group %d: %v", group, err)
	}
}

// SetUp sets a device of the current namespace administratively up.
func SetUp(t testing.TB, name string) {
	t.Helper()
	if err := netlink.LinkSetUp(find(t, name)); err != nil {
		t.Fatalf("set %s up: %v", name, err)
	}
}

// Rename renames a device of the current namespace.
func Rename(t testing.TB, name, to string) {
	t.Helper()
	if err := netlink.LinkSetName(find(t, name), to); err != nil {
		t.Fatalf("rename %s: %v", name, err)
	}
}

func find(t testing.TB, name string) netlink.Link {
	t.Helper()
	link, err := netlink.LinkByName(name)
	if err != nil {
		t.Fatalf("find %s: %v", name, err)
	}
	return link
}
