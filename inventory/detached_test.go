package inventory

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/internal/devlink"
	"github.com/dpu-exporter/dpu-exporter/internal/rtnl"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// sriovHost has the PFs p0 and p1, the VF v0 and the SF s88 with netdevs, all
// else without.
func sriovHost() *fakeKernel {
	k := newFakeKernel(
		pciLink(2, "p0", "0000:03:00.0"), pciLink(3, "p1", "0000:03:00.1"), pciLink(4, "v0", "0000:03:00.2"),
		rtnl.Link{Index: 5, Name: "s88", ParentBus: "auxiliary", ParentDev: "mlx5_core.sf.2"},
		rtnl.Link{Index: 6, Name: "rep0", SwitchID: []byte{1}, PortName: "pf0vf0"},
	)
	rep0, rep1, sf := port(pf0, devlink.PCIVF, 6), bare(pf0, devlink.PCIVF, 7), bare(pf0, devlink.PCISF, 8)
	rep0.PF, rep0.VF, rep1.PF, rep1.VF = number(0), number(0), number(0), number(1)
	sf.Controller, sf.PF, sf.SF = number(0), number(0), number(90)
	k.ports = []devlink.Port{
		physical(pf0, 2), physical(pf1, 3), rep0, rep1, sf,
		bare(pf0, devlink.CPU, 100), bare(pf0, devlink.DSA, 101), bare(pf0, devlink.Unused, 102),
		{Handle: devlink.Handle{Bus: "pci", Device: "0000:03:00.0"}, Index: 103}, // no flavour
		bare("pci/0000:03:00.5", devlink.Virtual, 1),
		bare("pci/0000:03:00.2", devlink.Virtual, 1), // of v0, whose netdev it does not name yet
	}
	k.modes[pf0] = devlink.Switchdev
	return k
}

// bare makes a devlink port without a netdev here.
func bare(handle string, f devlink.Flavour, index uint32) devlink.Port {
	p := port(handle, f, 0)
	p.Index = index
	return p
}

// detachedIn prints what has no netdev, one word for each.
func detachedIn(s *Snapshot) string {
	var all []string
	for _, d := range s.Detached {
		word := string(d.Role) + "@" + d.PCI
		if d.VF != nil {
			word += fmt.Sprintf("#%d", *d.VF)
		}
		if d.SF != nil {
			word += fmt.Sprintf("#%d", *d.SF)
		}
		all = append(all, word)
	}
	return strings.Join(all, " ")
}

func TestUnreadableFunctionsHideNoOther(t *testing.T) {
	k := newFakeKernel(pciLink(2, "p0", "0000:03:00.0"))
	s := synced(t, k.inventory(t, "testdata/faults.tree", Options{}))
	if got := detachedIn(s); got != "sf@0000:03:00.0 vf@0000:03:00.2#0 vf@0000:03:00.3#2" {
		t.Errorf("without a netdev: %s", got)
	}
	notes := notesOf(s, "sysfs")
	if len(notes) != 2 {
		t.Fatalf("notes %q", notes)
	}
	if !strings.HasPrefix(notes[0], `broken: driver and function are not fully known of 2 devices, first "0000:03:00.0" (`) ||
		!strings.Contains(notes[0], "sfnum") {
		t.Errorf("note %q", notes[0])
	}
	if !strings.HasPrefix(notes[1], "broken: some functions without a netdev may be missing: ") ||
		!strings.Contains(notes[1], "virtfn1") || !strings.Contains(notes[1], "mlx5_core.loop.1") {
		t.Errorf("note %q", notes[1])
	}
}

func TestWithoutLinksNothingIsKnownOfFunctions(t *testing.T) {
	k := sriovHost()
	i := k.inventory(t, "testdata/sriov.tree", Options{})
	if s := synced(t, i); len(s.Detached) == 0 {
		t.Fatal("nothing without a netdev")
	}
	k.set()
	if s := synced(t, i); len(s.Detached) != 0 || len(s.Devices) != 0 {
		t.Errorf("without a netdev: %s", detachedIn(s))
	}
}

