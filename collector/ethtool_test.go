package collector

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpu-exporter/dpu-exporter/internal/ethtool"
	"github.com/dpu-exporter/dpu-exporter/internal/outcome"
	"github.com/dpu-exporter/dpu-exporter/inventory"
	"github.com/dpu-exporter/dpu-exporter/metric"
	"github.com/dpu-exporter/dpu-exporter/test/worlds"
)

// fakeNIC answers with the statistics of statistics.txt by device.
type fakeNIC map[string]*nicStatistics

// nicStatistics is one device: `# driver: NAME` and lines of a value, one
// blank, and the string as the driver has it.
type nicStatistics struct {
	driver    string
	names     []string
	values    []uint64
	errno     syscall.Errno // what Read fails with
	described int
	read      int
}

func (f fakeNIC) Describe(device string) (ethtool.Description, error) {
	n, ok := f[device]
	if !ok {
		return ethtool.Description{}, syscall.EOPNOTSUPP
	}
	n.described++
	return ethtool.Description{Driver: n.driver, Names: n.names}, nil
}

func (f fakeNIC) Read(device string, count int) ([]uint64, error) {
	n := f[device]
	n.read++
	switch {
	case n.errno != 0:
		return nil, n.errno
	case count != len(n.values):
		return nil, fmt.Errorf("%s: %w", device, ethtool.ErrCountChanged)
	}
	return n.values, nil
}

// ethtoolFromCase reads statistics.txt and options.json.
func ethtoolFromCase(t *testing.T, dir string) Collector {
	var opts struct {
		Raw      string
		PerQueue bool
	}
	if text := read(t, filepath.Join(dir, "options.json")); text != "" {
		decode(t, filepath.Join(dir, "options.json"), &opts)
	}
	o := EthtoolOptions{Statistics: readStatistics(t, filepath.Join(dir, "statistics.txt")), PerQueue: opts.PerQueue}
	if opts.Raw != "" {
		o.Raw = regexp.MustCompile("^(?:" + opts.Raw + ")$")
	}
	standardFromCase(t, dir, &o)
	return NewEthtool(o)
}

func readStatistics(t *testing.T, path string) fakeNIC {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	nic, all := (*nicStatistics)(nil), fakeNIC{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		line := lines.Text()
		if device, ok := strings.CutPrefix(line, "# device: "); ok {
			nic = &nicStatistics{}
			all[device] = nic
		} else if name, ok := strings.CutPrefix(line, "# driver: "); ok {
			nic.driver = name
		} else if !strings.HasPrefix(line, "# ") {
			value, name, _ := strings.Cut(line, " ")
			number, err := strconv.ParseUint(value, 10, 64)
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			nic.names, nic.values = append(nic.names, name), append(nic.values, number)
		}
	}
	return all
}

// wide is a NIC of mlx5_core with so many receive queues.
func wide(queues int) *nicStatistics {
	n := &nicStatistics{driver: "mlx5_core"}
	for q := range queues {
		n.names = append(n.names, fmt.Sprintf("rx%d_packets", q))
		n.values = append(n.values, uint64(q))
	}
	return n
}

// served collects once and returns the samples of families that name.
func served(t *testing.T, c Collector, inv *inventory.Snapshot, prefix string) []string {
	t.Helper()
	set := metric.NewSet(c.Rows())
	emit := &Emit{Emitter: set.Begin()}
	if err := c.Collect(t.Context(), inv, emit); err != nil {
		t.Errorf("collect: %v", err)
	}
	set.Commit(emit.Emitter)
	var lines []string
	for line := range strings.Lines(string(set.AppendText(nil))) {
		if strings.HasPrefix(line, prefix) {
			lines = append(lines, strings.TrimSuffix(line, "\n"))
		}
	}
	for _, tl := range emit.tallies {
		for _, r := range tl.reports() {
			lines = append(lines, fmt.Sprintf("# %s: %d %s", r.Source, r.Count, r.Outcome))
		}
	}
	return lines
}

func device(index int, name string, role inventory.Role) *inventory.Device {
	return &inventory.Device{Key: inventory.Key{Index: index, Generation: 1}, Name: name, Role: role}
}

