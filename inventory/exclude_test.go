package inventory

import (
	"testing"

	"github.com/dpu-exporter/dpu-exporter/internal/devlink"
	"github.com/dpu-exporter/dpu-exporter/internal/rtnl"
	"github.com/google/go-cmp/cmp"
)

func filter(t testing.TB, include, exclude string) *Filter {
	t.Helper()
	list := func(expression string) []string {
		if expression == "" {
			return nil
		}
		return []string{expression}
	}
	f, err := NewFilter(list(include), list(exclude))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFilterOverTheInventory(t *testing.T) {
	const all = "bond0 eth0 lo old0 p0 p1 rep0 s88 tmfifo_net0 usb0 v0 veth0 vlan7"
	for _, c := range []struct {
		name, include, exclude, want string
		asked                        []string
	}{
		{"all", "", "", all, []string{pf0, pf1}},
		{"a name", "", "p0", "bond0 eth0 lo old0 p1 rep0 s88 tmfifo_net0 usb0 v0 veth0 vlan7", []string{pf1}},
		{"an alternative name", "", "enp3s0f0np0", "bond0 eth0 lo old0 p1 rep0 s88 tmfifo_net0 usb0 v0 veth0 vlan7", []string{pf1}},
		// The representor shares the PF's function: its address counts, its RDMA device does not.
		{"a PCI function", "", `0000:03:00\.0`, "bond0 eth0 lo old0 p1 tmfifo_net0 usb0 v0 veth0 vlan7", []string{pf1}},
		{"an RDMA device", "", "mlx5_0", "bond0 eth0 lo old0 p1 rep0 s88 tmfifo_net0 usb0 v0 veth0 vlan7", []string{pf1}},
		{"the SF's RDMA device", "", "mlx5_4", "bond0 eth0 lo old0 p0 p1 rep0 tmfifo_net0 usb0 v0 veth0 vlan7", []string{pf0, pf1}},
		{"only RDMA", "mlx5_[0-9]+", "", "old0 p0 p1 s88", []string{pf0, pf1}},
		{"only PCI, but one", `0000:03:.*`, "s88|old0", "p0 p1 rep0 v0", []string{pf0, pf1}},
		{"nothing", "nosuch", "", "", nil},
	} {
		k := dpuHost()
		s := synced(t, k.inventory(t, "testdata/host.tree", Options{Filter: filter(t, c.include, c.exclude)}))
		if got := namesIn(s); got != c.want {
			t.Errorf("%s: devices %q, want %q", c.name, got, c.want)
		}
		if s.Excluded+len(s.Devices) != len(k.links) {
			t.Errorf("%s: %d excluded and %d kept of %d", c.name, s.Excluded, len(s.Devices), len(k.links))
		}
		if want := c.include+c.exclude != ""; s.Filtered != want {
			t.Errorf("%s: filtered %v", c.name, s.Filtered)
		}
		if diff := cmp.Diff(c.asked, k.asked); diff != "" {
			t.Errorf("%s: eswitches asked for (-want +got):\n%s", c.name, diff)
		}
	}
}

// The files of the tree fail the test when they are opened.
func TestNothingIsReadOfAnExcludedDevice(t *testing.T) {
	for _, exclude := range []string{"s88|old0", "mlx5_4|old0", `0000:03:00\.0|old0`} {
		k := newFakeKernel(rtnl.Link{Index: 5, Name: "s88", ParentBus: "auxiliary", ParentDev: "mlx5_core.sf.2"}, rtnl.Link{Index: 30, Name: "old0"})
		i := k.inventory(t, "testdata/tripwire.tree", Options{Filter: filter(t, "", exclude)})
		if s := synced(t, i); s.Excluded != 2 || len(s.Devices) != 0 || len(s.Notes) != 0 {
			t.Errorf("exclude %s: %d excluded, devices %q, notes %v", exclude, s.Excluded, namesIn(s), s.Notes)
		}
		i.refresh(t.Context())
	}
}

// Of an excluded physical function nothing is read for its virtual ones, which
// then have no number.
func TestVFOfAnExcludedPF(t *testing.T) {
	for _, exclude := range []string{`0000:03:00\.0`, "mlx5_0"} {
		k := newFakeKernel(pciLink(4, "v0", "0000:03:00.2"))
		i := k.inventory(t, "testdata/tripwire-pf.tree", Options{Filter: filter(t, "", exclude)})
		s := synced(t, i)
		if d := deviceNamed(t, s, "v0"); d.Role != VF || d.VF != nil || len(s.Notes) != 0 {
			t.Errorf("exclude %s: %+v, notes %v", exclude, d, s.Notes)
		}
	}
}

// A rename can bring a device in, or take it out, without a new dump.
func TestFilterFollowsARename(t *testing.T) {
	k := newFakeKernel(pciLink(2, "secret", "0000:03:00.0"))
	i := k.inventory(t, "testdata/host.tree", Options{Filter: filter(t, "", "secret")})
	if s := synced(t, i); s.ByIndex(2) != nil {
		t.Fatal("not excluded")
	}
	i.apply([]rtnl.Event{{Link: pciLink(2, "p0", "0000:03:00.0")}})
	if d := i.Snapshot().ByIndex(2); d == nil || d.Role != PF || d.Driver != "mlx5_core" {
		t.Errorf("after the rename: %+v", d)
	}
	i.apply([]rtnl.Event{{Link: pciLink(2, "secret", "0000:03:00.0")}})
	if s := i.Snapshot(); s.ByIndex(2) != nil || s.Excluded != 1 {
		t.Error("still included under its excluded name")
	}
}

func TestARenameReadsNothing(t *testing.T) {
	k := newFakeKernel(pciLink(2, "p0", "0000:03:00.0"), rtnl.Link{Index: 30, Name: "old0"})
	i := k.inventory(t, "testdata/host.tree", Options{})
	synced(t, i)
	i.sysfs = "/nonexistent"
	i.apply([]rtnl.Event{{Link: pciLink(2, "uplink", "0000:03:00.0")}, {Link: rtnl.Link{Index: 30, Name: "older0"}}})
	s := i.Snapshot()
	if a, b := s.ByIndex(2), s.ByIndex(30); a.Name != "uplink" || a.Driver != "mlx5_core" || b.Name != "older0" || b.PCI != "0000:03:00.1" {
		t.Errorf("after the rename: %+v, %+v", a, b)
	}
}

// An index that comes back is another device: neither its facts nor its
// devlink port are those of the one before.
func TestIndexReuse(t *testing.T) {
	k := dpuHost()
	i := k.inventory(t, "testdata/host.tree", Options{})
	synced(t, i)
	rep := k.links[5]
	i.apply([]rtnl.Event{{Removed: true, Link: rep}, {Link: rtnl.Link{Index: 6, Name: "rep0", Kind: "dummy"}}})
	if d := i.Snapshot().ByIndex(6); d.Role != "dummy" || d.DevlinkPort != "" || d.VF != nil || d.PCI != "" {
		t.Errorf("software device with the index of a representor: %+v", d)
	}
	i.apply([]rtnl.Event{{Link: pciLink(6, "v1", "0000:03:00.2")}}) // the removal before it was lost
	if d := i.Snapshot().ByIndex(6); d.Role != VF || d.PCI != "0000:03:00.2" {
		t.Errorf("VF with the same index: %+v", d)
	}
	i.apply([]rtnl.Event{{Link: rtnl.Link{Index: 6, Name: "x0", Kind: "vxlan"}}}) // and once more
	if d := i.Snapshot().ByIndex(6); d.Role != "vxlan" || d.PCI != "" || d.Driver != "" {
		t.Errorf("software device with the index of a VF: %+v", d)
	}
	k.links[5] = rtnl.Link{Index: 6, Name: "old1"}
	k.ports = []devlink.Port{physical(pf0, 2)}
	if d := synced(t, i).ByIndex(6); d.Role != Other || d.PCI != "" {
		t.Errorf("after a full read: %+v", d)
	}
}
