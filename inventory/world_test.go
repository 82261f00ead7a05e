package inventory

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/dpu-exporter/dpu-exporter/test/worlds"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// live opens an inventory of the test's namespace and runs it until the test
// ends.
func live(t testing.TB, o Options) *Inventory {
	t.Helper()
	i, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := i.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- i.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
		if err := i.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return i
}

// waitFor waits for the inventory to become as wanted.
func waitFor(t testing.TB, i *Inventory, what string, wanted func(s *Snapshot) bool) {
	t.Helper()
	deadline := time.After(10 * time.Second)
	for {
		changed := i.Changed()
		if wanted(i.Snapshot()) {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			t.Fatalf("no change to: %s; devices %q", what, namesIn(i.Snapshot()))
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func linkNamed(t testing.TB, name string) netlink.Link {
	t.Helper()
	link, err := netlink.LinkByName(name)
	must(t, err)
	return link
}

func TestWorldOfVeths(t *testing.T) {
	worlds.Enter(t)
	worlds.AddVeths(t, 1)
	i := live(t, Options{})

	waitFor(t, i, "a0 up", func(s *Snapshot) bool { return deviceNamed(t, s, "a0").OperState == "up" })
	s := i.Snapshot()
	if namesIn(s) != "a0 b0 lo" || s.Summary() != "0 uplinks, 0 PFs, 0 VFs, 0 SFs, 0 representors, 3 other links" {
		t.Fatalf("devices %q, %s", namesIn(s), s.Summary())
	}
	a, b := deviceNamed(t, s, "a0"), deviceNamed(t, s, "b0")
	if a.Role != "veth" || a.Lower != "b0" || !a.Up || *a.Carrier != true || a.MTU != 1500 || a.Address == "" {
		t.Errorf("a0: %+v", a)
	}
	if a.Namespace == 0 || a.Namespace != b.Namespace || a.Namespace != s.Namespace.Inode {
		t.Errorf("namespaces %d, %d, %d", a.Namespace, b.Namespace, s.Namespace.Inode)
	}
	if deviceNamed(t, s, "lo").Role != Loopback {
		t.Errorf("lo: %+v", deviceNamed(t, s, "lo"))
	}

	index := a.Index
	must(t, netlink.LinkSetName(linkNamed(t, "a0"), "c0"))
	waitFor(t, i, "rename", func(s *Snapshot) bool { d := s.ByIndex(index); return d != nil && d.Name == "c0" })
	if d := deviceNamed(t, i.Snapshot(), "b0"); d.Lower != "c0" {
		t.Errorf("the peer's lower is %q after the rename", d.Lower)
	}
	must(t, netlink.LinkAddAltName(linkNamed(t, "c0"), "a-much-longer-alternative-name"))
	waitFor(t, i, "alternative name", func(s *Snapshot) bool { return len(s.ByIndex(index).AltNames) == 1 })
	must(t, netlink.LinkSetDown(linkNamed(t, "b0")))
	waitFor(t, i, "carrier lost", func(s *Snapshot) bool {
		d := s.ByIndex(index)
		return d.Up && !*d.Carrier && d.OperState == "lowerlayerdown"
	})
	must(t, netlink.LinkDel(linkNamed(t, "c0")))
	waitFor(t, i, "removal", func(s *Snapshot) bool { return namesIn(s) == "lo" })
}

func TestWorldMoveToAnotherNamespace(t *testing.T) {
	worlds.Enter(t)
	worlds.AddVeths(t, 1)
	i := live(t, Options{})
	other := otherNamespace(t)
	must(t, netlink.LinkSetNsFd(linkNamed(t, "b0"), other))
	waitFor(t, i, "b0 leaves", func(s *Snapshot) bool { return namesIn(s) == "a0 lo" })
	waitFor(t, i, "lower is foreign", func(s *Snapshot) bool { return deviceNamed(t, s, "a0").Lower == "" })
}

// otherNamespace makes one more network namespace.
func otherNamespace(t testing.TB) (fd int) {
	t.Helper()
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // the thread ends with the goroutine
		err := unix.Unshare(unix.CLONE_NEWNET)
		if err == nil {
			fd, err = unix.Open("/proc/thread-self/ns/net", unix.O_RDONLY|unix.O_CLOEXEC, 0)
		}
		done <- err
	}()
	must(t, <-done)
	t.Cleanup(func() { must(t, unix.Close(fd)) })
	return fd
}

// A bridge tells of its ports in the same multicast group, where RTM_DELLINK
// means only that the port left the bridge.
func TestWorldBridgePortThatLeavesStays(t *testing.T) {
	worlds.Enter(t)
	worlds.AddVeths(t, 1)
	i := live(t, Options{})
	attrs := netlink.NewLinkAttrs()
	attrs.Name = "br0"
	bridge := &netlink.Bridge{LinkAttrs: attrs}
	must(t, netlink.LinkAdd(bridge))
	must(t, netlink.LinkSetMaster(linkNamed(t, "a0"), bridge))
	waitFor(t, i, "a0 joins", func(s *Snapshot) bool { return deviceNamed(t, s, "a0").Master == "br0" })
	must(t, netlink.LinkSetNoMaster(linkNamed(t, "a0")))
	waitFor(t, i, "a0 leaves", func(s *Snapshot) bool { return deviceNamed(t, s, "a0").Master == "" })
	if got := namesIn(i.Snapshot()); got != "a0 b0 br0 lo" || deviceNamed(t, i.Snapshot(), "br0").Role != "bridge" {
		t.Errorf("devices %q", got)
	}
}

func TestWorldHostileNames(t *testing.T) {
	worlds.Enter(t)
	hostile := []string{`a"b`, "a{b}=\\", "a\xff\xfeb", "-rf", "<b>&", "..."}
	for n, name := range hostile {
		worlds.AddVeth(t, name, fmt.Sprintf("peer%d", n))
	}
	i := live(t, Options{Filter: filter(t, "", "peer[0-9]+|lo")})
	s := i.Snapshot()
	if len(s.Devices) != len(hostile) || s.Excluded != len(hostile)+1 || len(s.Notes) > 2 {
		t.Fatalf("devices %q, excluded %d, notes %v", namesIn(s), s.Excluded, s.Notes)
	}
	for _, name := range hostile {
		if d := deviceNamed(t, s, name); d.Role != "veth" {
			t.Errorf("%q: %+v", name, d)
		}
	}
}

// A device that is down says nothing when it gains a name, and the first event
// of a veth does not tell its peer: both are known all the same, a little later.
func TestWorldUnannouncedChanges(t *testing.T) {
	worlds.Enter(t)
	ifb := &netlink.Ifb{LinkAttrs: netlink.LinkAttrs{Name: "ifb7"}}
	must(t, netlink.LinkAdd(ifb))
	i := live(t, Options{Filter: filter(t, "", "secret-[0-9]"), ResyncEvery: restart})
	quiet, first := i.Changed(), i.Snapshot()
	if namesIn(first) != "ifb7 lo" || !first.Filtered || first.Excluded != 0 {
		t.Fatalf("devices %q, filtered %v", namesIn(first), first.Filtered)
	}
	select {
	case <-quiet:
		t.Error("full reads that find nothing new are called a change")
	case <-time.After(2*restart + restart/2):
	}
	must(t, netlink.LinkSetAlias(ifb, "north"))
	waitFor(t, i, "alias", func(s *Snapshot) bool { return deviceNamed(t, s, "ifb7").Alias == "north" })
	must(t, netlink.LinkAddAltName(ifb, "secret-1"))
	waitFor(t, i, "excluded by its new name", func(s *Snapshot) bool { return namesIn(s) == "lo" && s.Excluded == 1 })
}

func TestWorldPeerOfANewVeth(t *testing.T) {
	worlds.Enter(t)
	i := live(t, Options{})
	must(t, netlink.LinkAdd(&netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: "down0"}, PeerName: "down1"}))
	waitFor(t, i, "both know each other", func(s *Snapshot) bool {
		return namesIn(s) == "down0 down1 lo" && s.Devices[0].Lower == "down1" && s.Devices[1].Lower == "down0"
	})
	if h := i.Health(); h.Reads[Settled] == 0 || h.Reads[Periodic] != 0 {
		t.Errorf("reads %v", h.Reads)
	}
}

// Links come and go while many read.
func TestWorldChurn(t *testing.T) {
	worlds.Enter(t)
	worlds.AddVeths(t, 20)
	i := live(t, Options{})
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				s := i.Snapshot()
				for _, d := range s.Devices {
					if s.ByIndex(d.Index) != d || d.Name == "" || d.Role == "" {
						t.Errorf("inconsistent snapshot: %+v", d)
						return
					}
				}
				_ = i.Health()
				runtime.Gosched()
			}
		})
	}
	readers.Go(func() {
		for range 10 {
			if err := i.Sync(t.Context()); err != nil {
				t.Errorf("Sync: %v", err)
			}
		}
	})
	for end, n := time.Now().Add(3*time.Second), 0; time.Now().Before(end); n++ {
		worlds.AddVeth(t, "x0", "y0")
		must(t, netlink.LinkSetName(linkNamed(t, "y0"), fmt.Sprintf("z%d", n)))
		must(t, netlink.LinkDel(linkNamed(t, "x0")))
	}
	close(stop)
	readers.Wait()
	waitFor(t, i, "only what is left", func(s *Snapshot) bool { return len(s.Devices) == 41 })
	t.Logf("%d events, reads %v", i.Health().Events, i.Health().Reads)
}
