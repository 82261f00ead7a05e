package inventory

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/internal/devlink"
	"github.com/dpu-exporter/dpu-exporter/internal/rtnl"
	"github.com/dpu-exporter/dpu-exporter/test/worlds"
)

// thousand is a node with two uplinks, 498 VF representors and 500 veths.
func thousand() *fakeKernel {
	k := newFakeKernel(pciLink(1, "p0", "0000:03:00.0"), pciLink(2, "p1", "0000:03:00.1"))
	k.ports = []devlink.Port{physical(pf0, 1), physical(pf1, 2)}
	k.modes[pf0], k.modes[pf1] = devlink.Switchdev, devlink.Switchdev
	for n := 3; n <= 1000; n++ {
		if n <= 500 {
			k.links = append(k.links, rtnl.Link{
				Index: n, Name: fmt.Sprintf("pf0vf%d", n), PortName: fmt.Sprintf("c1pf0vf%d", n), SwitchID: []byte{1, 2, 3, 4, 5, 6, 7, 8},
			})
			vf := port(pf0, devlink.PCIVF, n)
			vf.Controller, vf.PF, vf.VF = number(1), number(0), number(uint32(n))
			k.ports = append(k.ports, vf)
			continue
		}
		k.links = append(k.links, rtnl.Link{Index: n, Name: fmt.Sprintf("veth%d", n), Kind: "veth", Lower: n ^ 1})
	}
	return k
}

// BenchmarkSnapshotRebuild is the first Snapshot after a change of 1,000 devices.
func BenchmarkSnapshotRebuild(b *testing.B) {
	for name, f := range map[string]*Filter{"all": nil, "filtered": filter(b, "", "veth[0-9]*[13579]|mlx5_(12|13)")} {
		b.Run(name, func(b *testing.B) {
			i := thousand().inventory(b, "testdata/host.tree", Options{Filter: f})
			synced(b, i)
			b.ReportAllocs()
			for b.Loop() {
				i.current.Store(nil)
				i.Snapshot()
			}
		})
	}
}

// BenchmarkSnapshotUnchanged is any further Snapshot.
func BenchmarkSnapshotUnchanged(b *testing.B) {
	i := thousand().inventory(b, "testdata/host.tree", Options{})
	synced(b, i)
	b.ReportAllocs()
	for b.Loop() {
		i.Snapshot()
	}
}

// BenchmarkReadDetached looks for 128 VFs that guests have.
func BenchmarkReadDetached(b *testing.B) {
	tree := "bus/pci/drivers/vfio-pci /\nbus/pci/devices/0000:03:00.0 -> ../../../devices/pf\n"
	for n := range 128 {
		address := fmt.Sprintf("0000:04:%02x.%d", n/8, n%8)
		tree += fmt.Sprintf("devices/pf/virtfn%d -> ../%[2]s\nbus/pci/devices/%[2]s -> ../../../devices/%[2]s\n", n, address) +
			fmt.Sprintf("devices/%[1]s/driver -> ../../bus/pci/drivers/vfio-pci\ndevices/%[1]s/physfn -> ../pf\n", address)
	}
	file := filepath.Join(b.TempDir(), "guests.tree")
	must(b, os.WriteFile(file, []byte(tree), 0o600))
	i := newFakeKernel(pciLink(1, "p0", "0000:03:00.0")).inventory(b, file, Options{})
	if s := synced(b, i); len(s.Detached) != 128 {
		b.Fatalf("%d without a netdev", len(s.Detached))
	}
	b.ReportAllocs()
	for b.Loop() {
		i.readDetached()
	}
}

// BenchmarkSync reads 1,000 real interfaces.
func BenchmarkSync(b *testing.B) {
	worlds.Enter(b)
	worlds.AddVeths(b, 500)
	i, err := Open(Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { must(b, i.Close()) }()
	b.ReportAllocs()
	for b.Loop() {
		synced(b, i)
	}
}