func TestWhatHasNoNetdevIsKnown(t *testing.T) {
	i := sriovHost().inventory(t, "testdata/sriov.tree", Options{})
	i.namespace.Inode = 77
	s := synced(t, i)
	key := Key{Namespace: 77}
	want := []*Device{
		{Key: key, Role: SF, Driver: "mlx5_core.sf", PCI: "0000:03:00.0", RDMADevice: "mlx5_6", SF: number(89)},
		{Key: key, Role: VFRepresentor, Driver: "mlx5_core", PCI: "0000:03:00.0", DevlinkPort: pf0 + "/7", PF: number(0), VF: number(1)},
		{Key: key, Role: SFRepresentor, Driver: "mlx5_core", PCI: "0000:03:00.0", DevlinkPort: pf0 + "/8",
			Controller: number(0), PF: number(0), SF: number(90)},
		{Key: key, Role: VF, Driver: "vfio-pci", PCI: "0000:03:00.3", VF: number(1)},
		{Key: key, Role: VF, PCI: "0000:03:00.4", VF: number(2)},
		{Key: key, Role: VF, Driver: "mlx5_core", PCI: "0000:03:00.5", RDMADevice: "mlx5_5", DevlinkPort: "pci/0000:03:00.5/1", VF: number(3)},
	}
	if diff := cmp.Diff(want, s.Detached); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if s.Excluded != 0 || len(s.Notes) != 0 || s.ByIndex(0) != nil {
		t.Errorf("excluded %d, notes %v", s.Excluded, s.Notes)
	}
	if got, want := s.Summary(), "1 uplink, 1 PF, 4 VFs (3 without a netdev here), 2 SFs (1 without a netdev here), "+
		"3 representors (2 without a netdev here), 0 other links"; got != want {
		t.Errorf("summary %q, want %q", got, want)
	}
	h := i.Health()
	if h.Devices[VF] != 1 || h.Devices[SF] != 1 || h.DetachedByRole[VF] != 3 || h.DetachedByRole[SF] != 1 || h.DetachedByRole[Uplink] != 0 {
		t.Errorf("devices %v, without a netdev %v", h.Devices, h.DetachedByRole)
	}
}

func TestFilterOverWhatHasNoNetdev(t *testing.T) {
	const sf, reps = "sf@0000:03:00.0#89", "vf_representor@0000:03:00.0#1 sf_representor@0000:03:00.0#90"
	const vfs = "vf@0000:03:00.3#1 vf@0000:03:00.4#2 vf@0000:03:00.5#3"
	for _, c := range []struct {
		include, exclude, want string
		excluded               int // netdevs too
	}{
		{"", "", sf + " " + reps + " " + vfs, 0},
		// A name names a netdev; its function stays known.
		{"", "p0", sf + " " + reps + " " + vfs, 1},
		{"", `0000:03:00\.3`, sf + " " + reps + " vf@0000:03:00.4#2 vf@0000:03:00.5#3", 1},
		// VFs below a PF that is excluded by its address are not looked for, so
		// only devlink tells of one, and not of its number.
		{"", `0000:03:00\.0`, "vf@0000:03:00.5", 3 + 3},
		{"", "mlx5_[56]", reps + " vf@0000:03:00.3#1 vf@0000:03:00.4#2", 2},
		// Nothing is read of a VF that is not included, so not that 03:00.6 is gone.
		{"mlx5_5", "", "vf@0000:03:00.5#3", 5 + 6},
		{"p0|0000:03:00.[34]", "", "vf@0000:03:00.3#1 vf@0000:03:00.4#2", 4 + 5},
	} {
		i := sriovHost().inventory(t, "testdata/sriov.tree", Options{Filter: filter(t, c.include, c.exclude)})
		s := synced(t, i)
		if got := detachedIn(s); got != c.want || s.Excluded != c.excluded {
			t.Errorf("include %q, exclude %q: %s; %d excluded, want %d", c.include, c.exclude, got, s.Excluded, c.excluded)
		}
	}
}

// The files of the tree fail the test when they are opened.
func TestNumberOfAnExcludedSFIsNotRead(t *testing.T) {
	for _, exclude := range []string{"mlx5_4", `0000:03:00\.0`} {
		k := newFakeKernel(rtnl.Link{Index: 1, Name: "lo", Type: unix.ARPHRD_LOOPBACK})
		s := synced(t, k.inventory(t, "testdata/tripwire.tree", Options{Filter: filter(t, "", exclude)}))
		if s.Excluded != 1 || len(s.Detached) != 0 || len(s.Notes) != 0 {
			t.Errorf("exclude %s: %d excluded, %s, notes %v", exclude, s.Excluded, detachedIn(s), s.Notes)
		}
	}
}

// A netdev that comes ends it at once; one that goes has the function looked at
// with the next refresh.
func TestFunctionsGainAndLoseTheirNetdev(t *testing.T) {
	k := sriovHost()
	i := k.inventory(t, "testdata/sriov.tree", Options{})
	synced(t, i)
	v1 := pciLink(10, "v1", "0000:03:00.3")
	if _, hardware := i.apply([]rtnl.Event{{Link: v1}}); !hardware {
		t.Error("no refresh for a new VF")
	}
	if got := detachedIn(i.Snapshot()); strings.Contains(got, "0000:03:00.3") {
		t.Errorf("with a netdev: %s", got)
	}
	i.refresh(t.Context())
	if _, hardware := i.apply([]rtnl.Event{{Removed: true, Link: v1}}); !hardware {
		t.Error("no refresh for a VF that went")
	}
	i.refresh(t.Context())
	if got := detachedIn(i.Snapshot()); !strings.Contains(got, "vf@0000:03:00.3#1") {
		t.Errorf("without a netdev again: %s", got)
	}
	veth := rtnl.Link{Index: 11, Name: "veth0", Kind: "veth"}
	if _, hardware := i.apply([]rtnl.Event{{Link: veth}, {Removed: true, Link: veth}}); hardware {
		t.Error("refresh for a software device")
	}
}

