package ethtool

import (
	"flag"
	"strings"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/internal/genl"
	"github.com/dpu-exporter/dpu-exporter/internal/genl/genltest"
	"github.com/dpu-exporter/dpu-exporter/test/worlds"
	"github.com/google/go-cmp/cmp"
	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

const vethCapture = "testdata/veth-linkmodes.hex"

// speeds is what drivers and the kernel say, and what is known by it.
var speeds = []struct {
	mbit  uint32
	bytes float64 // per second; 0: unknown
}{
	{1_000, 125_000_000},
	{100_000, 12_500_000_000},
	{200_000, 25_000_000_000},
	{400_000, 50_000_000_000},
	{800_000, 100_000_000_000},
	{10_000, 1_250_000_000},
	{10, 1_250_000},
	{0, 0},
	{65_535, 0},             // 16-bit SPEED_UNKNOWN
	{4_294_967_295, 0},      // SPEED_UNKNOWN, -1 in sysfs
	{1 << 31, 0},            // above INT_MAX
	{65_534, 8_191_750_000}, // not the 16-bit one
}

// encode is a reply as the kernel writes it.
func encode(t testing.TB, index uint32, fill func(*netlink.AttributeEncoder)) []byte {
	t.Helper()
	e := netlink.NewAttributeEncoder()
	e.Nested(unix.ETHTOOL_A_LINKMODES_HEADER, func(header *netlink.AttributeEncoder) error {
		header.Uint32(unix.ETHTOOL_A_HEADER_DEV_INDEX, index)
		header.String(unix.ETHTOOL_A_HEADER_DEV_NAME, "p0")
		return nil
	})
	fill(e)
	attributes, err := e.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return attributes
}

func TestSpeeds(t *testing.T) {
	for _, test := range speeds {
		mode, err := decodeLinkMode(encode(t, 4, func(e *netlink.AttributeEncoder) {
			e.Uint32(unix.ETHTOOL_A_LINKMODES_SPEED, test.mbit)
		}))
		if err != nil {
			t.Errorf("%d: %v", test.mbit, err)
		}
		if (mode.Speed == nil) != (test.bytes == 0) {
			t.Errorf("%d Mbit/s: known %v", test.mbit, mode.Speed != nil)
		} else if mode.Speed != nil && (*mode.Speed != test.mbit || SpeedBytesPerSecond(*mode.Speed) != test.bytes) {
			t.Errorf("%d Mbit/s: %d, %v B/s, want %v B/s", test.mbit, *mode.Speed, SpeedBytesPerSecond(*mode.Speed), test.bytes)
		}
	}
}

func TestDecodeLinkMode(t *testing.T) {
	for _, test := range []struct {
		fill func(*netlink.AttributeEncoder)
		want LinkMode
	}{
		{func(e *netlink.AttributeEncoder) {}, LinkMode{Index: 4, Name: "p0"}},
		{func(e *netlink.AttributeEncoder) {
			e.Uint8(unix.ETHTOOL_A_LINKMODES_AUTONEG, 1)
			e.Uint32(unix.ETHTOOL_A_LINKMODES_SPEED, 400_000)
			e.Uint8(unix.ETHTOOL_A_LINKMODES_DUPLEX, 1)
			e.Uint32(unix.ETHTOOL_A_LINKMODES_LANES, 8)
		}, LinkMode{Index: 4, Name: "p0", Speed: new(uint32(400_000)), Duplex: Full, Lanes: new(uint32(8)), Autoneg: new(true)}},
		{func(e *netlink.AttributeEncoder) {
			e.Uint8(unix.ETHTOOL_A_LINKMODES_AUTONEG, 0)
			e.Uint8(unix.ETHTOOL_A_LINKMODES_DUPLEX, 0)
		}, LinkMode{Index: 4, Name: "p0", Duplex: Half, Autoneg: new(false)}},
		{func(e *netlink.AttributeEncoder) {
			e.Uint8(unix.ETHTOOL_A_LINKMODES_DUPLEX, 255)
		}, LinkMode{Index: 4, Name: "p0"}},
	} {
		got, err := decodeLinkMode(encode(t, 4, test.fill))
		if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
}

func TestDecodeLinkModeErrors(t *testing.T) {
	for attributes, want := range map[string]string{
		"":                 "ETHTOOL_A_LINKMODES_HEADER: missing",
		"\x04\x00\x01\x80": "ETHTOOL_A_LINKMODES_HEADER: ETHTOOL_A_HEADER_DEV_INDEX: missing",
		string(encode(t, 4, func(e *netlink.AttributeEncoder) {
			e.Uint16(unix.ETHTOOL_A_LINKMODES_SPEED, 10)
		})): `link modes of interface 4 "p0": ETHTOOL_A_LINKMODES_SPEED: `,
		string(encode(t, 4, func(e *netlink.AttributeEncoder) {
			e.Uint32(unix.ETHTOOL_A_LINKMODES_DUPLEX, 1)
		})): "ETHTOOL_A_LINKMODES_DUPLEX: ",
	} {
		if _, err := decodeLinkMode([]byte(attributes)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestVethCapture(t *testing.T) {
	var got []LinkMode
	for _, message := range genltest.ReadCapture(t, vethCapture) {
		mode, err := decodeLinkMode(message[unix.GENL_HDRLEN:])
		if err != nil {
			t.Error(err)
		}
		mode.Index = 0 // differs from namespace to namespace
		got = append(got, mode)
	}
	if diff := cmp.Diff(veths("b0", "a0"), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// veths is what the kernel says of veth devices, without indexes.
func veths(names ...string) []LinkMode {
	var modes []LinkMode
	for _, name := range names {
		modes = append(modes, LinkMode{Name: name, Speed: new(uint32(10_000)), Duplex: Full, Autoneg: new(false)})
	}
	return modes
}

var update = flag.Bool("update", false, "take the captures of testdata anew from this kernel (root)")

func TestUpdateCaptures(t *testing.T) {
	if !*update {
		t.Log("only with -update")
		return
	}
	worlds.Enter(t)
	worlds.AddVeths(t, 1)
	family, err := genl.Dial(unix.ETHTOOL_GENL_NAME)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = family.Close() }()
	request, err := encodeHeader(unix.ETHTOOL_A_LINKMODES_HEADER, 0, unix.ETHTOOL_FLAG_COMPACT_BITSETS)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := family.Dump(t.Context(), unix.ETHTOOL_MSG_LINKMODES_GET, request)
	if err != nil {
		t.Fatal(err)
	}
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		t.Fatal(err)
	}
	var messages [][]byte
	for _, attributes := range entries {
		messages = append(messages, append([]byte{unix.ETHTOOL_MSG_LINKMODES_GET_REPLY, unix.ETHTOOL_GENL_VERSION, 0, 0}, attributes...))
	}
	version, _, _ := strings.Cut(unix.ByteSliceToString(name.Release[:]), "-")
	genltest.WriteCapture(t, vethCapture, "One generic netlink message a line (header and attributes, little endian).\n"+
		"Captured by \"go test -run TestUpdateCaptures -update\" on Linux "+version+":\n"+
		"ETHTOOL_MSG_LINKMODES_GET dump with compact bitsets in a namespace with lo\nand one veth pair.", messages)
}

func FuzzDecode(f *testing.F) {
	for _, message := range genltest.ReadCapture(f, vethCapture) {
		f.Add(message[unix.GENL_HDRLEN:])
	}
	f.Fuzz(func(t *testing.T, attributes []byte) {
		mode, err := decodeLinkMode(attributes)
		if err == nil && mode.Speed != nil && (*mode.Speed == 0 || *mode.Speed > 1<<31-1) {
			t.Errorf("speed %d", *mode.Speed)
		}
	})
}
