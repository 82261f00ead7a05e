//go:build lab

package lab

import (
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpu-exporter/dpu-exporter/test/lab/world"
)

// softDPU is what the netdevs of a DPU call their driver.
const softDPU = "softdpu"

// eswitch is a DPU as it should be told: its ports, in switchdev mode, and the
// functions that have a netdev here.
type eswitch struct {
	*world.DPU
	controller int // of PFs and VFs
	ports      []world.DPUPort
	functions  []world.DPUPort
}

// newEswitch has the uplinks, PFs and VFs that a DPU is made with.
func newEswitch(d *world.DPU, controller, uplinks, vfs int) eswitch {
	s := eswitch{DPU: d, controller: controller}
	for pf := range uplinks {
		s.ports = append(s.ports, d.Uplink(pf))
		s.functions = append(s.functions, d.PF(pf))
		for vf := range vfs {
			s.functions = append(s.functions, d.VF(pf, vf))
		}
	}
	s.ports = append(s.ports, s.functions...)
	return s
}

// want is the identity of each netdev by name, typed from the rules of devlink
// ports and their names (net/devlink/port.c).
func (s eswitch) want(switchID string) map[string]identity {
	all := map[string]identity{}
	for _, f := range s.functions {
		all[f.Function()] = identity{Role: "other", Driver: softDPU} // on a bus that nobody knows
	}
	for _, p := range s.ports {
		id := identity{Driver: softDPU, DevlinkPort: p.DevlinkPort(), SwitchID: switchID, PortName: p.Name()}
		controller := s.controller
		switch p.Kind {
		case "p":
			id.Role = "uplink"
			all[p.Netdev()] = id
			continue
		case "pf":
			id.Role = "pf_representor"
		case "vf":
			id.Role, id.VF = "vf_representor", fmt.Sprint(p.Number)
		case "sf":
			id.Role, id.SF = "sf_representor", fmt.Sprint(p.Number)
			controller = 0 // it is the Arm cores' own
		}
		id.PF, id.Controller = fmt.Sprint(p.PF), fmt.Sprint(controller)
		if controller > 0 {
			id.PortName = fmt.Sprintf("c%d%s", controller, id.PortName)
		}
		all[p.Netdev()] = id
	}
	return all
}

// toldByTools is what devlink(8), ip(8) and sysfs say of the netdevs of all DPUs.
func toldByTools(t *testing.T) map[string]identity {
	t.Helper()
	ports := map[string]world.Port{}
	for _, p := range world.Ports(t) {
		ports[p.Netdev] = p
	}
	roles := map[string]string{"physical": "uplink", "pcipf": "pf_representor", "pcivf": "vf_representor", "pcisf": "sf_representor"}
	told := map[string]identity{}
	for _, l := range links(t) {
		if l.ParentBus != softDPU {
			continue
		}
		id := identity{Role: "other", Driver: softDPU, PortName: l.PortName, SwitchID: switchID(t, l)}
		if p, there := ports[l.Name]; there {
			id.Role, id.DevlinkPort = roles[p.Flavour], p.Handle
			id.Controller, id.PF, id.VF, id.SF = digits(p.Controller), digits(p.PF), digits(p.VF), digits(p.SF)
			if external := p.External != nil && *p.External; external != (id.Controller == "1") {
				t.Errorf("%s of controller %q is external: %v", p.Handle, id.Controller, external)
			}
		}
		told[l.Name] = id
	}
	return told
}

// checkEswitches checks that the tools and the program tell DPUs as they should
// be, and nothing else.
func checkEswitches(t *testing.T, when string, all ...eswitch) {
	t.Helper()
	want, ids := map[string]identity{}, map[string]bool{}
	for _, s := range all {
		text, err := os.ReadFile("/sys/class/net/" + s.Uplink(0).Netdev() + "/phys_switch_id")
		id := strings.TrimSpace(string(text))
		if err != nil || len(id) != 16 || ids[id] {
			t.Errorf("%s: switch %q of %s, %v", when, id, s.Name, err)
		}
		ids[id] = true
		maps.Copy(want, s.want(id))
	}
	if diff := difference(want, toldByTools(t)); diff != "" {
		t.Errorf("%s: ip and devlink: %s", when, diff)
	}
	e := collect(t)
	want["lo"] = identity{Role: "loopback"}
	if diff := difference(want, e.identitiesOf(softDPU)); diff != "" {
		t.Errorf("%s: dpu_interface_info: %s", when, diff)
	}
	roles := map[string]float64{}
	for _, id := range want {
		roles[id.Role]++
	}
	if diff := cmp.Diff(roles, present(e.by(t, "dpu_exporter_devices", "role"))); diff != "" {
		t.Errorf("%s: dpu_exporter_devices (-want +got):\n%s", when, diff)
	}
}

