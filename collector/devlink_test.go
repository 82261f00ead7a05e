package collector

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/internal/devlink"
	"github.com/dpu-exporter/dpu-exporter/inventory"
)

// fakeDevlink answers with devlink.json: one device by its handle.
type fakeDevlink map[string]*devlinkOf

// devlinkOf is what a device answers; a part that is left out is not supported.
// Errno by part is what asking for it fails with: "diagnose pci/…/1" for a port.
type devlinkOf struct {
	Ports      []devlink.Port // without their handles
	Info       *devlink.Info
	Eswitch    *devlink.EswitchSettings
	Reporters  []devlink.Reporter
	Diagnoses  map[string][]devlink.Finding // by port, "" is the device
	Traps      []devlink.Trap
	TrapGroups []devlink.Trap
	Resources  []devlink.Resource
	Rates      []devlink.Rate
	Params     []devlink.Param
	Errno      map[string]syscall.Errno
	CutAt      int // the list of ports ends there, without an error

	asked []string
}

func handleOf(text string) devlink.Handle {
	bus, device, _ := strings.Cut(text, "/")
	return devlink.Handle{Bus: bus, Device: device}
}

func (f fakeDevlink) of(h devlink.Handle, part string) (*devlinkOf, error) {
	d := f[h.String()]
	if d == nil {
		return nil, syscall.ENODEV
	}
	d.asked = append(d.asked, part)
	if errno := d.Errno[part]; errno != 0 {
		return nil, errno
	}
	return d, nil
}

func (f fakeDevlink) Devices(context.Context) (handles []devlink.Handle, err error) {
	for text := range f {
		handles = append(handles, handleOf(text))
	}
	slices.SortFunc(handles, func(a, b devlink.Handle) int { return strings.Compare(a.String(), b.String()) })
	return handles, nil
}

func (f fakeDevlink) Ports(context.Context) (ports []devlink.Port, err error) {
	for text, d := range f {
		for i, p := range d.Ports {
			if d.CutAt > 0 && i >= d.CutAt {
				break
			}
			p.Handle = handleOf(text)
			ports = append(ports, p)
		}
	}
	return ports, nil
}

func (f fakeDevlink) Port(_ context.Context, h devlink.Handle, index uint32) (devlink.Port, error) {
	d, err := f.of(h, "port "+number(&index))
	if err != nil {
		return devlink.Port{}, err
	}
	for _, p := range d.Ports {
		if p.Index == index {
			p.Handle = h
			return p, nil
		}
	}
	return devlink.Port{}, syscall.ENODEV
}

func (f fakeDevlink) Info(_ context.Context, h devlink.Handle) (devlink.Info, error) {
	d, err := f.of(h, "info")
	if err != nil {
		return devlink.Info{}, err
	}
	return answer(d, func(d *devlinkOf) *devlink.Info { return d.Info })
}

func (f fakeDevlink) EswitchSettings(_ context.Context, h devlink.Handle) (devlink.EswitchSettings, error) {
	d, err := f.of(h, "eswitch")
	if err != nil {
		return devlink.EswitchSettings{}, err
	}
	return answer(d, func(d *devlinkOf) *devlink.EswitchSettings { return d.Eswitch })
}

func listed[T any](f fakeDevlink, h devlink.Handle, part string, list func(*devlinkOf) []T) ([]T, error) {
	d, err := f.of(h, part)
	if err != nil {
		return nil, err
	}
	return list(d), nil
}

func (f fakeDevlink) Reporters(_ context.Context, h devlink.Handle) ([]devlink.Reporter, error) {
	return listed(f, h, "health", func(d *devlinkOf) []devlink.Reporter { return d.Reporters })
}

func (f fakeDevlink) Diagnose(_ context.Context, h devlink.Handle, port *uint32, _ string) ([]devlink.Finding, error) {
	return listed(f, h, strings.TrimSpace("diagnose "+portOf(h, port)), func(d *devlinkOf) []devlink.Finding { return d.Diagnoses[portOf(h, port)] })
}

func (f fakeDevlink) Traps(_ context.Context, h devlink.Handle) ([]devlink.Trap, error) {
	return listed(f, h, "traps", func(d *devlinkOf) []devlink.Trap { return d.Traps })
}

func (f fakeDevlink) TrapGroups(_ context.Context, h devlink.Handle) ([]devlink.Trap, error) {
	return listed(f, h, "trap groups", func(d *devlinkOf) []devlink.Trap { return d.TrapGroups })
}

func (f fakeDevlink) Resources(_ context.Context, h devlink.Handle) ([]devlink.Resource, error) {
	return listed(f, h, "resources", func(d *devlinkOf) []devlink.Resource { return d.Resources })
}

func (f fakeDevlink) Rates(_ context.Context, h devlink.Handle) ([]devlink.Rate, error) {
	return listed(f, h, "rates", func(d *devlinkOf) []devlink.Rate { return d.Rates })
}

func (f fakeDevlink) Params(_ context.Context, h devlink.Handle) ([]devlink.Param, error) {
	return listed(f, h, "params", func(d *devlinkOf) []devlink.Param { return d.Params })
}

