package inventory

import (
	"testing"

	"github.com/dpu-exporter/dpu-exporter/internal/devlink"
	"github.com/dpu-exporter/dpu-exporter/internal/rtnl"
	"github.com/dpu-exporter/dpu-exporter/internal/sysfs"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

var identityFields = cmp.AllowUnexported(identity{})

func pciFacts(virtual bool) facts {
	return facts{bus: "pci", complete: true, function: sysfs.Function{PCI: "0000:03:00.0", Virtual: &virtual}}
}

// Names and port names as users reported them, for drivers without devlink
// ports. The name of the netdev never decides.
func TestIdentifyByPortName(t *testing.T) {
	for _, c := range []struct {
		netdev, portName, switchID string
		facts                      facts
		want                       identity
	}{
		{"p0", "p0", "1c34da", pciFacts(false), identity{role: Uplink, port: number(0)}},
		{"pf0hpf", "c1pf0", "1c34da", pciFacts(false), identity{role: PFRepresentor, controller: number(1), pf: number(0)}},
		{"pf0vf0", "c1pf0vf0", "1c34da", pciFacts(false), identity{role: VFRepresentor, controller: number(1), pf: number(0), vf: number(0)}},
		{"eth4", "pf0vf7", "1c34da", facts{}, identity{role: VFRepresentor, controller: number(0), pf: number(0), vf: number(7)}},
		{"en3f0pf0sf0", "pf0sf0", "1c34da", facts{}, identity{role: SFRepresentor, controller: number(0), pf: number(0), sf: number(0)}},
		{"en3f0pf0sf4095", "pf0sf4095", "1c34da", facts{}, identity{role: SFRepresentor, controller: number(0), pf: number(0), sf: number(4095)}},
		{"enp3s0f0s0", "", "", facts{bus: "auxiliary", sf: number(7)}, identity{role: SF, sf: number(7)}},
		// Without a switch a port name says nothing of an eswitch: a PF.
		{"enp65s0f0np0", "p0", "", pciFacts(false), identity{role: PF}},
		{"enp65s0f0v0", "p0", "", pciFacts(true), identity{role: VF}},
		{"enp1s0np1s2", "p1s2", "00154d", pciFacts(false), identity{role: Uplink, port: number(1), subport: number(2)}},
		{"B000003c1pf0vf3", "c1pf0vf3", "1c34da", facts{}, identity{role: VFRepresentor, controller: number(1), pf: number(0), vf: number(3)}},
		{"eth9", "", "", pciFacts(false), identity{role: PF}},
		{"weird0", "pf0xy1", "1c34da", pciFacts(false), identity{role: Unknown, unparsed: true}},
		{"pf0vf9", "", "1c34da", pciFacts(false), identity{role: PF}},
	} {
		link := &rtnl.Link{Name: c.netdev, PortName: c.portName}
		if c.switchID != "" {
			link.SwitchID = []byte(c.switchID)
		}
		if diff := cmp.Diff(c.want, identify(link, nil, false, c.facts), identityFields); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.netdev, diff)
		}
	}
}

