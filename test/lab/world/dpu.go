package world

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// SoftDPUModule is where a run finds the module that test/lab/softdpu is the
// source of.
const SoftDPUModule = "/mnt/modules/softdpu.ko"

// A DPU is a device of softdpu: an eswitch in software, whose functions,
// representors and rules carry frames as those of a SmartNIC do. Its netdevs
// are named after it.
type DPU struct{ Name string }

// DPUOptions say what a DPU is made with.
type DPUOptions struct {
	Uplinks   int    // physical ports; 1 by default
	VFs       int    // on each uplink, beside the host's PF
	Local     bool   // PFs and VFs are of our own controller, not of an external host's
	Driver    string // what ethtool -i says of uplinks and functions; softdpu by default
	RepDriver string // and of representors; softdpu_rep by default
}

// AddDPU makes a DPU in switchdev mode. The name, at most five lower-case
// letters and digits, begins the names of its netdevs. The test fails if the
// kernel reports a defect of its own meanwhile.
func AddDPU(t testing.TB, name string, o DPUOptions) *DPU {
	t.Helper()
	WatchKernelLog(t)
	loadSoftDPU(t)
	controller := 1
	if o.Local {
		controller = 0
	}
	device := fmt.Sprintf("%s %d %d %d %s %s", name, max(1, o.Uplinks), o.VFs, controller,
		cmp.Or(o.Driver, "softdpu"), cmp.Or(o.RepDriver, "softdpu_rep"))
	WriteFile(t, "/sys/bus/softdpu/new_device", device)
	d := &DPU{Name: name}
	t.Cleanup(func() { d.Remove(t) })
	return d
}

// loadSoftDPU loads the module, unless it is loaded; it stays.
func loadSoftDPU(t testing.TB) {
	t.Helper()
	if _, err := os.Stat("/sys/bus/softdpu"); err != nil {
		Run(t, "modprobe", "-a", "vxlan")
		Run(t, "insmod", SoftDPUModule)
	}
}

// WithSoftDPUOnPCI loads the module anew, to drive a PCI function with SR-IOV,
// until the test ends. It returns the function's address and the DPU, whose name
// is another than that of its device.
func WithSoftDPUOnPCI(t testing.TB) (address string, d *DPU) {
	t.Helper()
	unloadSoftDPU(t)
	Run(t, "insmod", SoftDPUModule, "pci=1")
	WatchKernelLog(t)
	t.Cleanup(func() { unloadSoftDPU(t) })
	devices, err := filepath.Glob("/sys/bus/pci/drivers/softdpu/0*")
	must(t, err)
	if len(devices) != 1 {
		t.Fatalf("softdpu drives the PCI functions %q", devices)
	}
	address = filepath.Base(devices[0])
	bus, err := strconv.ParseUint(strings.Split(address, ":")[1], 16, 8)
	must(t, err)
	return address, &DPU{Name: fmt.Sprintf("n%x", bus)}
}

func unloadSoftDPU(t testing.TB) {
	t.Helper()
	if _, err := os.Stat("/sys/bus/softdpu"); err == nil {
		Run(t, "rmmod", "softdpu")
	}
}

// Handle is the DPU's name in devlink, softdpu/dpu0; not of one on PCI.
func (d *DPU) Handle() string { return "softdpu/" + d.Name }

func (d *DPU) sysfs(file string) string {
	return filepath.Join("/sys/bus/softdpu/devices", d.Name, file)
}

// Remove unplugs the DPU. Of one that is gone it does nothing.
func (d *DPU) Remove(t testing.TB) {
	t.Helper()
	if _, err := os.Stat(d.sysfs("")); err == nil {
		WriteFile(t, "/sys/bus/softdpu/del_device", d.Name)
	}
}

// SetVFs changes the number of VFs on each uplink, as writing to sriov_numvfs
// does: from some to others the way leads over none.
func (d *DPU) SetVFs(t testing.TB, count int) {
	t.Helper()
	WriteFile(t, d.sysfs("sriov_numvfs"), "0")
	if count > 0 {
		WriteFile(t, d.sysfs("sriov_numvfs"), strconv.Itoa(count))
	}
}

// TrySetMode sets the mode of the eswitch (devlink-dev(8)).
func (d *DPU) TrySetMode(t testing.TB, mode string) error {
	t.Helper()
	_, err := Try(t, "devlink", "dev", "eswitch", "set", d.Handle(), "mode", mode)
	return err
}

// SetMode is TrySetMode that must not fail.
func (d *DPU) SetMode(t testing.TB, mode string) {
	t.Helper()
	must(t, d.TrySetMode(t, mode))
}

// AddSF makes and activates an SF of our own controller (devlink-port(8)).
func (d *DPU) AddSF(t testing.TB, pf, number int) DPUPort {
	t.Helper()
	p := d.SF(pf, number)
	Batch(t, "devlink", fmt.Sprintf(`
		port add %s flavour pcisf pfnum %d sfnum %d
		port function set %s state active
	`, d.Handle(), pf, number, p.DevlinkPort()))
	return p
}

// WirePorts joins two uplinks; each loses the wire that it had.
func WirePorts(t testing.TB, a, b DPUPort) {
	t.Helper()
	WriteFile(t, "/sys/bus/softdpu/wire", fmt.Sprintf("%s %d %s %d", a.DPU.Name, a.PF, b.DPU.Name, b.PF))
}

// CutWire takes away the wire at an uplink.
func CutWire(t testing.TB, uplink DPUPort) {
	t.Helper()
	WriteFile(t, "/sys/bus/softdpu/wire", fmt.Sprintf("%s %d -", uplink.DPU.Name, uplink.PF))
}
