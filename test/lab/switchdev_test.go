//go:build lab

package lab

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/dpu-exporter/dpu-exporter/test/lab/world"
)

// TestSwitchdevWorld: a NIC has the ports and representors that it says, in
// devlink and in sysfs, through all that is done to its eswitch.
func TestSwitchdevWorld(t *testing.T) {
	n := world.AddNIC(t, 2, 3)
	checkPorts(t, n, "physical 1", "physical 2", "pcivf 0 0 0", "pcivf 0 0 1", "pcivf 0 0 2")
	checkMode(t, n, world.Switchdev)

	n.SetMode(t, world.Legacy)
	checkPorts(t, n, "physical 1", "physical 2")
	checkMode(t, n, world.Legacy)

	n.SetMode(t, world.Switchdev)
	n.SetVFs(t, 1) // by way of none, which makes the eswitch fall back
	checkMode(t, n, world.Legacy)
	n.SetMode(t, world.Switchdev)
	checkPorts(t, n, "physical 1", "physical 2", "pcivf 0 0 0")

	n.Remove(t)
	checkPorts(t, n)
}

// TestSwitchdevRefusals: what the kernel does not let be done to a NIC.
func TestSwitchdevRefusals(t *testing.T) {
	n := world.AddNIC(t, 1, 2)
	vfs := "/sys/bus/netdevsim/devices/" + filepath.Base(n.Handle()) + "/sriov_numvfs"
	for count, want := range map[string]error{"1": unix.EBUSY, "x": unix.EINVAL} {
		if err := os.WriteFile(vfs, []byte(count), 0o200); !errors.Is(err, want) {
			t.Errorf("from 2 VFs to %s: %v, want %v", count, err, want)
		}
	}
	n.SetVFs(t, 0)
	if err := os.WriteFile(vfs, fmt.Append(nil, world.MaxVFs+1), 0o200); !errors.Is(err, unix.ENOMEM) {
		t.Errorf("one VF too many: %v, want ENOMEM", err)
	}
	if _, err := world.Try(t, "devlink", "dev", "eswitch", "set", n.Handle(), "mode", "switchdev_inactive"); err == nil {
		t.Error("switchdev_inactive was accepted")
	}
}

// TestLinkedPorts: packets pass between linked physical ports, and neither
// before they are linked nor between representors.
func TestLinkedPorts(t *testing.T) {
	far := world.AddNamespace(t, "far")
	a, b := world.AddNIC(t, 1, 2), world.AddNIC(t, 1, 0)
	here, there := a.Physical(t)[0], b.Physical(t)[0]
	world.Batch(t, "ip", fmt.Sprintf("link set %s netns far\naddr add 192.0.2.1/24 dev %s\nlink set %s up\n", there, here, here))
	far.Batch(t, "ip", fmt.Sprintf("addr add 192.0.2.2/24 dev %s\nlink set %s up\n", there, there))

	if out, err := world.Try(t, "ping", "-c", "1", "-W", "0.3", "-q", "192.0.2.2"); err == nil {
		t.Errorf("ping before the ports are linked:\n%s", out)
	}
	if err := world.LinkPorts(t, "", here, "far", there); err != nil {
		t.Fatal(err)
	}
	if out := world.Run(t, "ping", "-c", "3", "-i", "0.05", "-q", "192.0.2.2"); !strings.Contains(out, " 3 received") {
		t.Errorf("ping over the link:\n%s", out)
	}
	reps := a.Representors(t)
	if err := world.LinkPorts(t, "", reps[0], "", reps[1]); !errors.Is(err, unix.EINVAL) {
		t.Errorf("link representors: %v, want EINVAL", err)
	}
}

// checkPorts compares a NIC's ports in devlink (flavour and numbers), and that
// sysfs has exactly their netdevs.
func checkPorts(t *testing.T, n *world.NIC, want ...string) {
	t.Helper()
	var got, netdevs []string
	for _, p := range n.Ports(t) {
		what := p.Flavour
		for _, number := range []*uint32{p.Number, p.Controller, p.PF, p.VF} {
			if number != nil {
				what += fmt.Sprint(" ", *number)
			}
		}
		got, netdevs = append(got, what), append(netdevs, p.Netdev)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("ports of %s (-want +got):\n%s", n.Handle(), diff)
	}
	present, err := filepath.Glob("/sys/bus/netdevsim/devices/" + filepath.Base(n.Handle()) + "/net/*")
	if err != nil || len(present) != len(netdevs) {
		t.Errorf("netdevs %q, in sysfs %q, %v", netdevs, present, err)
	}
	for _, path := range present {
		if name := filepath.Base(path); !strings.Contains(fmt.Sprintf("%q", netdevs), fmt.Sprintf("%q", name)) {
			t.Errorf("netdev %s has no port", name)
		}
	}
}

func checkMode(t *testing.T, n *world.NIC, want string) {
	t.Helper()
	if mode := n.Mode(t); mode != want {
		t.Errorf("mode of %s is %s, want %s", n.Handle(), mode, want)
	}
}
