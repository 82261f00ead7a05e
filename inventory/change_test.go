package inventory

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dpu-exporter/dpu-exporter/internal/devlink"
	"github.com/dpu-exporter/dpu-exporter/internal/rtnl"
	"golang.org/x/sys/unix"
)

// changes reports whether do is heard of and makes a new snapshot.
func changes(t *testing.T, i *Inventory, do func()) bool {
	t.Helper()
	before, changed := i.Snapshot(), i.Changed()
	do()
	heard := false
	select {
	case <-changed:
		heard = true
	default:
	}
	if fresh := i.Snapshot() != before; fresh != heard {
		t.Errorf("heard of a change: %v; new snapshot: %v", heard, fresh)
	}
	return heard
}

func TestReadThatFindsNothingNewIsNoChange(t *testing.T) {
	k := sriovHost()
	k.links = append(k.links, rtnl.Link{Index: 30, Name: "old0"}, rtnl.Link{Index: 31, Name: "veth0", Kind: "veth"})
	k.modes[pf1] = unix.EPERM
	i := k.inventory(t, "testdata/sriov.tree", Options{})
	synced(t, i)
	read := func() { synced(t, i) }
	for range 2 {
		if changes(t, i, read) || changes(t, i, func() { i.refresh(t.Context()) }) {
			t.Error("a read that finds nothing new is called a change")
		}
	}
	remove := func(path string) {
		t.Helper()
		must(t, os.RemoveAll(filepath.Join(string(i.sysfs), path)))
	}
	for _, c := range []struct {
		name string
		do   func()
	}{
		{"alias", func() { k.links[0].Alias = "north" }},
		{"alternative name", func() { k.links[1].AltNames = []string{"enp3s0f1"} }},
		{"link gone", func() { k.links = slices.Delete(k.links, 5, 6) }},
		{"eswitch mode", func() { k.modes[pf0] = devlink.Legacy }},
		{"port gone", func() { k.ports = slices.Delete(k.ports, 4, 5) }},
		{"ports fail", func() { k.portErrs = []error{unix.EIO} }},
		{"ports recover", func() {}},
		{"a link cannot be decoded", func() { k.linkErrs = []error{unix.EBADMSG} }},
		{"links recover", func() {}},
		{"RDMA device gone", func() { remove("class/infiniband/mlx5_0") }},
		{"VF without a netdev gone", func() { remove("devices/pci0000:00/0000:03:00.0/virtfn1") }},
	} {
		if !changes(t, i, func() { c.do(); read() }) {
			t.Errorf("%s: no change", c.name)
		}
	}
	if changes(t, i, read) {
		t.Error("a change after the last one")
	}
}

// A device that could not be read is read again, and is news when that succeeds.
func TestRefreshTellsOfWhatItFinds(t *testing.T) {
	k := newFakeKernel(pciLink(2, "p0", "0000:03:00.0"))
	i := k.inventory(t, "", Options{})
	generation := synced(t, i).ByIndex(2).Generation
	refresh := func() { i.refresh(t.Context()) }
	if changes(t, i, refresh) {
		t.Error("a refresh that finds nothing is called a change")
	}
	dir := filepath.Join(string(i.sysfs), "bus/pci/devices")
	must(t, os.MkdirAll(dir, 0o755))
	must(t, os.Symlink("../../../devices/pci0000:00/0000:03:00.0", filepath.Join(dir, "0000:03:00.0")))
	if !changes(t, i, refresh) {
		t.Error("no change")
	}
	if d := i.Snapshot().ByIndex(2); d.Role != PF || d.Generation != generation {
		t.Errorf("after the refresh: %+v", d)
	}
}

func TestGenerationOfADevice(t *testing.T) {
	k := newFakeKernel(pciLink(2, "p0", "0000:03:00.0"), rtnl.Link{Index: 3, Name: "v0", Kind: "veth"}, rtnl.Link{Index: 4, Name: "old0"})
	i := k.inventory(t, "testdata/host.tree", Options{})
	last := synced(t, i)
	if a, b := last.ByIndex(2).Generation, last.ByIndex(3).Generation; a == 0 || b == 0 || a == b {
		t.Errorf("generations %d and %d", a, b)
	}
	events := func(events ...rtnl.Event) func() { return func() { i.apply(events) } }
	read := func(links ...rtnl.Link) func() { return func() { k.set(links...); synced(t, i) } }
	renamed, moved := pciLink(2, "uplink", "0000:03:00.0"), pciLink(2, "uplink", "0000:03:00.0")
	moved.Address = []byte{2, 0, 0, 0, 0, 9}
	veth, other := rtnl.Link{Index: 3, Name: "v1", Kind: "veth"}, rtnl.Link{Index: 3, Name: "v1", Kind: "dummy"}
	old := rtnl.Link{Index: 4, Name: "older0"}
	function := pciLink(2, "uplink", "0000:03:00.1")
	for _, c := range []struct {
		name string
		do   func()
		want string // names of what is new
	}{
		{"rename", events(rtnl.Event{Link: renamed}, rtnl.Event{Link: veth}, rtnl.Event{Link: old}), ""},
		{"address", events(rtnl.Event{Link: moved}), ""},
		{"full read", read(renamed, veth, old), ""},
		{"refresh", func() { i.refresh(t.Context()) }, ""},
		{"index given again", events(rtnl.Event{Removed: true, Link: veth}, rtnl.Event{Link: veth}), "v1"},
		{"another kind", read(renamed, other, old), "v1"},
		{"another kind whose removal was lost", events(rtnl.Event{Link: veth}), "v1"},
		{"another parent", read(function, veth, old), "uplink"},
		{"gone", read(function, old), ""},
		{"come back", read(function, veth, old), "v1"},
	} {
		c.do()
		s, fresh := i.Snapshot(), ""
		for _, d := range s.Devices {
			if before := last.ByIndex(d.Index); before == nil || d.Generation > before.Generation {
				fresh += d.Name
			}
		}
		if fresh != c.want {
			t.Errorf("%s: new devices %q, want %q", c.name, fresh, c.want)
		}
		last = s
	}
}

