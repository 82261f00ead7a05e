package collector

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/internal/ethtool"
	"github.com/dpu-exporter/dpu-exporter/internal/outcome"
	"github.com/dpu-exporter/dpu-exporter/internal/rtnl"
	"github.com/dpu-exporter/dpu-exporter/inventory"
	"github.com/dpu-exporter/dpu-exporter/metric"
)

// synthetic is the node of the series budget: two uplinks, two PFs and 128 VF
// representors, every field known.
func synthetic() (*inventory.Snapshot, *fakeStats, fakeModes) {
	var devices []*inventory.Device
	kernel, modes := &fakeStats{}, fakeModes{}
	yes, one, fast := true, uint32(1), uint32(200000)
	add := func(name string, role inventory.Role) {
		index := len(devices) + 1
		devices = append(devices, &inventory.Device{
			Key: inventory.Key{Index: index}, Name: name, Role: role, Driver: "mlx5_core", Up: true, Carrier: &yes,
			OperState: "up", CarrierChanges: &one, CarrierUps: &one, CarrierDowns: &one, MTU: 9000,
		})
		all := make([]uint64, rtnl.NumFields)
		kernel.stats = append(kernel.stats, statsOf{Index: index, Link: all, SlowPath: all})
		modes[index] = ethtool.LinkMode{Speed: &fast, Duplex: ethtool.Full}
	}
	for i := range 2 {
		add(fmt.Sprintf("p%d", i), inventory.Uplink)
		add(fmt.Sprintf("f%d", i), inventory.PF)
	}
	for i := range 128 {
		add(fmt.Sprintf("pf0vf%d", i), inventory.VFRepresentor)
	}
	return inventory.NewSnapshot(devices, 0), kernel, modes
}

func newSynthetic(inv *inventory.Snapshot, kernel *fakeStats, modes fakeModes) *Interface {
	c := NewInterface(InterfaceOptions{Fields: AutoFields, Stats: kernel, Refresh: kernel, LinkModes: modes})
	_ = c.sampleLinkModes(context.Background(), inv)
	return c
}

// TestSeriesBudget: the interface collector takes at most 3,200 of the 6,000
// series that the counters of such a node may have.
func TestSeriesBudget(t *testing.T) {
	inv, kernel, modes := synthetic()
	c := newSynthetic(inv, kernel, modes)
	set := metric.NewSet(c.Rows())
	emit := &Emit{Emitter: set.Begin()}
	if err := c.Collect(t.Context(), inv, emit); err != nil {
		t.Fatal(err)
	}
	set.Commit(emit.Emitter)
	text := set.AppendText(nil)
	series := bytes.Count(text, []byte("\n")) - bytes.Count(text, []byte("\n#")) - 1
	t.Logf("%d series", series)
	if want := 4*40 + 128*23; series != want || series > 3200 {
		t.Errorf("%d series, want %d", series, want)
	}
}

func TestCollectDoesNotAllocateByDevice(t *testing.T) {
	inv, _, modes := synthetic()
	c := newSynthetic(inv, &fakeStats{}, modes)
	c.opts.Stats = &steadyStats{counters: &rtnl.Counters{N: int(rtnl.NumFields)}, devices: len(inv.Devices)}
	set := metric.NewSet(c.Rows())
	collect := func() {
		emit := &Emit{Emitter: set.Begin()}
		if err := c.Collect(t.Context(), inv, emit); err != nil {
			t.Error(err)
		}
		set.Commit(emit.Emitter)
	}
	collect()
	collect() // both halves are warm
	if n := testing.AllocsPerRun(20, collect); n > 8 {
		t.Errorf("%.0f allocations a collection of %d devices", n, len(inv.Devices))
	}
}

// steadyStats answers without allocating.
type steadyStats struct {
	counters *rtnl.Counters
	devices  int
	stats    rtnl.Stats
}

func (s *steadyStats) Stats(_ context.Context, visit func(*rtnl.Stats)) error {
	for i := range s.devices {
		s.stats = rtnl.Stats{Index: i + 1, Link: s.counters, SlowPath: s.counters}
		visit(&s.stats)
	}
	return nil
}

