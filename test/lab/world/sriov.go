package world

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// A PF is a physical function with SR-IOV: the Intel 82576 that QEMU models,
// driven by the kernel's igb, with up to 7 VFs. It has no eswitch.
type PF struct {
	PCI    string // 0000:01:00.0
	Netdev string
}

// AddPF loads igb and makes VFs, which have no driver until LoadVFDriver.
func AddPF(t testing.TB, vfs int) PF {
	t.Helper()
	pf := PF{Netdev: AddCard(t, "igb")}
	pf.PCI = PCIOf(t, pf.Netdev)
	WriteFile(t, sysfsPCI(pf.PCI, "sriov_numvfs"), strconv.Itoa(vfs))
	return pf
}

// SetUp sets the PF up and waits for its link, before which its VFs have none
// and no rate can be set.
func (pf PF) SetUp(t testing.TB) {
	t.Helper()
	Run(t, "ip", "link", "set", pf.Netdev, "up")
	Await(t, "link of the PF", func() bool {
		carrier, err := os.ReadFile("/sys/class/net/" + pf.Netdev + "/carrier")
		return err == nil && string(carrier) == "1\n"
	})
}

// LoadVFDriver loads igbvf, so that each VF has a netdev. A VF takes the address
// that it was given then, and no other.
func (pf PF) LoadVFDriver(t testing.TB) {
	t.Helper()
	loadModule(t, "igbvf")
}

// VF is the PCI address of a VF (sysfs-bus-pci, virtfn<N>).
func (pf PF) VF(t testing.TB, number int) string {
	t.Helper()
	target, err := os.Readlink(sysfsPCI(pf.PCI, fmt.Sprintf("virtfn%d", number)))
	must(t, err)
	return filepath.Base(target)
}

// VFNetdev is the netdev of a VF.
func (pf PF) VFNetdev(t testing.TB, number int) string {
	t.Helper()
	return netdevOf(t, pf.VF(t, number))
}

// Unbind takes its driver from a VF, as is done to give it to a guest.
func (pf PF) Unbind(t testing.TB, number int) {
	t.Helper()
	WriteFile(t, "/sys/bus/pci/drivers/igbvf/unbind", pf.VF(t, number))
}

// AddCard loads the driver of one of the guest's network cards (igb, e1000e,
// vmxnet3, virtio_net) and returns its netdev. QEMU models the cards, down to
// their registers, in one Ethernet segment.
func AddCard(t testing.TB, driver string) string {
	t.Helper()
	loadModule(t, driver)
	devices, err := filepath.Glob("/sys/bus/*/drivers/" + driver + "/*/net/*")
	must(t, err)
	if len(devices) != 1 {
		t.Fatalf("%s drives %q", driver, devices)
	}
	return filepath.Base(devices[0])
}

// PCIOf is the address of the PCI function that a netdev is or is part of.
func PCIOf(t testing.TB, netdev string) string {
	t.Helper()
	device, err := filepath.EvalSymlinks("/sys/class/net/" + netdev + "/device")
	must(t, err)
	for !strings.Contains(filepath.Base(device), ":") {
		device = filepath.Dir(device) // virtio sits on its function
	}
	return filepath.Base(device)
}

// loadModule loads a module until the test ends; the devices that it drives go
// with it.
func loadModule(t testing.TB, name string) {
	t.Helper()
	Run(t, "modprobe", name)
	t.Cleanup(func() { Run(t, "modprobe", "-r", name) })
}

// netdevOf is the netdev of a PCI function, which comes a moment after its driver.
func netdevOf(t testing.TB, pci string) string {
	t.Helper()
	var name string
	Await(t, "a netdev of "+pci, func() bool {
		entries, _ := os.ReadDir(sysfsPCI(pci, "net"))
		if len(entries) == 1 {
			name = entries[0].Name()
		}
		return name != ""
	})
	return name
}

func sysfsPCI(address, file string) string {
	return filepath.Join("/sys/bus/pci/devices", address, file)
}
