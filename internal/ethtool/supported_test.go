package ethtool

import (
	"encoding/binary"
	"strconv"
	"strings"
	"testing"

	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// encodeSupported is a compact bitset whose mask has these bits.
func encodeSupported(e *netlink.AttributeEncoder, size uint32, bits ...int) {
	words := make([]byte, (size+31)/32*4)
	for _, bit := range bits {
		at := words[bit/32*4:]
		binary.NativeEndian.PutUint32(at, binary.NativeEndian.Uint32(at)|1<<(bit%32))
	}
	e.Nested(unix.ETHTOOL_A_LINKMODES_OURS, func(set *netlink.AttributeEncoder) error {
		set.Uint32(unix.ETHTOOL_A_BITSET_SIZE, size)
		set.Bytes(unix.ETHTOOL_A_BITSET_VALUE, make([]byte, len(words)))
		set.Bytes(unix.ETHTOOL_A_BITSET_MASK, words)
		return nil
	})
}

func TestSupportedSpeed(t *testing.T) {
	for name, test := range map[string]struct {
		size uint32
		bits []int
		want uint32 // Mbit/s; 0: unknown
	}{
		"none":                       {121, nil, 0},
		"only what is no speed":      {121, []int{6, 10, 13, 50}, 0},
		"the fastest of many":        {92, []int{5, 12, 31, 36, 62, 6, 10}, 200_000},
		"above bit 31 of the ioctl":  {121, []int{5, 69}, 400_000},
		"800G":                       {121, []int{5, 69, 120}, 800_000},
		"one that is newer than us":  {130, []int{5, 121}, 0},
		"a kernel that has newer":    {130, []int{5}, 1_000},
		"a size that nobody has":     {1 << 20, []int{5}, 1_000},
		"a copper port of a gigabit": {121, []int{0, 1, 2, 3, 5, 6, 7}, 1_000},
	} {
		mode, err := decodeLinkMode(encode(t, 4, func(e *netlink.AttributeEncoder) { encodeSupported(e, min(test.size, 8192), test.bits...) }))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if have := mode.SupportedSpeed; (have == nil) != (test.want == 0) || have != nil && *have != test.want {
			t.Errorf("%s: %v, want %d", name, have, test.want)
		}
	}
}

// TestLinkModeSpeedsAreTheKernels compares the table with the names that the
// kernel of this machine has for its link modes.
func TestLinkModeSpeedsAreTheKernels(t *testing.T) {
	speeds := map[int]uint32{}
	for _, s := range linkModeSpeeds {
		for _, bit := range s.bits {
			speeds[bit] = s.mbit
		}
	}
	for bit, name := range linkModeNames(t) {
		number, _, found := strings.Cut(name, "base")
		mbit, err := strconv.ParseUint(number, 10, 32)
		if !found || err != nil {
			mbit = 0
		}
		if bit < knownLinkModes && speeds[bit] != uint32(mbit) {
			t.Errorf("link mode %d is %s; the table says %d Mbit/s", bit, name, speeds[bit])
		}
	}
}

// linkModeNames asks the kernel (ETHTOOL_MSG_STRSET_GET, ETH_SS_LINK_MODES).
func linkModeNames(t *testing.T) map[int]string {
	t.Helper()
	c, err := Dial()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	e := netlink.NewAttributeEncoder()
	e.Nested(unix.ETHTOOL_A_STRSET_HEADER, func(*netlink.AttributeEncoder) error { return nil })
	e.Nested(unix.ETHTOOL_A_STRSET_STRINGSETS, func(sets *netlink.AttributeEncoder) error {
		sets.Nested(unix.ETHTOOL_A_STRINGSETS_STRINGSET, func(set *netlink.AttributeEncoder) error {
			set.Uint32(unix.ETHTOOL_A_STRINGSET_ID, 9) // ETH_SS_LINK_MODES
			return nil
		})
		return nil
	})
	request, err := e.Encode()
	if err != nil {
		t.Fatal(err)
	}
	reply, err := c.family.Do(t.Context(), unix.ETHTOOL_MSG_STRSET_GET, request)
	if err != nil {
		t.Fatal(err)
	}
	names := map[int]string{}
	var read func(d *netlink.AttributeDecoder, way ...uint16) error
	read = func(d *netlink.AttributeDecoder, way ...uint16) error {
		index, name := 0, ""
		for d.Next() {
			switch {
			case len(way) > 0 && d.Type() == way[0]:
				d.Nested(func(inner *netlink.AttributeDecoder) error { return read(inner, way[1:]...) })
			case len(way) == 0 && d.Type() == unix.ETHTOOL_A_STRING_INDEX:
				index = int(d.Uint32())
			case len(way) == 0 && d.Type() == unix.ETHTOOL_A_STRING_VALUE:
				name = d.String()
			}
		}
		if len(way) == 0 {
			names[index] = name
		}
		return d.Err()
	}
	d, err := netlink.NewAttributeDecoder(reply)
	if err == nil {
		err = read(d, unix.ETHTOOL_A_STRSET_STRINGSETS, unix.ETHTOOL_A_STRINGSETS_STRINGSET,
			unix.ETHTOOL_A_STRINGSET_STRINGS, unix.ETHTOOL_A_STRINGS_STRING)
	}
	if err != nil || len(names) < 60 {
		t.Fatalf("%d link modes, %v", len(names), err)
	}
	return names
}
