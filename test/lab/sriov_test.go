//go:build lab

package lab

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpu-exporter/dpu-exporter/inventory"
	"github.com/dpu-exporter/dpu-exporter/test/lab/world"
)

// function is what the inventory says of a PCI function.
type function struct{ Role, Driver, PCI, VF, Address string }

func functions(devices []*inventory.Device) map[string]function {
	all := map[string]function{}
	for _, d := range devices {
		if d.PCI != "" {
			all[d.PCI] = function{string(d.Role), d.Driver, d.PCI, digits(d.VF), d.Address}
		}
	}
	return all
}

// TestSRIOV has all that one PF can show: its link is what takes long.
func TestSRIOV(t *testing.T) {
	pf := world.AddPF(t, 2)
	configuresVFs(t, pf)
	t.Run("inventory", func(t *testing.T) { followsVFs(t, pf) })
	t.Run("statistics", func(t *testing.T) { makesUpNoStatistics(t, pf) })
}

// What igb's VFs are called by configuresVFs.
const address0, address1 = "02:00:00:00:00:10", "02:00:00:00:00:11"

// configuresVFs: what is set of a VF is what the kernel shows.
func configuresVFs(t *testing.T, pf world.PF) {
	if _, err := world.Try(t, "ip", "link", "set", pf.Netdev, "vf", "1", "max_tx_rate", "100"); err == nil {
		t.Error("a rate is set without a link")
	}
	pf.SetUp(t)
	world.Batch(t, "ip", fmt.Sprintf("link set %[1]s vf 0 mac %[2]s\nlink set %[1]s vf 1 mac %[3]s vlan 100 qos 3 spoofchk off trust on max_tx_rate 100\n",
		pf.Netdev, address0, address1))
	got := world.VFs(t, pf.Netdev)
	if len(got) != 2 || got[0].Number != 0 || got[1].Number != 1 {
		t.Fatalf("VFs %+v", got)
	}
	if c := got[0]; c.Address != address0 || !c.SpoofChk || c.Trust || c.Rate.Max != 0 || c.VLANs[0].VLAN != 0 {
		t.Errorf("VF 0: %+v", c)
	}
	if c := got[1]; c.Address != address1 || c.VLANs[0].VLAN != 100 || c.VLANs[0].QoS != 3 || c.Rate.Max != 100 || c.SpoofChk || !c.Trust {
		t.Errorf("VF 1: %+v", c)
	}
	if _, err := world.Try(t, "ip", "link", "set", pf.Netdev, "vf", "0", "state", "disable"); err == nil || !strings.Contains(err.Error(), "not supported") {
		t.Errorf("igb has no state of a VF's link: %v", err)
	}
}

// followsVFs: the inventory knows VFs without a driver, with one, and again
// without as if given to a guest.
func followsVFs(t *testing.T, pf world.PF) {
	inv := runInventory(t, inventory.Options{})
	vf0, vf1 := pf.VF(t, 0), pf.VF(t, 1)
	bare := map[string]function{vf0: {Role: "vf", PCI: vf0, VF: "0"}, vf1: {Role: "vf", PCI: vf1, VF: "1"}}
	all := map[string]function{pf.PCI: {"pf", "igb", pf.PCI, "", "52:54:00:00:00:01"}}
	s := inv.Snapshot()
	if diff := cmp.Diff(bare, functions(s.Detached)) + cmp.Diff(all, functions(s.Devices)); diff != "" {
		t.Errorf("VFs without a driver (-want +got):\n%s", diff)
	}

	filter, err := inventory.NewFilter(nil, []string{regexp.QuoteMeta(vf1)})
	if err != nil {
		t.Fatal(err)
	}
	s = runInventory(t, inventory.Options{Filter: filter}).Snapshot()
	if got := functions(s.Detached); len(got) != 1 || got[vf0] != bare[vf0] || s.Excluded != 1 {
		t.Errorf("with VF 1 left out: %v and %d excluded", got, s.Excluded)
	}

	pf.LoadVFDriver(t)
	all[vf0], all[vf1] = function{"vf", "igbvf", vf0, "0", address0}, function{"vf", "igbvf", vf1, "1", address1}
	awaitSnapshot(t, inv, func(s *inventory.Snapshot) string {
		here := functions(s.Devices)
		for address := range functions(s.Detached) {
			if _, twice := here[address]; twice {
				t.Errorf("%s is with a netdev and without one", address)
			}
		}
		return cmp.Diff(all, here) + cmp.Diff(0, len(s.Detached))
	})
	want := labels{"role": "vf", "driver": "igbvf", "pci_address": vf1, "vf": "1"}
	if got := collect(t).infos("dpu_interface_info")[pf.VFNetdev(t, 1)]; !hasLabels(got, want) {
		t.Errorf("dpu_interface_info %v, want %v", got, want)
	}

	pf.Unbind(t, 1)
	delete(all, vf1)
	delete(bare, vf0)
	awaitSnapshot(t, inv, func(s *inventory.Snapshot) string {
		return cmp.Diff(all, functions(s.Devices)) + cmp.Diff(bare, functions(s.Detached))
	})
	for _, note := range inv.Snapshot().Notes {
		t.Errorf("note: %+v", note)
	}
}

