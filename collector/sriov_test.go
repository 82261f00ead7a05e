package collector

import (
	"context"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/internal/outcome"
	"github.com/dpu-exporter/dpu-exporter/internal/rtnl"
	"github.com/dpu-exporter/dpu-exporter/inventory"
)

// fakeVFs answers with vfs.json: one device by interface index.
type fakeVFs map[int]*vfsOf

// vfsOf are the VFs of a device; Cut says that the list with statistics does not
// fit, Errno is what asking fails with.
type vfsOf struct {
	VFs   []rtnl.VF
	Now   *uint32 // sriov_numvfs; nil: the function has no SR-IOV
	Most  uint32
	Cut   bool
	Errno syscall.Errno
	asked int
}

func (f fakeVFs) VFs(_ context.Context, index int, statistics bool) ([]rtnl.VF, error) {
	d := f[index]
	if d == nil {
		return nil, nil
	}
	d.asked++
	switch {
	case d.Errno != 0:
		return nil, d.Errno
	case d.Cut && statistics:
		return nil, syscall.EMSGSIZE
	}
	vfs := append([]rtnl.VF{}, d.VFs...)
	for i := range vfs {
		if !statistics {
			vfs[i].Stats = nil
		}
	}
	return vfs, nil
}

// VFCounts is asked by the PCI function, which is 0000:00:00.INDEX in the cases.
func (f fakeVFs) VFCounts(pci string) (uint32, uint32, error) {
	d := f[int(pci[len(pci)-1]-'0')]
	if d == nil || d.Now == nil {
		return 0, 0, fs.ErrNotExist
	}
	return *d.Now, d.Most, nil
}

// sriovFromCase reads vfs.json, and statistics.txt for drivers that count drops.
func sriovFromCase(t *testing.T, dir string) Collector {
	vfs := fakeVFs{}
	decode(t, filepath.Join(dir, "vfs.json"), &vfs)
	o := SRIOVOptions{Config: vfs, Stats: vfs, Counts: vfs}
	if read(t, filepath.Join(dir, "statistics.txt")) != "" {
		driver := NewEthtool(EthtoolOptions{Statistics: readStatistics(t, filepath.Join(dir, "statistics.txt"))})
		if err := driver.sampleDriver(t.Context(), snapshot(t, dir)); err != nil {
			t.Fatal(err)
		}
		o.Drops = driver
	}
	return NewSRIOV(o)
}

func vf(number uint32, stats *rtnl.VFStats) rtnl.VF { return rtnl.VF{Number: number, Stats: stats} }

// Eight zeros of every VF are no statistics, until the driver was seen to count.
func TestZerosAreNoStatistics(t *testing.T) {
	zeros, counted := &rtnl.VFStats{HasDrops: true}, &rtnl.VFStats{TxPackets: 1, HasDrops: true}
	kernel := fakeVFs{1: {VFs: []rtnl.VF{vf(0, zeros), vf(1, zeros)}}}
	c := NewSRIOV(SRIOVOptions{Config: kernel, Stats: kernel, Counts: kernel})
	inv := inventory.NewSnapshot([]*inventory.Device{port(1, "p1", true)}, 0)
	text := exposition(t, c, inv)
	if strings.Contains(text, "dpu_vf_receive_bytes_total{") || !strings.Contains(text, "# vf_statistics: 1 unsupported") {
		t.Errorf("zeros of a driver without statistics:\n%s", text)
	}
	kernel[1].VFs[1].Stats = counted
	if text := exposition(t, c, inv); !strings.Contains(text, `dpu_vf_transmit_packets_total{device="p1",vf="0"} 0`) ||
		!strings.Contains(text, `dpu_vf_transmit_packets_total{device="p1",vf="1"} 1`) {
		t.Errorf("a driver that counts:\n%s", text)
	}
	kernel[1].VFs[1].Stats = zeros // made anew
	if text := exposition(t, c, inv); !strings.Contains(text, `dpu_vf_transmit_packets_total{device="p1",vf="1"} 0`) {
		t.Errorf("zeros of a driver that counts:\n%s", text)
	}
}

// A port without VFs is not asked for their statistics, a representor for nothing.
func TestOnlyPortsWithVFsAreAsked(t *testing.T) {
	kernel := fakeVFs{1: {}, 2: {VFs: []rtnl.VF{vf(0, nil)}}, 3: {}}
	c := NewSRIOV(SRIOVOptions{Config: kernel, Stats: kernel, Counts: kernel})
	text := exposition(t, c, inventory.NewSnapshot([]*inventory.Device{
		port(1, "p1", true), port(2, "p2", true), {Key: inventory.Key{Index: 3}, Name: "r0", Role: inventory.VFRepresentor},
	}, 0))
	if kernel[1].asked != 1 || kernel[2].asked != 2 || kernel[3].asked != 0 {
		t.Errorf("asked %d, %d, %d times in\n%s", kernel[1].asked, kernel[2].asked, kernel[3].asked, text)
	}
	for _, want := range []string{"# vf_config: 1 ok", "# vf_config: 1 unsupported", "# vf_statistics: 1 unsupported"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}

// Without a socket every port has that outcome, and nothing is logged but once.
func TestVFsWithoutReader(t *testing.T) {
	c := NewSRIOV(SRIOVOptions{VFsError: syscall.EAFNOSUPPORT, Counts: fakeVFs{}})
	text := exposition(t, c, inventory.NewSnapshot([]*inventory.Device{port(1, "p1", true)}, 0))
	if !strings.Contains(text, "# vf_config: 1 "+outcome.NotPermitted.String()) {
		t.Errorf("text:\n%s", text)
	}
}
