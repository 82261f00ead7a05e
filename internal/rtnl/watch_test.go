package rtnl

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/test/worlds"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

func startWatch(t *testing.T) *Watcher {
	t.Helper()
	w, err := Watch()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

// until receives events up to and with the first that last accepts.
func until(t *testing.T, w *Watcher, last func(Event) bool) (events []Event) {
	t.Helper()
	for {
		received, err := w.Receive()
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range received {
			events = append(events, e)
			if last(e) {
				return events
			}
		}
	}
}

func removed(name string) func(Event) bool {
	return func(e Event) bool { return e.Removed && e.Link.Name == name }
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func TestWatchALife(t *testing.T) {
	worlds.Enter(t)
	w := startWatch(t)
	makeSubject(t, "ifb")
	ifb := &netlink.Ifb{LinkAttrs: netlink.LinkAttrs{Index: subjects["ifb"].index}}
	must(t, netlink.LinkSetUp(ifb), netlink.LinkSetMTU(ifb, 1234), netlink.LinkSetDown(ifb), netlink.LinkSetName(ifb, "other"), netlink.LinkDel(ifb))
	events := until(t, w, removed("other"))
	first := events[0]
	if first.Removed || first.Link.Name != "ifb" || first.Link.Index != 15 || first.Link.Kind != "ifb" || first.Link.MTU != 1500 {
		t.Errorf("first event %+v", first)
	}
	up, mtu := false, false
	for _, e := range events {
		up = up || e.Link.Flags&unix.IFF_UP != 0
		mtu = mtu || e.Link.MTU == 1234
	}
	if !up || !mtu {
		t.Errorf("up seen %v, MTU seen %v in %d events", up, mtu, len(events))
	}
}

func TestWatchMoveToOtherNamespace(t *testing.T) {
	worlds.Enter(t)
	worlds.AddVeth(t, "stays", "leaves")
	w := startWatch(t)
	link, err := netlink.LinkByName("leaves")
	must(t, err, netlink.LinkSetNsFd(link, int(otherNamespace(t).Fd())))
	events := until(t, w, removed("leaves"))
	if got := events[len(events)-1].Link.Index; got != link.Attrs().Index {
		t.Errorf("index %d removed, want %d", got, link.Attrs().Index)
	}
}

// TestWatchBridgePort: a port that leaves its bridge is announced as
// RTM_DELLINK of family AF_BRIDGE, and the device is still there.
func TestWatchBridgePort(t *testing.T) {
	worlds.Enter(t)
	worlds.AddVeth(t, "port", "peer")
	makeSubject(t, "bridge")
	port, err := netlink.LinkByName("port")
	must(t, err)
	w := startWatch(t)
	raw, err := openSocket(1<<(unix.RTNLGRP_LINK-1), watchReceiveBuffer)
	must(t, err)
	defer raw.Close()
	must(t, netlink.LinkSetMaster(port, &netlink.Bridge{LinkAttrs: netlink.LinkAttrs{Index: 10}}), netlink.LinkSetNoMaster(port))
	makeSubject(t, "ifb")
	joined := false
	for _, e := range until(t, w, func(e Event) bool { return e.Link.Name == "ifb" }) {
		if e.Removed {
			t.Errorf("%s removed, which only left its bridge", e.Link.Name)
		}
		joined = joined || e.Link.Master == 10
	}
	if !joined {
		t.Error("the port was never seen in its bridge")
	}
	if !sawBridgeRemoval(t, raw) {
		t.Error("the kernel did not send what this test is about")
	}
}

// sawBridgeRemoval reports whether RTM_DELLINK of family AF_BRIDGE is among
// what was received.
func sawBridgeRemoval(t *testing.T, s *socket) bool {
	t.Helper()
	for buffer := make([]byte, bufferSize); ; {
		length, err := s.receiveNow(buffer)
		if err != nil {
			return false
		}
		m, _, err := nextMessage(buffer[:length])
		must(t, err)
		if m.kind == unix.RTM_DELLINK && m.body[0] == unix.AF_BRIDGE {
			return true
		}
	}
}

// TestWatchIgnoresProcesses: root may send to the group; only the kernel counts.
func TestWatchIgnoresProcesses(t *testing.T) {
	worlds.Enter(t)
	w := startWatch(t)
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_ROUTE)
	must(t, err)
	defer unix.Close(fd)
	forged := []byte(packet(unix.RTM_DELLINK, 0, 0, ifinfo(1)+attribute(7, unix.IFLA_IFNAME, "lo\x00")))
	must(t, unix.Sendto(fd, forged, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK, Groups: 1 << (unix.RTNLGRP_LINK - 1)}))
	makeSubject(t, "ifb")
	if events := until(t, w, func(Event) bool { return true }); events[0].Link.Name != "ifb" {
		t.Errorf("first event %+v, want ifb", events[0])
	}
}