func TestIdentifyByFlavour(t *testing.T) {
	// A port name that says otherwise does not count beside a flavour.
	link := &rtnl.Link{PortName: "pf9vf9", SwitchID: []byte{1}}
	numbers := devlink.Port{Number: number(1), Controller: number(1), PF: number(2), VF: number(3), SF: number(4)}
	all := identity{port: number(1), controller: number(1), pf: number(2), vf: number(3), sf: number(4)}
	with := func(r Role) identity { id := all; id.role = r; return id }
	for _, c := range []struct {
		flavour   devlink.Flavour
		switchdev bool
		facts     facts
		want      identity
	}{
		{devlink.Physical, true, facts{}, with(Uplink)},
		{devlink.Physical, false, facts{}, with(PF)},
		{devlink.PCIPF, true, facts{}, with(PFRepresentor)},
		{devlink.PCIVF, true, facts{}, with(VFRepresentor)},
		{devlink.PCISF, true, facts{}, with(SFRepresentor)},
		{devlink.Virtual, false, pciFacts(true), identity{role: VF}},
		{devlink.Virtual, false, pciFacts(false), identity{role: PF}},
		{devlink.Virtual, false, facts{bus: "auxiliary", sf: number(88)}, identity{role: SF, sf: number(88)}},
		{devlink.CPU, false, facts{}, with(Other)},
		{devlink.DSA, false, facts{}, with(Other)},
		{devlink.PCISF + 1, false, pciFacts(false), identity{role: Unknown, unparsed: true}},
	} {
		port := numbers
		port.Flavour = &c.flavour
		if diff := cmp.Diff(c.want, identify(link, &port, c.switchdev, c.facts), identityFields); diff != "" {
			t.Errorf("flavour %d (-want +got):\n%s", c.flavour, diff)
		}
	}
	if got := identify(link, &devlink.Port{}, true, facts{}); got.role != VFRepresentor || *got.vf != 9 {
		t.Errorf("port without a flavour: %+v, want the port name to decide", got)
	}
}

func TestOwnerOfADevice(t *testing.T) {
	pci := sysfs.Function{PCI: "0000:03:00.2"}
	for want, f := range map[string]facts{
		"pci/0000:03:00.2":         {bus: "pci", device: "0000:03:00.2", function: pci},
		"auxiliary/mlx5_core.sf.2": {bus: "auxiliary", device: "mlx5_core.sf.2", function: pci, sf: number(88), complete: true},
		"auxiliary/mlx5_core.sf.3": {bus: "auxiliary", device: "mlx5_core.sf.3", function: pci, err: unix.EINVAL},
		"usb/1-1:1.0":              {bus: "usb", device: "1-1:1.0", complete: true},
		"/":                        {complete: true},
	} {
		if got := f.owner().String(); got != want {
			t.Errorf("owner %s, want %s", got, want)
		}
	}
	for bus, device := range map[string]string{"virtio": "virtio2", "auxiliary": "mlx5_core.eth.2"} {
		f := facts{bus: bus, device: device, function: pci, complete: true}
		if got := f.owner().String(); got != "pci/0000:03:00.2" {
			t.Errorf("owner of %s is %s, want its PCI function", device, got)
		}
	}
}

func TestIdentifyTheRest(t *testing.T) {
	fault := unix.EACCES
	for name, c := range map[string]struct {
		link  rtnl.Link
		facts facts
		want  Role
	}{
		"loopback":            {rtnl.Link{Type: unix.ARPHRD_LOOPBACK}, facts{}, Loopback},
		"bond":                {rtnl.Link{Kind: "bond"}, facts{}, "bond"},
		"vxlan":               {rtnl.Link{Kind: "vxlan"}, facts{}, "vxlan"},
		"USB":                 {rtnl.Link{}, facts{bus: "usb", complete: true}, Other},
		"no parent":           {rtnl.Link{}, facts{complete: true}, Other},
		"virtio below PCI":    {rtnl.Link{}, pciFacts(false), PF},
		"platform virtio":     {rtnl.Link{}, facts{bus: "virtio", complete: true}, Other},
		"PCI, sysfs missing":  {rtnl.Link{}, facts{bus: "pci", function: sysfs.Function{PCI: "0000:03:00.0"}, err: fault}, Unknown},
		"virtio unreadable":   {rtnl.Link{}, facts{bus: "virtio", err: fault}, Unknown},
		"SF number forbidden": {rtnl.Link{}, facts{bus: "auxiliary", function: pciFacts(false).function, err: fault}, Unknown},
	} {
		if got := identify(&c.link, nil, false, c.facts); got.role != c.want || got.unparsed {
			t.Errorf("%s: %+v, want %s", name, got, c.want)
		}
	}
}
