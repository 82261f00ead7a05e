package inventory

import (
	"context"
	"errors"
	"net"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/internal/devlink"
	"github.com/dpu-exporter/dpu-exporter/internal/rtnl"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

const pf0, pf1 = "pci/0000:03:00.0", "pci/0000:03:00.1"

func dpuHost() *fakeKernel {
	up := true
	k := newFakeKernel(
		rtnl.Link{Index: 1, Name: "lo", Type: unix.ARPHRD_LOOPBACK, Flags: unix.IFF_UP},
		rtnl.Link{
			Index: 2, Name: "p0", AltNames: []string{"enp3s0f0np0"}, Alias: "north", MTU: 9000, Flags: unix.IFF_UP,
			Address: net.HardwareAddr{2, 0, 0, 0, 0, 1}, SwitchID: []byte{0, 0x1c, 0x34}, PortName: "p0",
			ParentBus: "pci", ParentDev: "0000:03:00.0", Master: 9, OperState: 6, Carrier: &up, CarrierChanges: number(3),
		},
		pciLink(3, "p1", "0000:03:00.1"),
		pciLink(4, "v0", "0000:03:00.2"),
		rtnl.Link{Index: 5, Name: "s88", ParentBus: "auxiliary", ParentDev: "mlx5_core.sf.2"},
		rtnl.Link{Index: 6, Name: "rep0", SwitchID: []byte{0, 0x1c, 0x34}, PortName: "c1pf0vf0", ParentBus: "pci", ParentDev: "0000:03:00.0"},
		rtnl.Link{Index: 7, Name: "eth0", ParentBus: "virtio", ParentDev: "virtio2"},
		rtnl.Link{Index: 8, Name: "tmfifo_net0", ParentBus: "virtio", ParentDev: "virtio3"},
		rtnl.Link{Index: 9, Name: "bond0", Kind: "bond"},
		rtnl.Link{Index: 10, Name: "vlan7", Kind: "vlan", Lower: 9},
		rtnl.Link{Index: 11, Name: "veth0", Kind: "veth", Lower: 2, LowerForeign: true},
		rtnl.Link{Index: 12, Name: "usb0", ParentBus: "usb", ParentDev: "1-1:1.0"},
		rtnl.Link{Index: 30, Name: "old0"},
	)
	vf := port(pf0, devlink.PCIVF, 6)
	vf.Controller, vf.PF, vf.VF = number(1), number(0), number(0)
	uplink := physical(pf0, 2)
	uplink.Index, uplink.Number = 65535, number(0)
	k.ports = []devlink.Port{uplink, physical(pf1, 3), vf, port("auxiliary/mlx5_core.sf.2", devlink.Virtual, 5)}
	k.modes[pf0] = devlink.Switchdev
	k.modes[pf1] = unix.EOPNOTSUPP
	return k
}

func TestSnapshotOfADPUHost(t *testing.T) {
	k := dpuHost()
	i := k.inventory(t, "testdata/host.tree", Options{})
	i.namespace.Inode = 77
	s := synced(t, i)

	roles := map[string]Role{}
	for _, d := range s.Devices {
		roles[d.Name] = d.Role
	}
	want := map[string]Role{
		"lo": Loopback, "p0": Uplink, "p1": PF, "v0": VF, "s88": SF, "rep0": VFRepresentor, "eth0": PF,
		"tmfifo_net0": Other, "bond0": "bond", "vlan7": "vlan", "veth0": "veth", "usb0": Other, "old0": PF,
	}
	if diff := cmp.Diff(want, roles); diff != "" {
		t.Errorf("roles (-want +got):\n%s", diff)
	}
	if got, want := s.Summary(), "1 uplink, 3 PFs, 1 VF, 1 SF, 1 representor, 6 other links"; got != want {
		t.Errorf("summary %q, want %q", got, want)
	}
	if !slices.IsSortedFunc(s.Devices, func(a, b *Device) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("devices are not sorted by name")
	}
	if len(s.Notes) != 0 || s.Unparsed != 0 || s.Excluded != 0 {
		t.Errorf("notes %v, unparsed %d, excluded %d", s.Notes, s.Unparsed, s.Excluded)
	}
	// Only the eswitches that decide a role were asked for their mode.
	if diff := cmp.Diff([]string{pf0, pf1}, k.asked); diff != "" {
		t.Errorf("eswitches asked for (-want +got):\n%s", diff)
	}
}

func TestDeviceHasAllThatIdentifiesIt(t *testing.T) {
	i := dpuHost().inventory(t, "testdata/host.tree", Options{})
	i.namespace.Inode = 77
	s := synced(t, i)
	up := true
	want := &Device{
		Key: Key{Namespace: 77, Index: 2, Generation: 2}, Name: "p0", AltNames: []string{"enp3s0f0np0"}, Alias: "north",
		Address: "02:00:00:00:00:01", Role: Uplink, Driver: "mlx5_core", PCI: "0000:03:00.0", RDMADevice: "mlx5_0",
		SwitchID: "001c34", PortName: "p0", DevlinkPort: "pci/0000:03:00.0/65535", Port: number(0),
		MTU: 9000, Master: "bond0", Up: true, Carrier: &up, OperState: "up", CarrierChanges: number(3),
	}
	if diff := cmp.Diff(want, s.ByIndex(2)); diff != "" {
		t.Errorf("uplink (-want +got):\n%s", diff)
	}
	for name, check := range map[string]func(d *Device) bool{
		"v0":    func(d *Device) bool { return *d.VF == 0 && d.PF == nil && d.Controller == nil },
		"s88":   func(d *Device) bool { return *d.SF == 88 && d.RDMADevice == "mlx5_4" && d.PCI == "0000:03:00.0" },
		"rep0":  func(d *Device) bool { return d.RDMADevice == "" && *d.Controller == 1 && *d.PF == 0 && *d.VF == 0 },
		"eth0":  func(d *Device) bool { return d.PCI == "0000:00:04.0" },
		"vlan7": func(d *Device) bool { return d.Lower == "bond0" },
		"veth0": func(d *Device) bool { return d.Lower == "" }, // index 2 of another namespace
		"usb0":  func(d *Device) bool { return d.PCI == "" },
		"old0":  func(d *Device) bool { return d.PCI == "0000:03:00.1" && d.RDMADevice == "mlx5_1" },
	} {
		if d := deviceNamed(t, s, name); !check(d) {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

func TestEswitchModeNotPermitted(t *testing.T) {
	k := dpuHost()
	k.modes[pf0], k.modes[pf1] = unix.EPERM, unix.EPERM
	s := synced(t, k.inventory(t, "testdata/host.tree", Options{}))
	if got := s.ByIndex(2).Role; got != Uplink {
		t.Errorf("port with a representor on its device: %s", got)
	}
	if got := s.ByIndex(3).Role; got != PF {
		t.Errorf("port without representors: %s", got)
	}
	want := []string{"not_permitted: the eswitch mode cannot be read without CAP_NET_ADMIN: a physical port counts as uplink when it has representors"}
	if diff := cmp.Diff(want, notesOf(s, "devlink")); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}

	// A representor of another devlink device on the same switch tells as much.
	k.links[2].SwitchID = []byte{0, 0x1c, 0x34}
	s = synced(t, k.inventory(t, "testdata/host.tree", Options{}))
	if got := s.ByIndex(3).Role; got != Uplink {
		t.Errorf("port on a switch with representors: %s", got)
	}
}

func TestTwoDevicesClaimOneRepresentor(t *testing.T) {
	k := newFakeKernel(
		rtnl.Link{Index: 2, Name: "first", SwitchID: []byte{1}, PortName: "c1pf0vf3"},
		rtnl.Link{Index: 3, Name: "second", SwitchID: []byte{1}, PortName: "c1pf0vf3"},
		rtnl.Link{Index: 4, Name: "other switch", SwitchID: []byte{2}, PortName: "c1pf0vf3"},
		rtnl.Link{Index: 5, Name: "other controller", SwitchID: []byte{1}, PortName: "pf0vf3"},
	)
	s := synced(t, k.inventory(t, "", Options{}))
	want := []string{`broken: "first" and "second" both claim to be the vf_representor of port name "c1pf0vf3" on switch 01`}
	if diff := cmp.Diff(want, notesOf(s, "ports")); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	if len(s.Devices) != 4 {
		t.Errorf("devices %s", namesIn(s))
	}

	// Drivers with devlink ports need not give port names.
	k = newFakeKernel(
		rtnl.Link{Index: 2, Name: "first", SwitchID: []byte{1}}, rtnl.Link{Index: 3, Name: "second", SwitchID: []byte{1}})
	for index := 2; index <= 3; index++ {
		vf := port(pf0, devlink.PCIVF, index)
		vf.Controller, vf.PF, vf.VF = number(1), number(0), number(3)
		k.ports = append(k.ports, vf)
	}
	s = synced(t, k.inventory(t, "", Options{}))
	want = []string{`broken: "first" and "second" both claim to be the vf_representor of controller 1, pf 0, vf 3 on switch 01`}
	if diff := cmp.Diff(want, notesOf(s, "ports")); diff != "" {
		t.Errorf("without port names (-want +got):\n%s", diff)
	}
}

func TestUnparsedPortNamesAreListedAndCounted(t *testing.T) {
	lo := rtnl.Link{Index: 1, Name: "lo", Type: unix.ARPHRD_LOOPBACK}
	k := newFakeKernel(lo)
	var log logLines
	i := k.inventory(t, "", Options{Log: log.logger()})
	synced(t, i) // what is found at first is the caller's to tell
	k.set(
		rtnl.Link{Index: 2, Name: "weird0", SwitchID: []byte{1}, PortName: "pf0xy1"},
		rtnl.Link{Index: 3, Name: "weird1", SwitchID: []byte{1}, PortName: "n0"},
	)
	for range 3 {
		s := synced(t, i)
		if s.Unparsed != 2 || s.ByIndex(2).Role != Unknown || i.Health().Unparsed != 2 {
			t.Fatalf("unparsed %d, device %+v", s.Unparsed, s.ByIndex(2))
		}
		if got := notesOf(s, "ports"); len(got) != 1 || !strings.Contains(got[0], `2 devices, first "weird0" (port name "pf0xy1")`) {
			t.Errorf("notes %v", got)
		}
	}
	// Another first one, and another count, is the same finding.
	k.set(lo, rtnl.Link{Index: 3, Name: "weird1", SwitchID: []byte{1}, PortName: "n0"})
	if got := notesOf(synced(t, i), "ports"); len(got) != 1 || !strings.Contains(got[0], `"weird1" (port name "n0")`) {
		t.Errorf("notes %v", got)
	}
	if n := log.count("level=WARN", "about=ports"); n != 1 || log.count("pf0xy1") != 1 {
		t.Errorf("logged %d times, want once", n)
	}
	k.set(lo)
	synced(t, i)
	if n := log.count("finding is gone"); n != 1 || log.count("finding is gone", "pf0xy1") != 1 {
		t.Errorf("the end is logged %d times, want once", n)
	}
}

// Each pair of rivals is a finding of its own.
func TestRivalsAreLoggedByPair(t *testing.T) {
	rep := func(index int, name, port string) rtnl.Link {
		return rtnl.Link{Index: index, Name: name, SwitchID: []byte{1}, PortName: port}
	}
	k := newFakeKernel(rep(2, "a", "pf0vf0"))
	var log logLines
	i := k.inventory(t, "", Options{Log: log.logger()})
	synced(t, i)
	k.set(rep(2, "a", "pf0vf0"), rep(3, "b", "pf0vf0"))
	synced(t, i)
	k.set(rep(2, "a", "pf0vf0"), rep(3, "b", "pf0vf0"), rep(4, "c", "pf0vf1"), rep(5, "d", "pf0vf1"))
	synced(t, i)
	k.set(rep(4, "c", "pf0vf1"), rep(5, "d", "pf0vf1"))
	synced(t, i)
	if begun, gone := log.count("level=WARN", "both claim"), log.count("finding is gone", "pf0vf0"); begun != 2 || gone != 1 {
		t.Errorf("%d begun, %d gone: %q", begun, gone, log.lines)
	}
}

func TestSysfsThatIsNotThere(t *testing.T) {
	k := newFakeKernel(pciLink(2, "p0", "0000:03:00.0"), pciLink(3, "p1", "0000:03:00.1"), rtnl.Link{Index: 4, Name: "br0", Kind: "bridge"})
	s := synced(t, k.inventory(t, "", Options{}))
	if d := s.ByIndex(2); d.Role != Unknown || d.PCI != "0000:03:00.0" {
		t.Errorf("%+v", d)
	}
	if got := notesOf(s, "sysfs"); len(got) != 1 || !strings.HasPrefix(got[0], `unsupported: driver and function are not fully known of 2 devices, first "p0"`) {
		t.Errorf("notes %v", got)
	}
}

func TestDevlinkThatFails(t *testing.T) {
	k := dpuHost()
	i := k.inventory(t, "testdata/host.tree", Options{})
	synced(t, i)
	ports := k.ports
	k.ports, k.portErrs = nil, []error{unix.EIO}
	s := synced(t, i)
	if got := s.ByIndex(2).Role; got != Uplink {
		t.Errorf("role %s, want that of the last good answer", got)
	}
	if got := notesOf(s, "devlink"); len(got) != 1 || !strings.HasPrefix(got[0], "broken: some ports are missing") {
		t.Errorf("notes %v", got)
	}
	k.ports = ports
	if s = synced(t, i); len(s.Notes) != 0 {
		t.Errorf("notes %v after recovery", s.Notes)
	}
	k.modes[pf1] = unix.EIO
	s = synced(t, i)
	if got := notesOf(s, "devlink"); len(got) != 1 || !strings.Contains(got[0], pf1) || s.ByIndex(3).Role != PF {
		t.Errorf("notes %v, role %s", got, s.ByIndex(3).Role)
	}
}

func TestLinksThatCannotBeRead(t *testing.T) {
	k := newFakeKernel()
	i := k.inventory(t, "", Options{})
	k.linkErrs = []error{unix.EPERM}
	if err := i.Sync(t.Context()); !errors.Is(err, unix.EPERM) {
		t.Errorf("error %v", err)
	}
	if s := i.Snapshot(); s == nil || len(s.Devices) != 0 {
		t.Errorf("snapshot %+v", s)
	}
	// One bad link does not hide the others.
	k.set(rtnl.Link{Index: 2, Name: "good"})
	k.linkErrs = []error{errors.New("link 3: attribute too short")}
	s := synced(t, i)
	if got := notesOf(s, "rtnl"); len(got) != 1 || !strings.Contains(got[0], "link 3") || namesIn(s) != "good" {
		t.Errorf("notes %v, devices %s", got, namesIn(s))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	k.linkErrs = []error{context.Canceled}
	if err := i.Sync(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if h := i.Health(); h.ReadFailures != 1 || h.Reads[OnRequest] != 3 {
		t.Errorf("health %+v: a read that nobody waits for any more has not failed", h)
	}
	k.linkErrs = []error{os.ErrClosed}
	if err := i.Sync(t.Context()); !errors.Is(err, os.ErrClosed) || i.Health().ReadFailures != 1 {
		t.Errorf("error %v, health %+v after a close meanwhile", err, i.Health())
	}
	timedOut, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	k.linkErrs = []error{context.DeadlineExceeded}
	if err := i.Sync(timedOut); !errors.Is(err, context.DeadlineExceeded) || i.Health().ReadFailures != 2 {
		t.Errorf("error %v, health %+v after a deadline", err, i.Health())
	}
}

func TestInterruptedDumpIsRepeatedAndMerged(t *testing.T) {
	k := newFakeKernel(rtnl.Link{Index: 2, Name: "a"}, rtnl.Link{Index: 3, Name: "b"})
	i := k.inventory(t, "", Options{})
	synced(t, i)

	k.linkErrs = []error{rtnl.ErrInterrupted, rtnl.ErrInterrupted}
	k.set(rtnl.Link{Index: 3, Name: "b2"})
	if s := synced(t, i); namesIn(s) != "b2" || i.incomplete {
		t.Errorf("devices %q after a good third dump", namesIn(s))
	}
	before, _ := k.counts()
	k.linkErrs = []error{rtnl.ErrInterrupted, rtnl.ErrInterrupted, rtnl.ErrInterrupted, nil}
	k.set(rtnl.Link{Index: 4, Name: "c"})
	if s := synced(t, i); namesIn(s) != "b2 c" || !i.incomplete {
		t.Errorf("devices %q, incomplete %v: what a partial dump does not mention must stay", namesIn(s), i.incomplete)
	}
	if after, _ := k.counts(); after-before != dumpAttempts {
		t.Errorf("%d dumps, want %d", after-before, dumpAttempts)
	}
}

// A driver that fails at one port ends the kernel's list without an error: the
// ports that the links name are asked for one by one, the failure is a note, and
// an excluded device is not asked for.
func TestPortsBehindOneThatFails(t *testing.T) {
	handle := devlink.Handle{Bus: "pci", Device: "0000:03:00.0"}
	link := func(index int, name string, port uint32) rtnl.Link {
		return rtnl.Link{Index: index, Name: name, Type: 1, ParentBus: "pci", ParentDev: handle.Device,
			DevlinkBus: handle.Bus, DevlinkDev: handle.Device, DevlinkPort: &port}
	}
	k := newFakeKernel(link(1, "p0", 1), link(2, "r0", 2), link(3, "r1", 3), link(4, "hidden", 4))
	port := func(index uint32, netdev int, f devlink.Flavour) devlink.Port {
		return devlink.Port{Handle: handle, Index: index, NetdevIndex: netdev, Flavour: &f, PF: new(uint32(0)), VF: &index}
	}
	k.ports = []devlink.Port{port(1, 1, devlink.Physical)}
	k.unlisted = []devlink.Port{port(3, 3, devlink.PCIVF)}
	k.portErr = unix.EIO
	filter, err := NewFilter(nil, []string{"hidden"})
	if err != nil {
		t.Fatal(err)
	}
	s := synced(t, k.inventory(t, "testdata/host.tree", Options{Filter: filter}))
	if d := s.ByIndex(3); d == nil || d.Role != VFRepresentor || d.DevlinkPort != "pci/0000:03:00.0/3" {
		t.Errorf("the port behind the failure: %+v", d)
	}
	if slices.Sort(k.portsAsked); slices.Contains(k.portsAsked, 4) || !slices.Contains(k.portsAsked, 2) {
		t.Errorf("asked for ports %v", k.portsAsked)
	}
	if got := notesOf(s, "devlink"); len(got) != 1 || !strings.HasPrefix(got[0], "broken: some ports are missing") {
		t.Errorf("notes %v", got)
	}
}
