package world

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// MaxVFs is how many VFs a NIC can have: NSIM_BUS_DEV_MAX_VFS of
// drivers/net/netdevsim/netdevsim.h, which the guest's recipe raises from 4.
const MaxVFs = 128

// The modes of an eswitch (devlink-dev(8)).
const (
	Legacy    = "legacy"
	Switchdev = "switchdev"
)

// A NIC is a netdevsim device (drivers/net/netdevsim): a NIC with an eswitch
// whose control plane is the kernel's own. What it says that it offloads goes
// through software.
type NIC struct{ id int }

// AddNIC makes a NIC in switchdev mode, with so many physical ports and so many
// VFs, of which each has a representor.
func AddNIC(t testing.TB, ports, vfs int) *NIC {
	t.Helper()
	return AddNICs(t, 1, ports, vfs)[0]
}

// AddNICs makes several NICs alike, in switchdev mode.
func AddNICs(t testing.TB, count, ports, vfs int) []*NIC {
	t.Helper()
	if _, err := os.Stat("/sys/bus/netdevsim"); err != nil {
		Run(t, "modprobe", "netdevsim")
	}
	var nics []*NIC
	for range count {
		n := &NIC{id: 1}
		for n.exists() {
			n.id++
		}
		WriteFile(t, "/sys/bus/netdevsim/new_device", fmt.Sprintf("%d %d 1", n.id, ports))
		t.Cleanup(func() { n.Remove(t) })
		n.SetVFs(t, vfs)
		nics = append(nics, n)
	}
	SetModes(t, Switchdev, nics...)
	return nics
}

// Handle is the NIC's name in devlink, netdevsim/netdevsim1.
func (n *NIC) Handle() string { return fmt.Sprintf("netdevsim/netdevsim%d", n.id) }

func (n *NIC) exists() bool {
	_, err := os.Stat(n.sysfs(""))
	return err == nil
}

func (n *NIC) sysfs(file string) string {
	return filepath.Join(fmt.Sprintf("/sys/bus/netdevsim/devices/netdevsim%d", n.id), file)
}

func (n *NIC) debugfs(file string) string {
	return filepath.Join(fmt.Sprintf("/sys/kernel/debug/netdevsim/netdevsim%d", n.id), file)
}

// Remove unplugs the NIC. Of one that is gone it does nothing.
func (n *NIC) Remove(t testing.TB) {
	t.Helper()
	if n.exists() {
		WriteFile(t, "/sys/bus/netdevsim/del_device", strconv.Itoa(n.id))
	}
}

// SetVFs changes the number of VFs, as writing to sriov_numvfs does. The kernel
// wants none between two other numbers (EBUSY), and netdevsim falls back to
// legacy mode when it has none.
func (n *NIC) SetVFs(t testing.TB, count int) {
	t.Helper()
	WriteFile(t, n.sysfs("sriov_numvfs"), "0")
	if count > 0 {
		WriteFile(t, n.sysfs("sriov_numvfs"), strconv.Itoa(count))
	}
}

// SetMode sets the mode of the eswitch. In switchdev mode each VF has a
// representor.
func (n *NIC) SetMode(t testing.TB, mode string) {
	t.Helper()
	SetModes(t, mode, n)
}

// SetModes is SetMode for several NICs in one run of devlink(8).
func SetModes(t testing.TB, mode string, nics ...*NIC) {
	t.Helper()
	var batch strings.Builder
	for _, n := range nics {
		fmt.Fprintf(&batch, "dev eswitch set %s mode %s\n", n.Handle(), mode)
	}
	Batch(t, "devlink", batch.String())
}

// Mode is the mode of the eswitch as devlink-dev(8) shows it.
func (n *NIC) Mode(t testing.TB) string {
	t.Helper()
	return Modes(t, n)[n.Handle()]
}

// Modes are the modes of the eswitches of several NICs by handle.
func Modes(t testing.TB, nics ...*NIC) map[string]string {
	t.Helper()
	var batch strings.Builder
	for _, n := range nics {
		fmt.Fprintf(&batch, "dev eswitch show %s\n", n.Handle())
	}
	modes := map[string]string{}
	for line := range strings.Lines(Batch(t, "devlink", batch.String())) { // its JSON is broken in a batch
		m := modeLine.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("devlink eswitch: %q", line)
		}
		modes[m[1]] = m[2]
	}
	return modes
}

// modeLine is a line of `devlink dev eswitch show`.
var modeLine = regexp.MustCompile(`^(\S+): mode (\S+)`) // netdevsim/netdevsim1: mode switchdev

// Ports are the NIC's devlink ports, by their index.
func (n *NIC) Ports(t testing.TB) []Port {
	t.Helper()
	return slices.DeleteFunc(Ports(t), func(p Port) bool { return p.Device() != n.Handle() })
}

// Physical are the netdevs of the NIC's physical ports.
func (n *NIC) Physical(t testing.TB) []string {
	t.Helper()
	return n.netdevs(t, "physical")
}

// Representors are the netdevs of the NIC's VF representors.
func (n *NIC) Representors(t testing.TB) []string {
	t.Helper()
	return n.netdevs(t, "pcivf")
}

func (n *NIC) netdevs(t testing.TB, flavour string) (names []string) {
	t.Helper()
	for _, p := range n.Ports(t) {
		if p.Flavour == flavour && p.Netdev != "" {
			names = append(names, p.Netdev)
		}
	}
	return names
}
