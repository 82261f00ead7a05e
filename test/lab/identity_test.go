//go:build lab

package lab

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/inventory"
	"github.com/dpu-exporter/dpu-exporter/test/lab/world"
)

// driver is the driver of the world's NICs. Other hardware of the guest is
// left out of all that is compared here.
const driver = "netdevsim"

// identity is what a device is, in the words of dpu_interface_info.
type identity struct {
	Role, Kind, Driver, DevlinkPort, SwitchID, PortName, Controller, PF, VF, SF string
}

// link is a device as ip-link(8) shows it.
type link struct {
	Index      int      `json:"ifindex"`
	Name       string   `json:"ifname"`
	AltNames   []string `json:"altnames"`
	Type       string   `json:"link_type"`
	Address    string
	MTU        uint32
	OperState  string
	ParentBus  string
	PortName   string `json:"phys_port_name"`
	SwitchID   string `json:"phys_switch_id"`
	Properties struct {
		Kind string `json:"info_kind"`
	} `json:"linkinfo"`
}

func links(t *testing.T) []link {
	t.Helper()
	return world.RunJSON[[]link](t, "ip", "-j", "-d", "link")
}

// truth is what devlink(8) and ip(8) say of the devices of the guest's first
// namespace, by name.
func truth(t *testing.T, nics ...*world.NIC) map[string]identity {
	t.Helper()
	return truthOf(t, links(t), nics...)
}

// truthOf is truth for these links.
func truthOf(t *testing.T, links []link, nics ...*world.NIC) map[string]identity {
	t.Helper()
	ports := map[string]world.Port{}
	for _, p := range world.Ports(t) {
		ports[p.Netdev] = p
	}
	modes := map[string]string{}
	if len(nics) > 0 {
		modes = world.Modes(t, nics...)
	}
	all := map[string]identity{}
	for _, l := range links {
		if l.ParentBus != "" && l.ParentBus != driver {
			continue
		}
		id := identity{Role: l.Properties.Kind, Kind: l.Properties.Kind, PortName: l.PortName, SwitchID: switchID(t, l)}
		if l.Type == "loopback" {
			id.Role = "loopback"
		}
		if l.ParentBus == driver {
			p := ports[l.Name]
			id.Driver, id.DevlinkPort = driver, p.Handle
			id.Role = roleOf(p.Flavour, modes[p.Device()])
			id.Controller, id.PF, id.VF = digits(p.Controller), digits(p.PF), digits(p.VF)
		}
		all[l.Name] = id
	}
	return all
}

// switchID is the identity of a device's switch in sysfs: ip(8) shows 31 of its
// 32 bytes.
func switchID(t *testing.T, l link) string {
	t.Helper()
	text, err := os.ReadFile("/sys/class/net/" + l.Name + "/phys_switch_id")
	if id := strings.TrimSpace(string(text)); err == nil && strings.HasPrefix(id, l.SwitchID) && l.SwitchID != "" {
		return id
	}
	if l.SwitchID != "" {
		t.Errorf("switch of %s: %q in sysfs, %v; %q by ip", l.Name, text, err, l.SwitchID)
	}
	return ""
}

// roleOf is the role of a port by its flavour and the mode of its eswitch, as
// the comments of package inventory promise it.
func roleOf(flavour, mode string) string {
	switch {
	case flavour == "pcivf":
		return "vf_representor"
	case mode == world.Switchdev:
		return "uplink"
	}
	return "pf"
}

func digits(n *uint32) string {
	if n == nil {
		return ""
	}
	return strconv.FormatUint(uint64(*n), 10)
}

// identities are the devices of a snapshot.
func identities(s *inventory.Snapshot) map[string]identity {
	all := map[string]identity{}
	for _, d := range s.Devices {
		if d.Driver == "" || d.Driver == driver {
			all[d.Name] = identityOf(d)
		}
	}
	return all
}

func identityOf(d *inventory.Device) identity {
	return identity{
		Role: string(d.Role), Kind: d.Kind, Driver: d.Driver, DevlinkPort: d.DevlinkPort, SwitchID: d.SwitchID,
		PortName: d.PortName, Controller: digits(d.Controller), PF: digits(d.PF), VF: digits(d.VF), SF: digits(d.SF),
	}
}

// identities are the devices of dpu_interface_info.
func (e exposition) identities() map[string]identity { return e.identitiesOf(driver) }

// identitiesOf are the devices of dpu_interface_info with that driver or none.
func (e exposition) identitiesOf(driver string) map[string]identity {
	all := map[string]identity{}
	for name, l := range e.infos("dpu_interface_info") {
		if l["driver"] != "" && l["driver"] != driver {
			continue
		}
		all[name] = identity{
			Role: l["role"], Kind: l["kind"], Driver: l["driver"], DevlinkPort: l["devlink_port"], SwitchID: l["switch_id"],
			PortName: l["port_name"], Controller: l["controller"], PF: l["pf"], VF: l["vf"], SF: l["sf"],
		}
	}
	return all
}

// difference is the first difference between two sets of devices, "" without
// one. It is looked for often, which cmp.Diff would be too slow for.
func difference(want, got map[string]identity) string {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if id, there := got[name]; id != want[name] {
			return fmt.Sprintf("%s is there: %v; as %+v, want %+v", name, there, id, want[name])
		}
	}
	for name, id := range got {
		if _, wanted := want[name]; !wanted {
			return fmt.Sprintf("%s should not be there: %+v", name, id)
		}
	}
	return ""
}