func (s *steadyStats) StatsOf(context.Context, []int, func(*rtnl.Stats), func(int, error)) error {
	return nil
}

func TestExcludedDevicesAreNeverRead(t *testing.T) {
	_, kernel, modes := synthetic()
	asked := &askedModes{fakeModes: modes}
	c := NewInterface(InterfaceOptions{Fields: AllFields, Stats: kernel, Refresh: kernel, LinkModes: asked})
	inv := inventory.NewSnapshot([]*inventory.Device{{Key: inventory.Key{Index: 3}, Name: "p1", Driver: "mlx5_core"}}, 131)
	exposition(t, c, inv)
	if kernel.dumps != 0 || slices.ContainsFunc(kernel.asked, func(i int) bool { return i != 3 }) {
		t.Errorf("%d dumps of counters, devices asked %v", kernel.dumps, kernel.asked)
	}
	if asked.dumps != 0 || !slices.Equal(asked.devices, []int{3}) {
		t.Errorf("%d dumps of link modes, devices asked %v", asked.dumps, asked.devices)
	}
}

// askedModes notes what it is asked, and fails its dump if told to.
type askedModes struct {
	fakeModes
	dumps   int
	devices []int
	err     error
}

func (f *askedModes) LinkModes(ctx context.Context, visit func(ethtool.LinkMode)) error {
	f.dumps++
	if f.err != nil {
		return f.err
	}
	return f.fakeModes.LinkModes(ctx, visit)
}

func (f *askedModes) LinkModesOf(ctx context.Context, index int) (ethtool.LinkMode, error) {
	f.devices = append(f.devices, index)
	return f.fakeModes.LinkModesOf(ctx, index)
}

func TestDriverThatBreaksTheDumpHidesNobody(t *testing.T) {
	inv, kernel, modes := synthetic()
	delete(modes, 2)
	broken := &askedModes{fakeModes: modes, err: syscall.EIO}
	c := NewInterface(InterfaceOptions{Fields: AutoFields, Stats: kernel, Refresh: kernel, LinkModes: broken})
	if err := c.sampleLinkModes(t.Context(), inv); err != nil {
		t.Fatal(err)
	}
	got := c.modes.Load()
	if len(broken.devices) != 132 || len(got.byKey) != 131 || len(got.failed) != 1 || got.missing != 0 {
		t.Errorf("asked %d, have %d, failed %v, missing %d", len(broken.devices), len(got.byKey), got.failed, got.missing)
	}
}

func TestWholeDumpThatFailsIsTheCollectorsFailure(t *testing.T) {
	inv, _, modes := synthetic()
	for _, tc := range []struct {
		err  error
		want outcome.Outcome
	}{{syscall.EPERM, outcome.NotPermitted}, {syscall.EOPNOTSUPP, outcome.Unsupported}, {syscall.EIO, outcome.Broken}} {
		c := newSynthetic(inv, nil, modes)
		c.opts.Stats = failingStats{tc.err}
		set := metric.NewSet(c.Rows())
		emit := &Emit{Emitter: set.Begin()}
		err := c.Collect(t.Context(), inv, emit)
		set.Commit(emit.Emitter)
		if outcome.Of(err) != tc.want || !errors.Is(err, tc.err) {
			t.Errorf("%v: %v", tc.err, err)
		}
		if text := set.AppendText(nil); !bytes.Contains(text, []byte(`dpu_interface_up{device="p0"} 1`)) || bytes.Contains(text, []byte("receive_bytes")) {
			t.Errorf("%v: state is missing or counters are made up:\n%s", tc.err, text)
		}
	}
}

type failingStats struct{ err error }

func (f failingStats) Stats(context.Context, func(*rtnl.Stats)) error { return f.err }

func (f failingStats) StatsOf(context.Context, []int, func(*rtnl.Stats), func(int, error)) error {
	return f.err
}