func TestEthtoolFailures(t *testing.T) {
	kernel := fakeNIC{"good": wide(4), "broken": wide(2), "refused": wide(2), "tripwire": wide(1)}
	kernel["broken"].errno = syscall.EIO
	kernel["refused"].errno = syscall.EPERM
	c := NewEthtool(EthtoolOptions{Statistics: kernel})
	inv := inventory.NewSnapshot([]*inventory.Device{
		device(1, "broken", inventory.PF), device(2, "good", inventory.PF),
		device(3, "lo", inventory.Loopback), device(4, "refused", inventory.PF),
	}, 1)
	want := []string{
		`dpu_interface_driver_receive_packets_total{device="good"} 6`,
		"# driver_statistics: 1 ok", "# driver_statistics: 1 unsupported",
		"# driver_statistics: 1 not_permitted", "# driver_statistics: 1 broken",
	}
	if err := c.sampleDriver(t.Context(), inv); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(want, served(t, c, inv, "dpu_interface_")); diff != "" {
		t.Errorf("one device each (-want +got):\n%s", diff)
	}
	if n := kernel["tripwire"]; n.described+n.read != 0 {
		t.Error("a device that is not in the inventory was read")
	}
	kernel["good"].errno = syscall.ENODEV
	if err := c.sampleDriver(t.Context(), inv); err != nil {
		t.Error(err)
	}
	if got := served(t, c, inv, "dpu_interface_"); len(got) != 4 || strings.HasPrefix(got[0], "dpu_") {
		t.Errorf("a reading of a device that fails now is served: %q", got)
	}
	if got := served(t, c, inventory.NewSnapshot(nil, 0), "dpu_"); len(got) != 0 {
		t.Errorf("without devices: %q", got)
	}
	if err := c.sampleDriver(t.Context(), inventory.NewSnapshot(nil, 0)); err != nil || len(c.readings) != 0 {
		t.Errorf("%d readings of devices that are gone, %v", len(c.readings), err)
	}
}

func TestEthtoolUnreadable(t *testing.T) {
	c := NewEthtool(EthtoolOptions{StatisticsError: syscall.EAFNOSUPPORT})
	inv := inventory.NewSnapshot([]*inventory.Device{device(1, "eth0", inventory.PF)}, 0)
	if err := c.sampleDriver(t.Context(), inv); outcome.Of(err) != outcome.NotPermitted {
		t.Errorf("no socket: %v", err)
	}
}

// Channels change between two readings, and a device is renamed.
func TestEthtoolChanges(t *testing.T) {
	kernel := fakeNIC{"eth0": wide(2)}
	c := NewEthtool(EthtoolOptions{Statistics: kernel, PerQueue: true})
	inv := inventory.NewSnapshot([]*inventory.Device{device(1, "eth0", inventory.PF)}, 0)
	sample := func() {
		t.Helper()
		if err := c.sampleDriver(t.Context(), inv); err != nil {
			t.Error(err)
		}
	}
	sample()
	sample()
	if n := kernel["eth0"]; n.described != 1 || n.read != 2 {
		t.Errorf("two readings: described %d times, read %d times", n.described, n.read)
	}
	kernel["eth0"] = wide(5)
	sample()
	if got := served(t, c, inv, "dpu_interface_queue_receive_packets_total{"); len(got) != 6 || got[4] != `dpu_interface_queue_receive_packets_total{device="eth0",queue="4"} 4` {
		t.Errorf("after more queues: %q", got)
	}
	kernel["eth0"] = &nicStatistics{driver: "mlx5_core"}
	sample()
	if got := served(t, c, inv, "dpu_interface_"); len(got) != 1 || got[0] != "# driver_statistics: 1 unsupported" {
		t.Errorf("without statistics: %q", got)
	}
	kernel["p0"] = wide(3)
	inv = inventory.NewSnapshot([]*inventory.Device{device(1, "p0", inventory.PF)}, 0)
	sample()
	if got := served(t, c, inv, "dpu_interface_driver"); len(got) != 2 || got[0] != `dpu_interface_driver_receive_packets_total{device="p0"} 3` {
		t.Errorf("renamed: %q", got)
	}
}

// A NIC with 2,971 statistics: what a reading costs beside the bare call.
//
//	go test ./collector -run '^$' -bench EthtoolReading -benchmem
func BenchmarkEthtoolReading(b *testing.B) {
	worlds.Enter(b)
	worlds.AddWideVeth(b, "wide", "peer", 330)
	kernel, err := ethtool.OpenStatistics()
	if err != nil {
		b.Fatal(err)
	}
	defer kernel.Close()
	d, err := kernel.Describe("wide")
	if err != nil {
		b.Fatal(err)
	}
	b.Run("bare", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := kernel.Read("wide", len(d.Names)); err != nil {
				b.Fatal(err)
			}
		}
	})
	c := NewEthtool(EthtoolOptions{Statistics: kernel})
	inv := inventory.NewSnapshot([]*inventory.Device{device(1, "wide", "veth")}, 0)
	b.Run("collector", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := c.sampleDriver(b.Context(), inv); err != nil {
				b.Fatal(err)
			}
		}
	})
}
