package ethtool

import (
	"github.com/dpu-exporter/dpu-exporter/internal/genl"
	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// knownLinkModes is how many bits of enum ethtool_link_mode_bit_indices
// (include/uapi/linux/ethtool.h of Linux 6.18) linkModeSpeeds was made of.
const knownLinkModes = 121

// linkModeSpeeds are the bits of each speed in Mbit/s; "100000baseSR4/Full" is
// one of 100000. The bits of no speed (Autoneg, FIBRE, Pause, FEC_RS…) are left
// out.
var linkModeSpeeds = []struct {
	mbit uint32
	bits []int
}{
	{800_000, []int{93, 94, 95, 96, 97, 98, 115, 116, 117, 118, 119, 120}},
	{400_000, []int{69, 70, 71, 72, 73, 85, 86, 87, 88, 89, 109, 110, 111, 112, 113, 114}},
	{200_000, []int{62, 63, 64, 65, 66, 80, 81, 82, 83, 84, 103, 104, 105, 106, 107, 108}},
	{100_000, []int{36, 37, 38, 39, 57, 58, 59, 60, 61, 75, 76, 77, 78, 79}},
	{56_000, []int{27, 28, 29, 30}},
	{50_000, []int{34, 35, 40, 52, 53, 54, 55, 56}},
	{40_000, []int{23, 24, 25, 26}},
	{25_000, []int{31, 32, 33}},
	{20_000, []int{21, 22}},
	{10_000, []int{12, 18, 19, 20, 42, 43, 44, 45, 46}},
	{5_000, []int{48}},
	{2_500, []int{15, 47}},
	{1_000, []int{4, 5, 17, 41, 68}},
	{100, []int{2, 3, 67, 90, 91}},
	{10, []int{0, 1, 92, 99, 100, 101, 102}},
}

// bitset is a compact one (ETHTOOL_A_BITSET_*): bytes of 32-bit words in the
// machine's order.
type bitset struct {
	size uint32
	mask []byte // which bits the set is about
}

var bitsetFields = []genl.Field[bitset]{
	{Type: unix.ETHTOOL_A_BITSET_SIZE, Name: "ETHTOOL_A_BITSET_SIZE", Required: true,
		Read: func(b *bitset, d *netlink.AttributeDecoder) { b.size = d.Uint32() }},
	{Type: unix.ETHTOOL_A_BITSET_MASK, Name: "ETHTOOL_A_BITSET_MASK",
		Read: func(b *bitset, d *netlink.AttributeDecoder) { b.mask = d.Bytes() }},
}

// has says whether a bit is in the mask.
func (b *bitset) has(bit int, order func([]byte) uint32) bool {
	word := bit / 32 * 4
	return word+4 <= len(b.mask) && order(b.mask[word:])&(1<<(bit%32)) != 0
}

// readSupported returns the highest speed among the supported link modes, which
// are the mask of ETHTOOL_A_LINKMODES_OURS. It is nil where there is none, and
// where the kernel knows modes that this table does not: one of them may be
// faster.
func readSupported(d *netlink.AttributeDecoder) *uint32 {
	var set bitset
	d.Nested(func(bits *netlink.AttributeDecoder) error { return genl.DecodeFrom(&set, bits, bitsetFields) })
	for bit := knownLinkModes; bit < int(min(set.size, 4096)); bit++ {
		if set.has(bit, d.ByteOrder.Uint32) {
			return nil
		}
	}
	for _, s := range linkModeSpeeds {
		for _, bit := range s.bits {
			if set.has(bit, d.ByteOrder.Uint32) {
				return new(s.mbit)
			}
		}
	}
	return nil
}
