package sysfs_test

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/internal/sysfs"
	"github.com/dpu-exporter/dpu-exporter/internal/sysfs/sysfstest"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

func TestFunction(t *testing.T) {
	root := sysfs.FS(sysfstest.Load(t, "testdata/dpu.tree"))
	yes, no := true, false
	for _, c := range []struct {
		bus, device string
		want        sysfs.Function
	}{
		{"pci", "0000:03:00.0", sysfs.Function{Driver: "mlx5_core", PCI: "0000:03:00.0", Virtual: &no}},
		{"pci", "0000:03:00.2", sysfs.Function{PCI: "0000:03:00.2", Virtual: &yes, PF: "0000:03:00.0"}},
		{"auxiliary", "mlx5_core.sf.2", sysfs.Function{Driver: "mlx5_core.sf", PCI: "0000:03:00.0", Virtual: &no}},
		{"virtio", "virtio2", sysfs.Function{Driver: "virtio_net", PCI: "0000:00:03.0", Virtual: &no}},
		{"usb", "1-1:1.0", sysfs.Function{Driver: "cdc_ncm"}},
	} {
		got, err := root.Function(c.bus, c.device)
		if err != nil {
			t.Errorf("%s/%s: %v", c.bus, c.device, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s/%s (-want +got):\n%s", c.bus, c.device, diff)
		}
	}
}

func TestFunctionOfAHostileTree(t *testing.T) {
	root := sysfs.FS(sysfstest.Load(t, "testdata/hostile.tree"))
	for device, want := range map[string]error{
		"0000:09:00.0": fs.ErrNotExist,
		"0000:05:00.0": unix.EINVAL, // a file where a link should be
		"0000:02:00.0": unix.EACCES,
		"..":           fs.ErrInvalid,
		"../pci":       fs.ErrInvalid,
		"":             fs.ErrInvalid,
		"a\x00b":       fs.ErrInvalid,
	} {
		sysfstest.AsNobody(func() {
			if _, err := root.Function("pci", device); !errors.Is(err, want) {
				t.Errorf("%q: error %v, want %v", device, err, want)
			}
		})
	}
	if _, err := root.Function("pci/../..", "x"); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("bus with separators: error %v", err)
	}

	// A driver that cannot be read hides neither the address nor the role.
	got, err := root.Function("pci", "0000:04:00.0")
	if !errors.Is(err, unix.EINVAL) || got.PCI != "0000:04:00.0" || got.Virtual == nil || !*got.Virtual {
		t.Errorf("bad driver link: %+v, error %v", got, err)
	}
	got, err = root.Function("pci", "0000:01:00.0")
	if !errors.Is(err, unix.ELOOP) || got.Virtual != nil {
		t.Errorf("link to itself: %+v, error %v", got, err)
	}
}

func TestSFNumber(t *testing.T) {
	root := sysfs.FS(sysfstest.Load(t, "testdata/dpu.tree"))
	sf, err := root.SFNumber("mlx5_core.sf.2")
	if err != nil || sf == nil || *sf != 88 {
		t.Errorf("sf = %v, error %v", sf, err)
	}
	if sf, err := root.SFNumber("mlx5_core.eth.0"); err != nil || sf != nil {
		t.Errorf("no subfunction: sf = %v, error %v", sf, err)
	}

	root = sysfs.FS(sysfstest.Load(t, "testdata/hostile.tree"))
	for device, want := range map[string]error{
		"a.sf.1": nil, "a.sf.2": unix.ENXIO, "a.sf.3": nil, "a.sf.4": unix.EINVAL, "../x": fs.ErrInvalid,
	} {
		sf, err := root.SFNumber(device)
		if err == nil || sf != nil || (want != nil && !errors.Is(err, want)) {
			t.Errorf("%s: sf = %v, error %v, want %v", device, sf, err, want)
		}
	}
}

func TestParent(t *testing.T) {
	root := sysfs.FS(sysfstest.Load(t, "testdata/dpu.tree"))
	bus, device, err := root.Parent("p0", 4)
	if err != nil || bus != "pci" || device != "0000:03:00.0" {
		t.Errorf("p0: %s/%s, error %v", bus, device, err)
	}
	for name, index := range map[string]int{"p0": 5, "lo": 1, "gone": 4} {
		if _, _, err := root.Parent(name, index); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s with index %d: error %v, want not exist", name, index, err)
		}
	}

	root = sysfs.FS(sysfstest.Load(t, "testdata/hostile.tree"))
	for name, want := range map[string]error{"loop": unix.ELOOP, "p1": unix.ELOOP, "../../bus": fs.ErrInvalid} {
		if _, _, err := root.Parent(name, 6); !errors.Is(err, want) {
			t.Errorf("%s: error %v, want %v", name, err, want)
		}
	}
}

func TestRDMADevices(t *testing.T) {
	root := sysfs.FS(sysfstest.Load(t, "testdata/dpu.tree"))
	got, err := root.RDMADevices()
	want := []sysfs.RDMADevice{{"mlx5_0", "0000:03:00.0"}, {"mlx5_2", "mlx5_core.sf.2"}, {"rxe0", ""}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
	if got, err := sysfs.FS(t.TempDir()).RDMADevices(); len(got) != 0 || err != nil {
		t.Errorf("kernel without RDMA: %v, error %v", got, err)
	}
}

func TestOneBadRDMADeviceHidesNoOther(t *testing.T) {
	root := sysfs.FS(sysfstest.Load(t, "testdata/hostile.tree"))
	var got []sysfs.RDMADevice
	var err error
	sysfstest.AsNobody(func() { got, err = root.RDMADevices() })
	want := []sysfs.RDMADevice{{"bad_0", ""}, {"good_0", "0000:03:00.0"}, {"secret_0", ""}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !errors.Is(err, unix.ELOOP) || !errors.Is(err, fs.ErrPermission) {
		t.Errorf("error %v, want both faults", err)
	}
}

func TestIsPCI(t *testing.T) {
	for name, want := range map[string]bool{
		"0000:03:00.0": true, "10000:e1:00.0": true, "0000:03:1f.7": true,
		"pci0000:00": false, "0000:03:00.8": false, "0000:03:00.00": false, "000:03:00.0": false,
		"0000:0g:00.0": false, "0000:03.00:0": false, "": false, "mlx5_core.sf.2": false, "000000000:03:00.0": false,
	} {
		if got := sysfs.IsPCI(name); got != want {
			t.Errorf("IsPCI(%q) = %v", name, got)
		}
	}
}
