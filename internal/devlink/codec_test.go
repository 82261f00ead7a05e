package devlink

import (
	"strings"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/internal/genl"
	"github.com/dpu-exporter/dpu-exporter/internal/genl/genltest"
	"github.com/google/go-cmp/cmp"
	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

var (
	simulated = Handle{"netdevsim", "netdevsim10"}
	dpu       = Handle{"pci", "0000:03:00.0"}
)

// captures is what the files of testdata say.
var captures = map[string][]Port{
	"testdata/netdevsim-ports.hex": {
		{Handle: simulated, Index: 0, NetdevIndex: 10, NetdevName: "eth0", Flavour: new(Physical), Number: new(uint32(1))},
		{Handle: simulated, Index: 1, NetdevIndex: 11, NetdevName: "eth1", Flavour: new(Physical), Number: new(uint32(2))},
		{Handle: simulated, Index: 128, NetdevIndex: 12, NetdevName: "eth2", Flavour: new(PCIVF),
			Controller: new(uint32(0)), PF: new(uint32(0)), VF: new(uint32(0)), External: new(false)},
		{Handle: simulated, Index: 129, NetdevIndex: 13, NetdevName: "eth3", Flavour: new(PCIVF),
			Controller: new(uint32(0)), PF: new(uint32(0)), VF: new(uint32(1)), External: new(false)},
		{Handle: simulated, Index: 130, NetdevIndex: 14, NetdevName: "eth4", Flavour: new(PCIVF),
			Controller: new(uint32(0)), PF: new(uint32(0)), VF: new(uint32(2)), External: new(false)},
	},
	"testdata/dpu-ports.hex": {
		{Handle: dpu, Index: 65535, NetdevIndex: 4, NetdevName: "p0", Flavour: new(Physical), Number: new(uint32(0))},
		{Handle: dpu, Index: 131071, NetdevIndex: 6, NetdevName: "pf0hpf", Flavour: new(PCIPF),
			Controller: new(uint32(1)), PF: new(uint32(0)), External: new(true)},
		{Handle: dpu, Index: 131072, NetdevIndex: 7, NetdevName: "pf0vf0", Flavour: new(PCIVF),
			Controller: new(uint32(1)), PF: new(uint32(0)), VF: new(uint32(0)), External: new(true)},
		{Handle: dpu, Index: 229408, NetdevIndex: 9, NetdevName: "en3f0pf0sf88", Flavour: new(PCISF),
			Controller: new(uint32(0)), PF: new(uint32(0)), SF: new(uint32(88))},
		{Handle: Handle{"pci", "0000:82:00.0"}, Index: 1, NetdevIndex: 21, NetdevName: "swp1s1", Flavour: new(Physical),
			Number: new(uint32(1)), Subport: new(uint32(1))},
		{Handle: Handle{"pci", "0000:05:00.0"}, Index: 1, RDMADevice: "mlx4_0"},
		{Handle: Handle{"pci", "0000:06:00.0"}, Index: 7, Flavour: new(Unused)},
	},
}

func TestDecodePort(t *testing.T) {
	for path, want := range captures {
		var got []Port
		for _, message := range genltest.ReadCapture(t, path) {
			port, err := decodePort(message[unix.GENL_HDRLEN:])
			if err != nil {
				t.Errorf("%s: %v", path, err)
			}
			got = append(got, port)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}

func TestDecodePortErrors(t *testing.T) {
	for _, test := range []struct {
		spoil func(*netlink.AttributeEncoder)
		want  string
	}{
		{func(e *netlink.AttributeEncoder) {}, "port pci/0000:03:00.0/0: DEVLINK_ATTR_PORT_INDEX: missing"},
		{func(e *netlink.AttributeEncoder) { e.Uint16(unix.DEVLINK_ATTR_PORT_INDEX, 1) }, "DEVLINK_ATTR_PORT_INDEX: "},
		{func(e *netlink.AttributeEncoder) { e.Uint32(unix.DEVLINK_ATTR_PORT_FLAVOUR, 1) }, "DEVLINK_ATTR_PORT_FLAVOUR: "},
		{func(e *netlink.AttributeEncoder) { e.Uint32(unix.DEVLINK_ATTR_PORT_PCI_VF_NUMBER, 1) }, "DEVLINK_ATTR_PORT_PCI_VF_NUMBER: "},
		{func(e *netlink.AttributeEncoder) { e.Bytes(unix.DEVLINK_ATTR_PORT_EXTERNAL, nil) }, "DEVLINK_ATTR_PORT_EXTERNAL: "},
	} {
		e := netlink.NewAttributeEncoder()
		e.String(unix.DEVLINK_ATTR_BUS_NAME, dpu.Bus)
		e.String(unix.DEVLINK_ATTR_DEV_NAME, dpu.Device)
		test.spoil(e)
		attributes, err := e.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := decodePort(attributes); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want %q", err, test.want)
		}
	}
}

func TestWords(t *testing.T) {
	for f, want := range map[Flavour]string{
		unix.DEVLINK_PORT_FLAVOUR_PHYSICAL: "physical",
		unix.DEVLINK_PORT_FLAVOUR_CPU:      "cpu",
		unix.DEVLINK_PORT_FLAVOUR_DSA:      "dsa",
		unix.DEVLINK_PORT_FLAVOUR_PCI_PF:   "pcipf",
		unix.DEVLINK_PORT_FLAVOUR_PCI_VF:   "pcivf",
		unix.DEVLINK_PORT_FLAVOUR_VIRTUAL:  "virtual",
		unix.DEVLINK_PORT_FLAVOUR_UNUSED:   "unused",
		7:                                  "pcisf", // DEVLINK_PORT_FLAVOUR_PCI_SF
		9:                                  "flavour(9)",
		0xffff:                             "flavour(65535)",
	} {
		if got := f.String(); got != want {
			t.Errorf("flavour %d: %q, want %q", uint16(f), got, want)
		}
	}
	for m, want := range map[EswitchMode]string{
		unix.DEVLINK_ESWITCH_MODE_LEGACY:    "legacy",
		unix.DEVLINK_ESWITCH_MODE_SWITCHDEV: "switchdev",
		SwitchdevInactive:                   "switchdev_inactive",
		3:                                   "mode(3)",
	} {
		if got := m.String(); got != want {
			t.Errorf("mode %d: %q, want %q", uint16(m), got, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, path := range []string{"netdevsim-ports", "dpu-ports", "devices", "eswitch"} {
		for _, message := range genltest.ReadCapture(f, "testdata/"+path+".hex") {
			f.Add(message[unix.GENL_HDRLEN:])
		}
	}
	f.Fuzz(func(t *testing.T, attributes []byte) {
		port, err := decodePort(attributes)
		handle, handleErr := decodeHandle(attributes)
		if err == nil && (handleErr != nil || handle != port.Handle) {
			t.Errorf("port of %s, device %s, %v", port.Handle, handle, handleErr)
		}
		_ = genl.Decode(new(EswitchSettings), attributes, eswitchFields)
	})
}
