package collector

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dpu-exporter/dpu-exporter/internal/nldev"
	"github.com/dpu-exporter/dpu-exporter/internal/sysfs"
	"github.com/dpu-exporter/dpu-exporter/internal/sysfs/sysfstest"
	"github.com/dpu-exporter/dpu-exporter/inventory"
)

// fakeRDMA answers with netlink.json: one device by its name.
type fakeRDMA struct {
	Mode string
	Of   map[string]*rdmaOf
}

// rdmaOf is what the RDMA core says of a device with one port.
type rdmaOf struct {
	nldev.Device
	NetdevIndex int
	Stats       []nldev.Named
	Optional    []nldev.Optional
	InUse       []nldev.Named
}

func (f *fakeRDMA) Devices(context.Context) (all []nldev.Device, err error) {
	for _, d := range f.Of {
		all = append(all, d.Device)
	}
	return all, nil
}

func (f *fakeRDMA) of(index uint32) *rdmaOf {
	for _, d := range f.Of {
		if d.Index == index {
			return d
		}
	}
	return &rdmaOf{}
}

func (f *fakeRDMA) Netdev(_ context.Context, device, _ uint32) (int, error) {
	return f.of(device).NetdevIndex, nil
}

func (f *fakeRDMA) Statistics(_ context.Context, device, _ uint32) ([]nldev.Named, error) {
	if d := f.of(device); d.Stats != nil {
		return d.Stats, nil
	}
	return nil, syscall.EINVAL
}

func (f *fakeRDMA) OptionalCounters(_ context.Context, device, _ uint32) ([]nldev.Optional, error) {
	if d := f.of(device); d.Optional != nil {
		return d.Optional, nil
	}
	return nil, syscall.EINVAL
}

func (f *fakeRDMA) Resources(_ context.Context, device uint32) ([]nldev.Named, error) {
	return f.of(device).InUse, nil
}

func (f *fakeRDMA) NamespaceMode(context.Context) (string, error) { return f.Mode, nil }

// rdmaFromCase reads sysfs.tree and, where there is one, netlink.json.
func rdmaFromCase(t *testing.T, dir string) Collector {
	o := RDMAOptions{Files: sysfs.FS(sysfstest.Load(t, filepath.Join(dir, "sysfs.tree")))}
	if read(t, filepath.Join(dir, "netlink.json")) == "" {
		o.NetlinkError = syscall.EPROTONOSUPPORT
		return NewRDMA(o)
	}
	f := &fakeRDMA{}
	decode(t, filepath.Join(dir, "netlink.json"), f)
	o.Netlink = f
	return NewRDMA(o)
}

func withRDMA(names ...string) *inventory.Snapshot {
	s := inventory.NewSnapshot(nil, 0)
	for _, name := range names {
		s.RDMA = append(s.RDMA, inventory.RDMA{Name: name})
	}
	return s
}

// fakeFiles are one port with one counter that the device refuses.
type fakeFiles struct {
	RDMAFiles
	read int
	err  error
}

func (f *fakeFiles) RDMAPorts(device string) ([]sysfs.RDMAPort, error) {
	return []sysfs.RDMAPort{{Device: device, Port: 1}}, nil
}

func (f *fakeFiles) RDMACounters(_ sysfs.RDMAPort, folder string) ([]string, error) {
	if folder != "counters" {
		return nil, os.ErrNotExist
	}
	return []string{"port_rcv_data", "VL15_dropped", "of_a_newer_kernel"}, nil
}

func (f *fakeFiles) RDMACounter(_ sysfs.RDMAPort, _, counter string) (uint64, error) {
	if counter == "VL15_dropped" {
		f.read++
		return 7, f.err
	}
	return 5, nil
}

// A counter that the device refuses is asked for three times, then every ten
// minutes: each time it may write into the kernel's log. The others go on.
func TestRefusedCounterRests(t *testing.T) {
	now := time.Unix(1e9, 0)
	f := &fakeFiles{err: syscall.EINVAL}
	c := NewRDMA(RDMAOptions{Files: f, NetlinkError: syscall.EPROTONOSUPPORT, Now: func() time.Time { return now }})
	inv := withRDMA("mlx5_0")
	for range 10 {
		if err := c.sampleCounters(t.Context(), inv); err != nil {
			t.Fatal(err)
		}
		text := collected(t, c, inv)
		if !strings.Contains(text, `dpu_rdma_port_receive_bytes_total{rdma_device="mlx5_0",port="1"} 20`) ||
			!strings.Contains(text, "# rdma_counters: 1 broken") || strings.Contains(text, "vl15_dropped_total{") {
			t.Fatalf("with a refused counter:\n%s", text)
		}
		now = now.Add(15 * time.Second)
	}
	if f.read != refusalsBeforeRest {
		t.Errorf("asked %d times, want %d", f.read, refusalsBeforeRest)
	}
	f.err, now = nil, now.Add(refusalRest)
	if err := c.sampleCounters(t.Context(), inv); err != nil {
		t.Fatal(err)
	}
	if text := collected(t, c, inv); !strings.Contains(text, `dpu_rdma_port_vl15_dropped_total{rdma_device="mlx5_0",port="1"} 7`) || !strings.Contains(text, "# rdma_counters: 1 ok") {
		t.Errorf("after its rest:\n%s", text)
	}
	if err := c.sampleCounters(t.Context(), withRDMA()); !errors.Is(err, errNothingToRead) || len(c.refused.of) != 0 {
		t.Errorf("%v, remembered %v of a device that is gone", err, c.refused.of)
	}
}

// No file of a device that the inventory leaves out is opened.
func TestExcludedRDMAIsNotOpened(t *testing.T) {
	files := sysfs.FS(sysfstest.Load(t, "testdata/rdma/excluded/sysfs.tree"))
	c := NewRDMA(RDMAOptions{Files: files, NetlinkError: syscall.EPROTONOSUPPORT})
	if text := exposition(t, c, withRDMA("mlx5_0")); !strings.Contains(text, `dpu_rdma_port_receive_bytes_total{rdma_device="mlx5_0",port="1"} 20`) {
		t.Errorf("text:\n%s", text)
	}
}

func TestParseRate(t *testing.T) {
	for text, want := range map[string]float64{
		"200 Gb/sec (4X HDR)": 25e9, "2.5 Gb/sec (1X SDR)": 312.5e6, "100 Gb/sec": 12.5e9, "0 Gb/sec": 0, "": 0, "fast": 0, "-1 Gb/sec": 0,
	} {
		have, ok := parseRate(text)
		if ok != (want > 0) || ok && have != want {
			t.Errorf("%q: %v, %v, want %v", text, have, ok, want)
		}
	}
}

// A hardware counter has one row, and a row no two sources of one port.
func TestRDMACountersOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range ownCounters {
		for _, name := range c.names {
			if seen[name] {
				t.Errorf("%s is in two rows", name)
			}
			seen[name] = true
		}
	}
}