func TestPhysicalPortsWithoutANetdev(t *testing.T) {
	k := newFakeKernel(rtnl.Link{Index: 1, Name: "lo", Type: unix.ARPHRD_LOOPBACK})
	k.ports = []devlink.Port{
		bare(pf0, devlink.Physical, 0), bare(pf1, devlink.Physical, 0),
		bare("pci/0000:04:00.0", devlink.PCISF+1, 3),
	}
	k.modes[pf0] = devlink.Switchdev
	s := synced(t, k.inventory(t, "testdata/sriov.tree", Options{Filter: filter(t, "", `0000:03:00\.1|mlx5_[56]`)}))
	const want = "sf@0000:03:00.0#88 uplink@0000:03:00.0 vf@0000:03:00.2#0 vf@0000:03:00.3#1 vf@0000:03:00.4#2 unknown@0000:04:00.0"
	if got := detachedIn(s); got != want {
		t.Fatalf("without a netdev: %s, want %s", got, want)
	}
	if d := s.Detached[1]; d.Role != Uplink || d.DevlinkPort != pf0+"/0" || d.RDMADevice != "mlx5_0" || d.Driver != "mlx5_core" {
		t.Errorf("uplink: %+v", d)
	}
	if diff := cmp.Diff([]string{pf0}, k.asked); diff != "" {
		t.Errorf("eswitches asked for (-want +got):\n%s", diff)
	}
	last := s.Detached[len(s.Detached)-1]
	if last.Role != Unknown || last.PCI != "0000:04:00.0" || s.Unparsed != 1 {
		t.Errorf("flavour that is not known: %+v, unparsed %d", last, s.Unparsed)
	}
	wantNotes := []string{`unsupported: role unknown of "pci/0000:04:00.0/3" (devlink flavour 8)`}
	if diff := cmp.Diff(wantNotes, notesOf(s, "ports")); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

// Of a function that is none of ours to find, the devlink port tells.
func TestVirtualPortOfAGuest(t *testing.T) {
	k := newFakeKernel(rtnl.Link{Index: 1, Name: "lo", Type: unix.ARPHRD_LOOPBACK})
	k.ports = []devlink.Port{bare(pf1, devlink.Virtual, 1), bare("pci/0000:09:00.0", devlink.Virtual, 1)}
	s := synced(t, k.inventory(t, "testdata/sriov.tree", Options{Filter: filter(t, "", "mlx5_6")}))
	// What sysfs does not show may be either.
	if got := detachedIn(s); got != "sf@0000:03:00.0#88 pf@0000:03:00.1 unknown@0000:09:00.0" {
		t.Errorf("without a netdev: %s", got)
	}
}

// ice and, before Linux 5.9, mlx5 give their representors no parent.
func TestRepresentorsWithoutAParent(t *testing.T) {
	k := sriovHost()
	i := k.inventory(t, "testdata/sriov.tree", Options{})
	s := synced(t, i)
	want := &Device{
		Key: Key{Index: 6, Generation: 5}, Name: "rep0", Role: VFRepresentor, Driver: "mlx5_core", PCI: "0000:03:00.0", SwitchID: "01",
		PortName: "pf0vf0", DevlinkPort: pf0 + "/6", PF: number(0), VF: number(0), OperState: "unknown",
	}
	if diff := cmp.Diff(want, deviceNamed(t, s, "rep0")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// It is read with the ports, not with the snapshot.
	i.sysfs = "/nonexistent"
	i.apply([]rtnl.Event{{Link: rtnl.Link{Index: 6, Name: "renamed", SwitchID: []byte{1}, PortName: "pf0vf0"}}})
	if d := i.Snapshot().ByIndex(6); d.Name != "renamed" || d.Driver != "mlx5_core" {
		t.Errorf("after a rename: %+v", d)
	}
	// A device that the filter names is not read, one that cannot be read told of.
	s = synced(t, k.inventory(t, "testdata/sriov.tree", Options{Filter: filter(t, "", `0000:03:00\.0`)}))
	if s.ByIndex(6) != nil {
		t.Error("not excluded by the PCI address of its port")
	}
	k.ports = []devlink.Port{port("pci/0000:03:00.2", devlink.PCIVF, 6), port("usb/gone", devlink.PCIVF, 7)}
	k.set(k.links[4], rtnl.Link{Index: 7, Name: "rep1"})
	s = synced(t, k.inventory(t, "testdata/faults.tree", Options{}))
	if d := s.ByIndex(6); d.Driver != "" || d.PCI != "0000:03:00.2" || d.Role != VFRepresentor {
		t.Errorf("driver that cannot be read: %+v", d)
	}
	if d := s.ByIndex(7); d.Driver != "" || d.PCI != "" {
		t.Errorf("device that is not in sysfs: %+v", d)
	}
	if notes := notesOf(s, "sysfs"); len(notes) != 2 || !strings.Contains(notes[0], `driver and function are not fully known of 2 devices`) {
		t.Errorf("notes %q", notes)
	}
}
