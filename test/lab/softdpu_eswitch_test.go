//go:build lab

package lab

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/test/lab/world"
)

// TestSoftDPUModes: a change of mode that fails half-way leaves what was, SFs
// stand in the way of legacy mode, and rules are forgotten with it.
func TestSoftDPUModes(t *testing.T) {
	world.WatchKernelLog(t)
	d := world.AddDPU(t, "dpu", world.DPUOptions{VFs: 3})
	d.SetMode(t, world.Legacy)
	d.VF(0, 1).Fault(t, "fail representor 12")
	if err := d.TrySetMode(t, world.Switchdev); err == nil || !strings.Contains(err.Error(), "Cannot allocate memory") || !strings.Contains(err.Error(), "still legacy") {
		t.Errorf("a representor cannot be made: %v", err)
	}
	if ports := world.Ports(t); len(ports) != 1 || ports[0].Netdev != d.Uplink(0).Netdev() {
		t.Errorf("after the failure there are the ports %+v", ports)
	}
	d.VF(0, 1).Fault(t, "clear")
	d.SetMode(t, world.Switchdev)
	if ports := world.Ports(t); len(ports) != 1+1+3 {
		t.Errorf("switchdev mode has the ports %+v", ports)
	}
	sf := d.AddSF(t, 0, 88)
	if err := d.TrySetMode(t, world.Legacy); err == nil || !strings.Contains(err.Error(), "delete the SFs first") {
		t.Errorf("legacy mode with an SF: %v", err)
	}
	if _, err := world.Try(t, "devlink", "port", "add", d.Handle(), "flavour", "pcisf", "pfnum", "0", "sfnum", "88"); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("the same SF once more: %v", err)
	}
	world.Run(t, "devlink", "port", "del", sf.DevlinkPort())
	world.AddFlower(t, d.Uplink(0).Netdev(), "pref 1 protocol ip flower skip_sw action drop")
	d.SetMode(t, world.Legacy)
	if rules := d.Uplink(0).Rules(t); len(rules) != 0 {
		t.Errorf("legacy mode has the rules %q", rules)
	}
}

// TestSoftDPUPCI: on PCI addresses, VFs and who is whose are the PCI core's own.
func TestSoftDPUPCI(t *testing.T) {
	world.WatchKernelLog(t)
	address, d := world.WithSoftDPUOnPCI(t)
	world.WriteFile(t, "/sys/bus/pci/devices/"+address+"/sriov_numvfs", "2")
	for n, want := range []string{strings.TrimSuffix(address, ".0") + ".1", strings.TrimSuffix(address, ".0") + ".2"} {
		function := linkTo(t, "/sys/class/net/"+d.VF(0, n).Function()+"/device")
		if function != want || linkTo(t, "/sys/bus/pci/devices/"+want+"/physfn") != address {
			t.Errorf("VF %d is %s, want %s of %s", n, function, want, address)
		}
	}
	e := collect(t).infos("dpu_interface_info")
	for netdev, want := range map[string]labels{
		d.Uplink(0).Netdev():  {"role": "uplink", "pci_address": address, "driver": "softdpu"},
		d.VF(0, 1).Netdev():   {"role": "vf_representor", "pci_address": address, "vf": "1", "pf": "0", "controller": "1"},
		d.VF(0, 1).Function(): {"role": "vf", "pci_address": strings.TrimSuffix(address, ".0") + ".2"},
		d.PF(0).Netdev():      {"role": "pf_representor", "pci_address": address},
	} {
		for label, value := range want {
			if e[netdev][label] != value {
				t.Errorf("%s of %s is %q, want %q", label, netdev, e[netdev][label], value)
			}
		}
	}
	vf := strings.TrimSuffix(address, ".0") + ".1"
	world.WriteFile(t, "/sys/bus/pci/drivers/softdpu/unbind", vf)
	if _, err := os.Stat("/sys/class/net/" + d.VF(0, 0).Function()); err == nil {
		t.Error("a VF without a driver has a netdev")
	}
	world.WriteFile(t, "/sys/bus/pci/drivers/softdpu/bind", vf)
	linkTo(t, "/sys/class/net/"+d.VF(0, 0).Function()+"/device")
	world.WriteFile(t, "/sys/bus/pci/devices/"+address+"/sriov_numvfs", "0")
	if left, _ := filepath.Glob("/sys/class/net/" + d.Name + "*v*"); len(left) != 0 {
		t.Errorf("without VFs there are %q", left)
	}
}

// linkTo is the last word of where a link of sysfs leads.
func linkTo(t *testing.T, path string) string {
	t.Helper()
	target, err := os.Readlink(path)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Base(target)
}