// TestSoftDPUIdentity: all that there is on two DPUs, one with an external host
// and one without, is told by everybody, through SFs and other numbers of VFs.
func TestSoftDPUIdentity(t *testing.T) {
	d := newEswitch(world.AddDPU(t, "dpu0", world.DPUOptions{Uplinks: 2, VFs: 2}), 1, 2, 2)
	local := newEswitch(world.AddDPU(t, "dpu1", world.DPUOptions{VFs: 1, Local: true}), 0, 1, 1)
	checkEswitches(t, "at first", d, local)
	checkDrivers(t, d)

	with := d
	with.ports = append(with.ports, d.AddSF(t, 1, 88), d.SF(0, 9999))
	with.functions = append(with.functions, d.SF(1, 88))
	world.Run(t, "devlink", "port", "add", d.Handle(), "flavour", "pcisf", "pfnum", "0", "sfnum", "9999") // not active
	checkEswitches(t, "with SFs", with, local)
	for _, p := range []world.DPUPort{d.SF(1, 88), d.SF(0, 9999)} {
		world.Run(t, "devlink", "port", "del", p.DevlinkPort())
	}

	d.SetVFs(t, 3)
	local.SetVFs(t, 0)
	d, local = newEswitch(d.DPU, 1, 2, 3), newEswitch(local.DPU, 0, 1, 0)
	checkEswitches(t, "with other VFs", d, local)
	d.Remove(t)
	checkEswitches(t, "with one removed", local)
}

// checkDrivers: ethtool(8) has another driver of representors, as mlx5 does, and
// the program the one that sysfs has.
func checkDrivers(t *testing.T, d eswitch) {
	t.Helper()
	for device, want := range map[string]string{
		d.Uplink(0).Netdev(): "softdpu", d.VF(0, 1).Netdev(): "softdpu_rep", d.VF(0, 1).Function(): "softdpu",
	} {
		if out := world.Run(t, "ethtool", "-i", device); !strings.HasPrefix(out, "driver: "+want+"\n") {
			t.Errorf("ethtool -i %s: %s", device, out)
		}
	}
}

// TestSoftDPUSubfunction: what devlink(8) makes of an SF is what its netdev and
// the port's function are, from adding to deleting.
func TestSoftDPUSubfunction(t *testing.T) {
	d := world.AddDPU(t, "dpu0", world.DPUOptions{})
	sf := d.SF(0, 5)
	const address = "02:00:00:00:00:05"
	for _, step := range []struct{ command, state, opstate, address string }{
		{"port add " + d.Handle() + " flavour pcisf pfnum 0 sfnum 5 controller 1", "inactive", "detached", ""},
		{"port function set " + sf.DevlinkPort() + " hw_addr " + address, "inactive", "detached", ""},
		{"port function set " + sf.DevlinkPort() + " state active", "active", "attached", address},
		{"port function set " + sf.DevlinkPort() + " state inactive", "inactive", "detached", ""},
		{"port del " + sf.DevlinkPort(), "", "", ""},
	} {
		world.Run(t, "devlink", strings.Fields(step.command)...)
		state, opstate, controller := "", "", ""
		for _, p := range world.Ports(t) {
			if p.Netdev == sf.Netdev() {
				state, opstate, controller = p.Function.State, p.Function.OpState, digits(p.Controller)
			}
		}
		text, _ := os.ReadFile("/sys/class/net/" + sf.Function() + "/address") // "" without a netdev
		netdevs := strings.TrimSpace(string(text))
		if state != step.state || opstate != step.opstate || netdevs != step.address || controller == "0" {
			t.Errorf("after %s: %q, %q, controller %q, netdev's address %q", step.command, state, opstate, controller, netdevs)
		}
	}
	for command, want := range map[string]string{
		"flavour pcisf pfnum 1 sfnum 5": "no such pfnum", "flavour pcisf pfnum 0 sfnum 10000": "above 9999", "flavour pcipf pfnum 0": "only a port of flavour pcisf",
	} {
		_, err := world.Try(t, "devlink", append([]string{"port", "add", d.Handle()}, strings.Fields(command)...)...)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("devlink port add %s: %v, want %q", command, err, want)
		}
	}
}