// A NIC that is unplugged between the dump of links and the reading of sysfs is
// no fault; a sysfs that is not there is one.
func TestUnpluggedWhileRead(t *testing.T) {
	i := newFakeKernel(pciLink(2, "gone0", "0000:09:00.0")).inventory(t, "testdata/host.tree", Options{})
	if s := synced(t, i); len(s.Devices) != 1 || len(s.Notes) != 0 {
		t.Errorf("devices %q, notes %v", namesIn(s), s.Notes)
	}
	i = newFakeKernel(pciLink(2, "gone0", "0000:09:00.0")).inventory(t, "testdata/no-bus.tree", Options{})
	if s := synced(t, i); len(notesOf(s, "sysfs")) != 1 {
		t.Errorf("without a PCI bus in sysfs: notes %v", s.Notes)
	}
}

// A link that does not name its parent may be another device with each read.
func TestParentOfANamelessLinkIsReadAgain(t *testing.T) {
	i := newFakeKernel(rtnl.Link{Index: 30, Name: "old0"}).inventory(t, "testdata/host.tree", Options{})
	if d := deviceNamed(t, synced(t, i), "old0"); d.PCI != "0000:03:00.1" || d.Driver != "mlx5_core" {
		t.Fatalf("at first: %+v", d)
	}
	link := filepath.Join(string(i.sysfs), "class/net/old0/device")
	must(t, errors.Join(os.Remove(link), os.Symlink("../../../devices/pci0000:00/0000:00:04.0", link)))
	if d := deviceNamed(t, synced(t, i), "old0"); d.PCI == "0000:03:00.1" || d.Driver != "" {
		t.Errorf("over another device: %+v", d)
	}
}

// A reader that gives up leaves nothing behind that looks like a fault.
func TestSyncThatIsCancelled(t *testing.T) {
	k := dpuHost()
	i := k.inventory(t, "testdata/host.tree", Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	k.modes[pf0] = context.Canceled
	if err := i.Sync(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	for _, note := range i.Snapshot().Notes {
		t.Errorf("note %+v", note)
	}
	k.portErrs = []error{context.Canceled}
	if err := i.Sync(ctx); !errors.Is(err, context.Canceled) || len(i.Snapshot().Notes) != 0 {
		t.Errorf("while it read the ports: error %v, notes %v", err, i.Snapshot().Notes)
	}
	k.modes[pf0] = devlink.Switchdev
	if d := deviceNamed(t, synced(t, i), "p0"); d.Role != Uplink {
		t.Errorf("after a read to its end: %+v", d)
	}
}

// A device that is too slow for a deadline costs nothing but its own role, and is told of.
func TestSyncThatIsTooSlow(t *testing.T) {
	k := dpuHost()
	i := k.inventory(t, "testdata/host.tree", Options{})
	ctx, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	k.modes[pf0] = context.DeadlineExceeded
	if err := i.Sync(ctx); err != nil {
		t.Errorf("error %v", err)
	}
	s := i.Snapshot()
	if len(s.Devices) != 13 || len(notesOf(s, "devlink")) != 1 {
		t.Errorf("%d devices, notes %v", len(s.Devices), s.Notes)
	}
}

// A number that cannot be read costs nothing but itself.
func TestVFWhoseNumberCannotBeRead(t *testing.T) {
	k := newFakeKernel(pciLink(4, "v0", "0000:03:00.2"), rtnl.Link{Index: 5, Name: "aux0", ParentBus: "auxiliary", ParentDev: "mlx5_core.eth.1"})
	s := synced(t, k.inventory(t, "testdata/bad-number.tree", Options{}))
	for _, name := range []string{"v0", "aux0"} {
		if d := deviceNamed(t, s, name); d.Role != VF || d.VF != nil {
			t.Errorf("%s: %+v", name, d)
		}
	}
	if notes := notesOf(s, "sysfs"); len(notes) != 1 || !strings.Contains(notes[0], "not fully known of 2 devices") || !strings.Contains(notes[0], "sriov_offset") {
		t.Errorf("notes %q", notes)
	}
}
