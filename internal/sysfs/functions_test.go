package sysfs_test

import (
	"errors"
	"io/fs"
	"strconv"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/internal/sysfs"
	"github.com/dpu-exporter/dpu-exporter/internal/sysfs/sysfstest"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

func TestOneBadVFHidesNoOther(t *testing.T) {
	root := sysfs.FS(sysfstest.Load(t, "testdata/hostile.tree"))
	got, err := root.VFs("0000:06:00.0")
	want := []sysfs.VF{{Number: 0, PCI: "0000:06:00.2"}, {Number: 3, PCI: "0000:06:00.5"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !errors.Is(err, unix.EINVAL) || !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("error %v, want that of the file and of the link to etc", err)
	}
}

func TestVFsThatCannotBeListed(t *testing.T) {
	root := sysfs.FS(sysfstest.Load(t, "testdata/hostile.tree"))
	for device, want := range map[string]error{
		"0000:02:00.0": unix.EACCES,
		"0000:01:00.0": unix.ELOOP,
		"0000:05:00.0": unix.ENOTDIR,
		"0000:99:00.0": fs.ErrNotExist,
		"../pci":       fs.ErrInvalid,
		"":             fs.ErrInvalid,
	} {
		sysfstest.AsNobody(func() {
			if vfs, err := root.VFs(device); len(vfs) != 0 || !errors.Is(err, want) {
				t.Errorf("%q: %v, error %v, want %v", device, vfs, err, want)
			}
		})
	}
}

func TestVFs(t *testing.T) {
	root := sysfs.FS(sysfstest.Load(t, "testdata/dpu.tree"))
	got, err := root.VFs("0000:03:00.0")
	want := []sysfs.VF{{Number: 0, PCI: "0000:03:00.2"}, {Number: 2, PCI: "0000:03:00.4"}, {Number: 10, PCI: "0000:03:01.4"}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
	if vfs, err := root.VFs("0000:03:00.2"); len(vfs) != 0 || err != nil {
		t.Errorf("of a VF: %v, error %v", vfs, err)
	}
}

func TestVFNumber(t *testing.T) {
	root := sysfs.FS(sysfstest.Load(t, "testdata/sriov.tree"))
	for _, c := range []struct {
		pf, vf string
		want   uint32
	}{
		{"0000:01:00.0", "0000:01:10.0", 0}, // Intel 82576: offset 128, stride 2
		{"0000:01:00.0", "0000:01:10.2", 1},
		{"0000:01:00.0", "0000:02:00.0", 64}, // on the next bus
		{"0000:03:00.1", "0000:03:00.2", 0},  // ConnectX: offset 1, stride 1
		{"0000:03:00.1", "0000:03:01.0", 6},
		{"0000:05:00.0", "0000:05:00.1", 0}, // stride 0
	} {
		if got, err := root.VFNumber(c.pf, c.vf); err != nil || got == nil || *got != c.want {
			t.Errorf("%s of %s: %v, error %v, want %d", c.vf, c.pf, got, err, c.want)
		}
	}
	if got, err := root.VFNumber("0000:04:00.0", "0000:04:00.1"); got != nil || err != nil {
		t.Errorf("a kernel that does not say: %v, error %v", got, err)
	}
	for _, c := range [][2]string{
		{"0000:01:00.0", "0000:01:10.1"}, // between two
		{"0000:01:00.0", "0000:01:00.1"}, // before the first
		{"0000:01:00.0", "eth0"},
		{"0000:01:00.0", "0001:01:10.0"}, // of another domain
		{"0000:07:00.0", "0000:07:00.0"}, // offset 0
		{"0000:05:00.0", "0000:05:00.2"}, // a second one with stride 0
		{"../pci", "0000:05:00.1"},
	} {
		if got, err := root.VFNumber(c[0], c[1]); got != nil || !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("%s of %s: %v, error %v", c[1], c[0], got, err)
		}
	}
	if got, err := root.VFNumber("0000:06:00.0", "0000:06:00.1"); got != nil || !errors.Is(err, strconv.ErrSyntax) {
		t.Errorf("an offset that is no number: %v, error %v", got, err)
	}
}

func TestSFs(t *testing.T) {
	root := sysfs.FS(sysfstest.Load(t, "testdata/hostile.tree"))
	var got []string
	var err error
	sysfstest.AsNobody(func() { got, err = root.SFs() })
	if diff := cmp.Diff([]string{"a.sf.1", "a.sf.2", "a.sf.3", "a.sf.4"}, got); diff != "" {
		t.Errorf("hostile tree (-want +got):\n%s", diff)
	}
	if !errors.Is(err, unix.EACCES) || !errors.Is(err, unix.ELOOP) {
		t.Errorf("error %v, want both faults", err)
	}

	got, err = sysfs.FS(sysfstest.Load(t, "testdata/dpu.tree")).SFs()
	if diff := cmp.Diff([]string{"mlx5_core.sf.2"}, got); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
	if got, err := sysfs.FS(t.TempDir()).SFs(); len(got) != 0 || err != nil {
		t.Errorf("kernel without an auxiliary bus: %v, error %v", got, err)
	}
}
