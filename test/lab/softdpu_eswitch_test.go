//go:build lab

package lab

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

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

// TestSoftDPUUndone: VFs or a device that cannot be made to the end, for a netdev
// has a name of theirs, leave nothing.
func TestSoftDPUUndone(t *testing.T) {
	d := world.AddDPU(t, "dpu", world.DPUOptions{})
	world.Batch(t, "ip", "link add dpuh0v1 type dummy\nlink add halfh0v1 type dummy\n")
	t.Cleanup(func() { world.Batch(t, "ip", "link del dpuh0v1\nlink del halfh0v1\n") })
	if err := os.WriteFile("/sys/bus/softdpu/devices/dpu/sriov_numvfs", []byte("3"), 0o200); !errors.Is(err, unix.EEXIST) {
		t.Errorf("VFs of which one cannot be made: %v", err)
	}
	if vfs := number(t, "/sys/bus/softdpu/devices/dpu/sriov_numvfs"); vfs != 0 || len(world.VFs(t, d.Uplink(0).Netdev())) != 0 {
		t.Errorf("there are %v VFs", vfs)
	}
	if err := os.WriteFile("/sys/bus/softdpu/new_device", []byte("half 1 3"), 0o200); !errors.Is(err, unix.EIO) {
		t.Errorf("a device of which one VF cannot be made: %v", err)
	}
	want := map[string]bool{"dpup0": true, "dpupf0": true, "dpuh0": true, "dpuh0v1": true}
	checkThere(t, "undone", d, want, map[string]string{d.Uplink(0).DevlinkPort(): "dpup0", d.PF(0).DevlinkPort(): "dpupf0"})
	checkThere(t, "undone", &world.DPU{Name: "half"}, map[string]bool{"halfh0v1": true}, map[string]string{})
	if left, _ := filepath.Glob("/sys/kernel/debug/softdpu/half*"); len(left) != 0 {
		t.Errorf("debugfs has %q", left)
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
