//go:build lab

package lab

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"

	"github.com/dpu-exporter/dpu-exporter/test/lab/world"
)

// what there is in a storm, most of the time
var stormDevices = []string{"st0", "st1"}

const (
	stormUplinks = 2
	stormSF      = 7 // the only SF, on the first PF of the first device
	stormVFs     = 3 // on each PF at most, but for the few times that there are many
)

var stormSFIndex = uint32((&world.DPU{}).SF(0, stormSF).DevlinkIndex())

func anyDPU(r *rand.Rand) *world.DPU {
	return &world.DPU{Name: stormDevices[r.IntN(len(stormDevices))]}
}

// anyPort is a port that may be there.
func anyPort(r *rand.Rand) world.DPUPort {
	d, pf := anyDPU(r), r.IntN(stormUplinks)
	switch r.IntN(7) {
	case 0, 1:
		return d.Uplink(pf)
	case 2:
		return d.PF(pf)
	case 3:
		return d.SF(0, stormSF)
	}
	return d.VF(pf, r.IntN(stormVFs))
}

// which netdevs of the storm, by their names in sysfs
const (
	everyNetdev   = "st?[hp]*"
	everyUplink   = "st?p?"
	everyEswitch  = "st?p*" // uplinks and representors
	everyFunction = "st?h*"
)

// anyThere is a netdev that was there a moment ago.
func anyThere(r *rand.Rand, which string) string {
	all, _ := filepath.Glob("/sys/class/net/" + which)
	if len(all) == 0 {
		return "st0p0"
	}
	return filepath.Base(oneOf(r, all))
}

// shapers change what there is.
func (s *storm) shapers() []actor {
	return []actor{
		{"modes", 1, 100 * time.Millisecond, []operation{
			{"mode switchdev", func(r *rand.Rand) error { return setMode(anyDPU(r), "switchdev") }},
			{"mode legacy and back", changeMode},
		}},
		{"vfs", 1, 500 * time.Millisecond, []operation{{"vfs", setVFs}}},
		{"sfs", 1, 100 * time.Millisecond, []operation{
			{"sf add", addSF}, {"sf active", setSF(nl.DEVLINK_PORT_FN_STATE_ACTIVE)}, {"sf active", setSF(nl.DEVLINK_PORT_FN_STATE_ACTIVE)},
			{"sf inactive", setSF(nl.DEVLINK_PORT_FN_STATE_INACTIVE)}, {"sf delete", deleteSF},
		}},
		{"wires", 1, 200 * time.Millisecond, []operation{{"wire", wire}, {"wire", wire}, {"cut", cut}}},
		{"devices", 1, 6 * time.Second, []operation{{"remake", remake}, {"rebind", rebind}}},
		{"module", 1, 12 * time.Second, []operation{{"reload", reload}}},
	}
}

func setMode(d *world.DPU, mode string) error {
	return netlink.DevLinkSetEswitchMode(&netlink.DevlinkDevice{BusName: "softdpu", DeviceName: d.Name}, mode)
}

func changeMode(r *rand.Rand) error {
	d := anyDPU(r)
	err := setMode(d, "legacy")
	pause(r, 100*time.Millisecond)
	return errors.Join(err, setMode(d, "switchdev"))
}

// setVFs makes some anew, for a moment none and now and then many.
func setVFs(r *rand.Rand) error {
	count := 1 + r.IntN(stormVFs)
	if r.IntN(20) == 0 {
		count = 20
	}
	file := "/sys/bus/softdpu/devices/" + anyDPU(r).Name + "/sriov_numvfs"
	return errors.Join(writeTo(file, 0), writeTo(file, count))
}

func addSF(*rand.Rand) error {
	_, err := netlink.DevLinkPortAdd("softdpu", stormDevices[0], nl.DEVLINK_PORT_FLAVOUR_PCI_SF,
		netlink.DevLinkPortAddAttrs{SfNumber: stormSF, SfNumberValid: true})
	return err
}

func setSF(state uint8) func(*rand.Rand) error {
	return func(*rand.Rand) error {
		return netlink.DevlinkPortFnSet("softdpu", stormDevices[0], stormSFIndex,
			netlink.DevlinkPortFnSetAttrs{FnAttrs: netlink.DevlinkPortFn{State: state}, StateValid: true})
	}
}

func deleteSF(*rand.Rand) error {
	return netlink.DevLinkPortDel("softdpu", stormDevices[0], stormSFIndex)
}

func wire(r *rand.Rand) error {
	return writeTo("/sys/bus/softdpu/wire", anyDPU(r).Name, r.IntN(stormUplinks), anyDPU(r).Name, r.IntN(stormUplinks))
}

func cut(r *rand.Rand) error {
	return writeTo("/sys/bus/softdpu/wire", anyDPU(r).Name, r.IntN(stormUplinks), "-")
}

func makeDPU(r *rand.Rand, name string) error {
	return writeTo("/sys/bus/softdpu/new_device", name, stormUplinks, r.IntN(stormVFs+1), r.IntN(2))
}

// remake removes a device and makes it again, unless another does meanwhile.
func remake(r *rand.Rand) error {
	name := anyDPU(r).Name
	err := writeTo("/sys/bus/softdpu/del_device", name)
	pause(r, 50*time.Millisecond)
	return errors.Join(makeDPU(r, name), err)
}

// rebind takes the device from its driver and gives it back.
func rebind(r *rand.Rand) error {
	const driver = "/sys/bus/softdpu/drivers/softdpu/"
	device := anyDPU(r).Name
	err := writeTo(driver+"unbind", device)
	pause(r, 20*time.Millisecond)
	return errors.Join(writeTo(driver+"bind", device), err)
}

// reload unloads the module with everything up, as soon as nobody has a file of
// it open or an ingress on a tunnel, and loads it again.
func reload(r *rand.Rand) error {
	var err error
	for range 100 {
		if err = unix.DeleteModule("softdpu", unix.O_NONBLOCK); !errors.Is(err, unix.EAGAIN) {
			break
		}
		_ = removeTunnel(r)
		pause(r, 5*time.Millisecond)
	}
	if err != nil {
		return fmt.Errorf("unload: %w", err)
	}
	pause(r, 20*time.Millisecond)
	file, err := os.Open(world.SoftDPUModule)
	if err != nil {
		return err
	}
	defer file.Close()
	err = unix.FinitModule(int(file.Fd()), "", 0)
	for _, name := range stormDevices {
		err = errors.Join(err, makeDPU(r, name))
	}
	return err
}