// devlinkFromCase reads devlink.json.
func devlinkFromCase(t *testing.T, dir string) Collector {
	f := fakeDevlink{}
	decode(t, filepath.Join(dir, "devlink.json"), &f)
	return NewDevlink(DevlinkOptions{Devices: f, Diagnoses: f})
}

func devlinkPort(index int, name, port string, role inventory.Role) *inventory.Device {
	return &inventory.Device{Key: inventory.Key{Index: index}, Name: name, Role: role, DevlinkPort: port}
}

// A port at which the driver fails ends the kernel's list in silence: those behind
// it are asked for one by one, and the one that fails hides none of them.
func TestPortThatEndsTheList(t *testing.T) {
	f := fakeDevlink{"pci/0000:03:00.0": {
		Ports: []devlink.Port{{Index: 1}, {Index: 2}, {Index: 3}}, CutAt: 1, Errno: map[string]syscall.Errno{"port 2": syscall.EIO},
	}}
	c := NewDevlink(DevlinkOptions{Devices: f, Diagnoses: f})
	text := exposition(t, c, inventory.NewSnapshot([]*inventory.Device{
		devlinkPort(1, "p0", "pci/0000:03:00.0/1", inventory.Uplink),
		devlinkPort(2, "r0", "pci/0000:03:00.0/2", inventory.VFRepresentor),
		devlinkPort(3, "r1", "pci/0000:03:00.0/3", inventory.VFRepresentor),
	}, 0))
	for _, want := range []string{`devlink_port="pci/0000:03:00.0/1",device="p0"`, `devlink_port="pci/0000:03:00.0/3",device="r1"`, "# devlink_ports: 1 broken"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}

// Under a filter only what is in the inventory is asked for: no list of ports, no
// device of which every port is excluded.
func TestExcludedDevlinkIsNotAsked(t *testing.T) {
	f := fakeDevlink{
		"pci/0000:03:00.0": {Ports: []devlink.Port{{Index: 1}, {Index: 2}}},
		"pci/0000:04:00.0": {Ports: []devlink.Port{{Index: 1}}},
	}
	c := NewDevlink(DevlinkOptions{Devices: f, Diagnoses: f})
	exposition(t, c, inventory.NewSnapshot([]*inventory.Device{devlinkPort(1, "p0", "pci/0000:03:00.0/1", inventory.Uplink)}, 1))
	if asked := f["pci/0000:04:00.0"].asked; asked != nil {
		t.Errorf("an excluded device was asked for %q", asked)
	}
	if asked := f["pci/0000:03:00.0"].asked; !slices.Contains(asked, "port 1") || slices.Contains(asked, "port 2") {
		t.Errorf("asked for %q", asked)
	}
}

// The VFs' own devlink devices are read where there is no other.
func TestDevlinkOfFunctions(t *testing.T) {
	pf, vf := devlinkPort(1, "p0", "pci/0000:03:00.0/1", inventory.PF), devlinkPort(2, "v0", "pci/0000:03:00.2/1", inventory.VF)
	all := []devlink.Handle{{Bus: "pci", Device: "0000:03:00.0"}, {Bus: "pci", Device: "0000:03:00.2"}, {Bus: "pci", Device: "0000:09:00.0"}}
	for name, test := range map[string]struct {
		devices []*inventory.Device
		want    []devlink.Handle
	}{
		"a host":   {[]*inventory.Device{pf, vf}, all[:1]},
		"a guest":  {[]*inventory.Device{vf}, all[1:2]},
		"no ports": {[]*inventory.Device{{Key: inventory.Key{Index: 3}, Name: "ib0", Role: inventory.PF, PCI: "0000:09:00.0"}}, all[2:]},
		"nothing":  {nil, nil},
	} {
		if have := wantedHandles(inventory.NewSnapshot(test.devices, 0), all); !slices.Equal(have, test.want) {
			t.Errorf("%s: %v, want %v", name, have, test.want)
		}
	}
}

// Without CAP_NET_ADMIN eswitch and diagnosis are absent, and nothing else is.
func TestDevlinkWithoutCapability(t *testing.T) {
	f := fakeDevlink{"pci/0000:03:00.0": {
		Info: &devlink.Info{Driver: "mlx5_core"}, Reporters: []devlink.Reporter{{Name: "vnic"}, {Name: "fw", Healthy: new(true)}},
		Errno: map[string]syscall.Errno{"eswitch": syscall.EPERM, "diagnose": syscall.EPERM},
	}}
	c := NewDevlink(DevlinkOptions{Devices: f, Diagnoses: f})
	text := exposition(t, c, inventory.NewSnapshot([]*inventory.Device{devlinkPort(1, "p0", "pci/0000:03:00.0/1", inventory.Uplink)}, 0))
	for _, want := range []string{
		"# devlink_eswitch: 1 not_permitted", "# devlink_vnic: 1 not_permitted",
		`dpu_devlink_health_healthy{devlink="pci/0000:03:00.0",devlink_port="",reporter="fw"} 1`,
		`dpu_devlink_info{devlink="pci/0000:03:00.0",driver="mlx5_core"} 1`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if strings.Contains(text, "dpu_vport_vnic") || strings.Contains(text, "eswitch_info") {
		t.Errorf("made-up values in\n%s", text)
	}
}