func TestWatchOverrun(t *testing.T) {
	worlds.Enter(t)
	w, err := watch(16 << 10) // room for some events, not for those of 20 pairs
	must(t, err)
	defer w.Close()
	worlds.AddVeths(t, 20)
	for err == nil {
		_, err = w.Receive()
	}
	if !errors.Is(err, ErrOverrun) {
		t.Fatalf("error %v, want ErrOverrun", err)
	}
	for { // what came before the loss is still there
		if _, err := w.socket.receiveNow(w.buffer); errors.Is(err, unix.EAGAIN) {
			break
		}
	}
	worlds.AddVeth(t, "marker", "peer")
	until(t, w, func(e Event) bool { return e.Link.Name == "marker" })
}

func TestWatchLongEvent(t *testing.T) {
	worlds.Enter(t)
	w := startWatch(t)
	w.buffer = make([]byte, 64)
	makeSubject(t, "ifb")
	if _, err := w.Receive(); !errors.Is(err, ErrOverrun) {
		t.Fatalf("error %v, want ErrOverrun", err)
	}
	must(t, netlink.LinkDel(&netlink.Ifb{LinkAttrs: netlink.LinkAttrs{Index: 15}}))
	until(t, w, removed("ifb"))
}

func TestWatchClose(t *testing.T) {
	w := startWatch(t)
	result := make(chan error)
	go func() {
		for {
			if _, err := w.Receive(); err != nil {
				result <- err
				return
			}
		}
	}()
	must(t, w.Close())
	if err := <-result; !errors.Is(err, os.ErrClosed) {
		t.Errorf("error %v, want os.ErrClosed", err)
	}
	if _, err := w.Receive(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("error %v after Close, want os.ErrClosed", err)
	}
}

func TestAppendEvents(t *testing.T) {
	bridge := []byte(ifinfo(3))
	bridge[0] = unix.AF_BRIDGE
	datagram := string(readCapture(t, "link/made-wireless.hex")) +
		packet(unix.RTM_NEWLINK, 0, 0, ifinfo(2)+attribute(5, unix.IFLA_MTU, "x")) +
		packet(unix.RTM_DELLINK, 0, 0, string(bridge)) +
		packet(unix.RTM_NEWADDR, 0, 0, "anything") +
		string(readCapture(t, "link/veth.hex")) +
		packet(unix.RTM_NEWLINK, 0, 0, "") +
		packet(unix.RTM_DELLINK, 0, 0, ifinfo(9))
	events, err := appendEvents(nil, []byte(datagram))
	if err == nil || err.Error() != "link 2: IFLA_MTU: 1 bytes, want 4" {
		t.Errorf("error %v, want the first one, of link 2", err)
	}
	if len(events) != 2 || events[0].Removed || events[0].Link.Name != "veth" || !events[1].Removed || events[1].Link.Index != 9 {
		t.Errorf("events %+v, want veth and removed 9", events)
	}
	if _, err := appendEvents(nil, []byte(datagram[:len(datagram)-1])); err == nil || !strings.Contains(err.Error(), "in the 31 bytes left") {
		t.Errorf("error %v, want that of the cut message too", err)
	}
}
