package collector

import (
	"context"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/internal/devlink"
	"github.com/dpu-exporter/dpu-exporter/internal/host"
	"github.com/dpu-exporter/dpu-exporter/internal/sysfs"
	"github.com/dpu-exporter/dpu-exporter/inventory"
)

const blueField = "0000:03:00.0"

// fakeBoard is a machine with one PCI function.
type fakeBoard struct {
	device  string // of the function
	eswitch devlink.EswitchMode
	errno   syscall.Errno // of asking the eswitch
}

func (f fakeBoard) PCIFunction(string) (sysfs.PCIFunction, error) {
	if f.device == "" {
		return sysfs.PCIFunction{}, fs.ErrNotExist
	}
	return sysfs.PCIFunction{Vendor: "0x15b3", Device: f.device}, nil
}

func (f fakeBoard) EswitchSettings(context.Context, devlink.Handle) (devlink.EswitchSettings, error) {
	if f.errno != 0 {
		return devlink.EswitchSettings{}, f.errno
	}
	return devlink.EswitchSettings{Mode: f.eswitch}, nil
}

func TestBlueFieldMode(t *testing.T) {
	uplink := &inventory.Device{Key: inventory.Key{Index: 1}, Name: "p0", Role: inventory.Uplink, PCI: blueField}
	hostPF := &inventory.Device{Key: inventory.Key{Index: 2}, Name: "pf0hpf", Role: inventory.PFRepresentor, PCI: blueField}
	for name, test := range map[string]struct {
		board        fakeBoard
		architecture string
		devices      []*inventory.Device
		settings     map[string]string
		want         string // mode; "" is no row
	}{
		"the Arm side with a representor":  {fakeBoard{device: "0xa2dc", errno: syscall.EPERM}, "arm64", []*inventory.Device{uplink, hostPF}, nil, "dpu"},
		"the Arm side, legacy":             {fakeBoard{device: "0xa2d6"}, "arm64", []*inventory.Device{uplink}, nil, "dpu"},
		"the Arm side without the eswitch": {fakeBoard{device: "0xa2d6", errno: syscall.EOPNOTSUPP}, "arm64", []*inventory.Device{uplink}, nil, "nic"},
		"a host that manages it":           {fakeBoard{device: "0xa2dc", eswitch: devlink.Switchdev}, "amd64", []*inventory.Device{uplink, hostPF}, nil, "nic"},
		"a host that does not":             {fakeBoard{device: "0xa2dc", errno: syscall.EOPNOTSUPP}, "amd64", []*inventory.Device{uplink}, nil, "dpu"},
		"a host that may not ask":          {fakeBoard{device: "0xa2dc", errno: syscall.EPERM}, "amd64", []*inventory.Device{uplink}, nil, "unknown"},
		"mlxconfig says nic": {fakeBoard{device: "0xa2dc"}, "arm64", []*inventory.Device{uplink, hostPF},
			map[string]string{"INTERNAL_CPU_MODEL": "EMBEDDED_CPU(1)", "INTERNAL_CPU_OFFLOAD_ENGINE": "DISABLED(1)"}, "nic"},
		"mlxconfig says separated": {fakeBoard{device: "0xa2d6"}, "arm64", []*inventory.Device{uplink},
			map[string]string{"INTERNAL_CPU_MODEL": "SEPARATED_HOST(0)"}, "separated"},
		"a ConnectX-7":  {fakeBoard{device: "0x1021"}, "amd64", []*inventory.Device{uplink}, nil, ""},
		"no PCI device": {fakeBoard{}, "amd64", []*inventory.Device{uplink}, nil, ""},
	} {
		asked := 0
		c := NewBoard(BoardOptions{
			CPU:          func() (host.CPU, error) { return host.CPU{Model: "Cortex-A78AE", Online: 16}, nil },
			Architecture: test.architecture, Functions: test.board, Eswitch: test.board,
			Mlxconfig: func(context.Context, string) (map[string]string, error) { asked++; return test.settings, nil },
		})
		inv := inventory.NewSnapshot(test.devices, 0)
		exposition(t, c, inv)
		text := exposition(t, c, inv)
		if !strings.Contains(text, `dpu_board_cpu_info{model="Cortex-A78AE",architecture="`+test.architecture+`"} 1`) || !strings.Contains(text, "dpu_board_cpus 16\n") {
			t.Errorf("%s: no processors in\n%s", name, text)
		}
		if has := strings.Contains(text, "dpu_board_mode_info{"); has != (test.want != "") || has && !strings.Contains(text, `mode="`+test.want+`"`) {
			t.Errorf("%s: want mode %q in\n%s", name, test.want, text)
		}
		if test.settings != nil && (asked != 1 || !strings.Contains(text, "dpu_board_setting_info{")) {
			t.Errorf("%s: mlxconfig was asked %d times:\n%s", name, asked, text)
		}
	}
}