func hasLabels(got, want labels) bool {
	for name, value := range want {
		if got[name] != value {
			return false
		}
	}
	return true
}

// TestCards: the inventory names right the other cards that QEMU models.
func TestCards(t *testing.T) {
	want := map[string]function{}
	for driver, address := range map[string]string{
		"e1000e": "52:54:00:00:00:02", "vmxnet3": "52:54:00:00:00:03", "virtio_net": "52:54:00:00:00:04",
	} {
		pci := world.PCIOf(t, world.AddCard(t, driver))
		want[pci] = function{Role: "pf", Driver: driver, PCI: pci, Address: address}
	}
	s := runInventory(t, inventory.Options{}).Snapshot()
	if diff := cmp.Diff(want, functions(s.Devices)); diff != "" || len(s.Detached) != 0 || len(s.Notes) != 0 {
		t.Errorf("detached %v, notes %v (-want +got):\n%s", s.Detached, s.Notes, diff)
	}
}

// makesUpNoStatistics: igb counts nothing for its VFs, and the kernel then
// reports zeros, which are made up: a VF sends and receives, and we export
// what its netdev counted and nothing of the PF's list.
func makesUpNoStatistics(t *testing.T, pf world.PF) {
	tenant := world.AddNamespace(t, "tenant")
	pf.LoadVFDriver(t)
	vf, card := pf.VFNetdev(t, 0), world.AddCard(t, "e1000e")
	world.Batch(t, "ip", upWithAddress(vf, "192.0.2.1/24")+"link set "+card+" netns tenant\n")
	t.Cleanup(func() { tenant.Run(t, "ip", "link", "set", card, "netns", "1") })
	tenant.Batch(t, "ip", upWithAddress(card, "192.0.2.2/24"))
	world.Run(t, "ping", "-q", "-c", "10", "-i", "0.05", "-w", "10", "192.0.2.2")

	made := 0
	for direction, values := range world.VFs(t, pf.Netdev)[0].Stats {
		for name, value := range values {
			if made++; value != 0 {
				t.Errorf("igb counts %s %s %v now: export it", direction, name, value)
			}
		}
	}
	if made != 8 {
		t.Errorf("the kernel reports %d values for the VF, not 8", made)
	}
	e := collect(t, "--interface.fields=all")
	if got := e.by(t, "dpu_interface_transmit_packets_total", "device")[vf]; got < 10 {
		t.Errorf("the VF's netdev sent %v packets, at least 10 were seen to arrive", got)
	}
	for family := range e {
		if strings.HasPrefix(family, "dpu_vf_") && strings.HasSuffix(family, "_total") {
			t.Errorf("%s is exported and cannot be known: %v", family, e[family])
		}
	}
}
