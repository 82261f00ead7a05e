package collector

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/internal/sysfs"
	"github.com/dpu-exporter/dpu-exporter/internal/sysfs/sysfstest"
	"github.com/dpu-exporter/dpu-exporter/inventory"
)

// pciFromCase reads sysfs.tree.
func pciFromCase(t *testing.T, dir string) Collector {
	return NewPCI(sysfs.FS(sysfstest.Load(t, filepath.Join(dir, "sysfs.tree"))))
}

// Each physical function is read once, a virtual one only where there is no
// other, and a representor's never for its own sake.
func TestFunctionsOf(t *testing.T) {
	device := func(role inventory.Role, pci string) *inventory.Device {
		return &inventory.Device{Role: role, PCI: pci}
	}
	pf, pf1 := device(inventory.Uplink, "0000:03:00.0"), device(inventory.PF, "0000:03:00.1")
	vf, rep := device(inventory.VF, "0000:03:00.2"), device(inventory.VFRepresentor, "0000:03:00.0")
	for name, test := range map[string]struct {
		devices, detached []*inventory.Device
		want              []string
	}{
		"a host":          {[]*inventory.Device{rep, pf, vf, pf1, pf}, []*inventory.Device{device(inventory.VF, "0000:03:00.3")}, []string{"0000:03:00.0", "0000:03:00.1"}},
		"a guest":         {[]*inventory.Device{vf, vf}, nil, []string{"0000:03:00.2"}},
		"without netdevs": {nil, []*inventory.Device{pf}, []string{"0000:03:00.0"}},
		"software alone":  {[]*inventory.Device{device("veth", "")}, nil, nil},
	} {
		s := inventory.NewSnapshot(test.devices, 0)
		s.Detached = test.detached
		if have := functionsOf(s); !slices.Equal(have, test.want) {
			t.Errorf("%s: %q, want %q", name, have, test.want)
		}
	}
}
