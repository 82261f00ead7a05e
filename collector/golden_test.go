package collector

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpu-exporter/dpu-exporter/internal/ethtool"
	"github.com/dpu-exporter/dpu-exporter/internal/rtnl"
	"github.com/dpu-exporter/dpu-exporter/inventory"
	"github.com/dpu-exporter/dpu-exporter/metric"
)

var update = flag.Bool("update", false, "rewrite want.prom of every case")

// constructors make the collector of testdata/<name> over the inputs of a case.
var constructors = map[string]func(t *testing.T, dir string) Collector{
	"devlink":   devlinkFromCase,
	"ethtool":   ethtoolFromCase,
	"interface": interfaceFromCase,
	"link":      linkFromCase,
	"pci":       pciFromCase,
	"rdma":      rdmaFromCase,
	"sriov":     sriovFromCase,
}

// TestGolden walks testdata/<collector>/<case>: devices.json is the inventory,
// the other files are what the readers say, want.prom is the exposition.
func TestGolden(t *testing.T) {
	cases, err := filepath.Glob("testdata/*/*/devices.json")
	if err != nil || len(cases) == 0 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	for _, devices := range cases {
		dir := filepath.Dir(devices)
		name := filepath.Base(filepath.Dir(dir))
		t.Run(name+"/"+filepath.Base(dir), func(t *testing.T) {
			have := exposition(t, constructors[name](t, dir), snapshot(t, dir))
			want := filepath.Join(dir, "want.prom")
			if *update {
				if err := os.WriteFile(want, []byte(have), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(read(t, want), have); diff != "" {
				t.Errorf("exposition (-want +have):\n%s", diff)
			}
		})
	}
}

// exposition samples and collects once and renders the families and the health
// that do not depend on time.
func exposition(t *testing.T, c Collector, inv *inventory.Snapshot) string {
	t.Helper()
	if s, ok := c.(Sampler); ok {
		for _, sample := range s.Samples() {
			if err := sample.Read(t.Context(), inv); err != nil {
				t.Logf("sample %s: %v", sample.Source, err)
			}
		}
	}
	return collected(t, c, inv)
}

// collected is exposition without sampling.
func collected(t *testing.T, c Collector, inv *inventory.Snapshot) string {
	t.Helper()
	set := metric.NewSet(c.Rows())
	emit := &Emit{Emitter: set.Begin()}
	if err := c.Collect(t.Context(), inv, emit); err != nil {
		t.Logf("collect: %v", err)
	}
	set.Commit(emit.Emitter)
	text := string(set.AppendText(nil))
	for _, tl := range emit.tallies {
		for _, r := range tl.reports() {
			text += fmt.Sprintf("# %s: %d %s\n", r.Source, r.Count, r.Outcome)
		}
	}
	return text
}

func snapshot(t *testing.T, dir string) *inventory.Snapshot {
	t.Helper()
	var in struct {
		Excluded int
		Devices  []*inventory.Device
		RDMA     []inventory.RDMA
	}
	decode(t, filepath.Join(dir, "devices.json"), &in)
	s := inventory.NewSnapshot(in.Devices, in.Excluded)
	s.RDMA = in.RDMA
	return s
}

// interfaceFromCase reads options.json (fields), stats.json and modes.json.
func interfaceFromCase(t *testing.T, dir string) Collector {
	var opts struct{ Fields Fields }
	decode(t, filepath.Join(dir, "options.json"), &opts)
	kernel := &fakeStats{}
	decode(t, filepath.Join(dir, "stats.json"), &kernel.stats)
	o := InterfaceOptions{Fields: opts.Fields, Stats: kernel, Refresh: kernel}
	modes := fakeModes{}
	decode(t, filepath.Join(dir, "modes.json"), &modes)
	if o.LinkModes = modes; len(modes) == 0 {
		o.LinkModes, o.LinkModesError = nil, fmt.Errorf("ethtool netlink: %w", fs.ErrNotExist)
	}
	return NewInterface(o)
}

func decode(t *testing.T, path string, to any) {
	t.Helper()
	if err := json.Unmarshal([]byte(read(t, path)), to); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return string(b)
}

// fakeStats answers with what a case says of each device.
type fakeStats struct {
	stats []statsOf
	asked []int // the devices that StatsOf was asked for
	dumps int
}

// statsOf is one device of stats.json; Errno is what asking for it fails with.
type statsOf struct {
	Index          int
	Link, SlowPath []uint64
	Errno          syscall.Errno
}

func (f *fakeStats) Stats(_ context.Context, visit func(*rtnl.Stats)) error {
	f.dumps++
	for _, s := range f.stats {
		switch s.Errno {
		case 0:
			visit(s.kernel())
		case syscall.ENODEV: // it is not in the dump
		default:
			return fmt.Errorf("read link statistics: %w", s.Errno) // the kernel goes no further
		}
	}
	return nil
}

func (f *fakeStats) StatsOf(_ context.Context, indexes []int, visit func(*rtnl.Stats), failed func(int, error)) error {
	f.asked = append(f.asked, indexes...)
	for _, index := range indexes {
		err := error(syscall.ENODEV)
		for _, s := range f.stats {
			if s.Index == index && s.Errno != 0 {
				err = s.Errno
			} else if s.Index == index {
				visit(s.kernel())
				err = nil
			}
		}
		if err != nil {
			failed(index, err)
		}
	}
	return nil
}

func (s statsOf) kernel() *rtnl.Stats {
	return &rtnl.Stats{Index: s.Index, Link: counters(s.Link), SlowPath: counters(s.SlowPath)}
}

func counters(values []uint64) *rtnl.Counters {
	if values == nil {
		return nil
	}
	c := &rtnl.Counters{N: len(values)}
	copy(c.Value[:], values)
	return c
}

// fakeModes answers with link modes by interface index.
type fakeModes map[int]ethtool.LinkMode

func (f fakeModes) LinkModes(_ context.Context, visit func(ethtool.LinkMode)) error {
	for index, m := range f {
		m.Index = index
		visit(m)
	}
	return nil
}

func (f fakeModes) LinkModesOf(_ context.Context, index int) (ethtool.LinkMode, error) {
	m, ok := f[index]
	if !ok {
		return m, syscall.EOPNOTSUPP
	}
	m.Index = index
	return m, nil
}