func TestRefreshReadsOnlyDriversThatNeedIt(t *testing.T) {
	inv, kernel, modes := synthetic()
	inv.Devices[1].Driver = "ice"
	inv.Devices[2].Kind = "vlan"
	c := newSynthetic(inv, kernel, modes)
	if err := c.refresh(t.Context(), inv); err != nil {
		t.Fatal(err)
	}
	if len(kernel.asked) != 130 || slices.Contains(kernel.asked, 2) || slices.Contains(kernel.asked, 3) {
		t.Errorf("asked %d devices: %v", len(kernel.asked), kernel.asked)
	}
	none := inventory.NewSnapshot(inv.Devices[1:2], 0)
	if err := c.refresh(t.Context(), none); !errors.Is(err, errNothingToRead) {
		t.Errorf("without such a driver: %v", err)
	}
}

func TestLinkModesThatCannotBeReadAreToldAndForgotten(t *testing.T) {
	inv, kernel, modes := synthetic()
	reader := &askedModes{fakeModes: modes}
	c := NewInterface(InterfaceOptions{Fields: AutoFields, Stats: kernel, Refresh: kernel, LinkModes: reader})
	if text := exposition(t, c, inv); !strings.Contains(text, "dpu_interface_speed_bytes_per_second{") {
		t.Fatalf("no speed in:\n%s", text)
	}
	reader.err = syscall.EPERM
	text := exposition(t, c, inv)
	if strings.Contains(text, "dpu_interface_speed_bytes_per_second{") || !strings.Contains(text, "# ethtool_link_modes: 132 not_permitted\n") {
		t.Errorf("old speeds are served, or the failure is not told:\n%s", text)
	}
}

func TestEveryDeviceFailing(t *testing.T) {
	var kernel fakeStats
	devices := []*inventory.Device{{Key: inventory.Key{Index: 1}, Name: "a"}, {Key: inventory.Key{Index: 2}, Name: "b"}}
	for _, errno := range []syscall.Errno{syscall.EIO, syscall.EPERM} {
		kernel.stats = []statsOf{{Index: 1, Errno: errno}, {Index: 2, Errno: errno}}
		c := NewInterface(InterfaceOptions{Stats: &kernel, Refresh: &kernel, LinkModes: fakeModes{}})
		r := newTestRunner(nil, c)
		r.jobs[0].inv = fixed{inventory.NewSnapshot(devices, 1)}
		reports := r.Reports(t.Context(), r.Names())
		if err := reports[0].Err; !errors.Is(err, errno) || !strings.Contains(err.Error(), "a: ") {
			t.Errorf("%v for every device: the collector's error is %v", errno, err)
		}
	}
}

// fixed is an inventory that never changes.
type fixed struct{ snapshot *inventory.Snapshot }

func (f fixed) Snapshot() *inventory.Snapshot { return f.snapshot }
func (f fixed) Changed() <-chan struct{}      { return nil }

func TestReusedIndexHasNoLinkModesOfTheOneBefore(t *testing.T) {
	fast := uint32(10000)
	kernel := &fakeStats{}
	c := NewInterface(InterfaceOptions{Stats: kernel, Refresh: kernel, LinkModes: fakeModes{7: {Speed: &fast, Duplex: ethtool.Full}}})
	device := func(name string, generation uint64) *inventory.Snapshot {
		return inventory.NewSnapshot([]*inventory.Device{{Key: inventory.Key{Index: 7, Generation: generation}, Name: name}}, 0)
	}
	if text := exposition(t, c, device("va", 1)); !strings.Contains(text, `speed_bytes_per_second{device="va"} 1250000000`) {
		t.Fatalf("no speed:\n%s", text)
	}
	set := metric.NewSet(c.Rows())
	emit := &Emit{Emitter: set.Begin()}
	if err := c.Collect(t.Context(), device("newdev", 2), emit); err != nil {
		t.Fatal(err)
	}
	set.Commit(emit.Emitter)
	if text := string(set.AppendText(nil)); strings.Contains(text, "speed") || strings.Contains(text, "duplex") {
		t.Errorf("another device's speed:\n%s", text)
	}
}
