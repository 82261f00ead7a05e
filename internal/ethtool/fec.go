package ethtool

import (
	"context"
	"fmt"

	"github.com/dpu-exporter/dpu-exporter/internal/genl"
	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// FEC is forward error correction (ETHTOOL_MSG_FEC_GET with statistics,
// `ethtool -I --show-fec`). What the driver does not tell is nil or "".
type FEC struct {
	Active string // what the link runs with: off, rs, baser, llrs

	// Statistics (IEEE 802.3, 30.5.1.1.17 and 18): the total.
	CorrectedBlocks, UncorrectableBlocks, CorrectedBits *uint64
	// The same by lane of the port, from lane 0; nil where the driver has a total only.
	LaneCorrectedBlocks, LaneUncorrectableBlocks, LaneCorrectedBits []uint64
}

// The attributes of include/uapi/linux/ethtool_netlink.h that
// golang.org/x/sys/unix does not have.
const (
	fecActive        = 4 // ETHTOOL_A_FEC_ACTIVE
	fecStats         = 5 // ETHTOOL_A_FEC_STATS
	fecCorrected     = 2 // ETHTOOL_A_FEC_STAT_CORRECTED
	fecUncorrectable = 3 // ETHTOOL_A_FEC_STAT_UNCORR
	fecCorrectedBits = 4 // ETHTOOL_A_FEC_STAT_CORR_BITS
)

// FEC reads one device. A driver without it answers EOPNOTSUPP. No privilege is
// needed.
func (c *Conn) FEC(ctx context.Context, index int) (FEC, error) {
	var f FEC
	err := ask(ctx, c, question{what: "FEC", command: unix.ETHTOOL_MSG_FEC_GET, flags: unix.ETHTOOL_FLAG_STATS | unix.ETHTOOL_FLAG_COMPACT_BITSETS}, index, &f, fecFields)
	return f, err
}

// fecModes are the link mode bits that ETHTOOL_A_FEC_ACTIVE gives, in the words
// of ethtool(8).
var fecModes = map[uint32]string{
	unix.ETHTOOL_LINK_MODE_FEC_NONE_BIT:  "off",
	unix.ETHTOOL_LINK_MODE_FEC_RS_BIT:    "rs",
	unix.ETHTOOL_LINK_MODE_FEC_BASER_BIT: "baser",
	unix.ETHTOOL_LINK_MODE_FEC_LLRS_BIT:  "llrs",
}

var fecFields = []genl.Field[FEC]{
	{Type: fecActive, Name: "ETHTOOL_A_FEC_ACTIVE",
		Read: func(f *FEC, d *netlink.AttributeDecoder) { f.Active = fecModes[d.Uint32()] }},
	genl.Nest(fecStats, "ETHTOOL_A_FEC_STATS", fecStatFields...),
}

var fecStatFields = []genl.Field[FEC]{
	{Type: fecCorrected, Name: "ETHTOOL_A_FEC_STAT_CORRECTED",
		Read: func(f *FEC, d *netlink.AttributeDecoder) { f.CorrectedBlocks, f.LaneCorrectedBlocks = readLanes(d) }},
	{Type: fecUncorrectable, Name: "ETHTOOL_A_FEC_STAT_UNCORR",
		Read: func(f *FEC, d *netlink.AttributeDecoder) {
			f.UncorrectableBlocks, f.LaneUncorrectableBlocks = readLanes(d)
		}},
	{Type: fecCorrectedBits, Name: "ETHTOOL_A_FEC_STAT_CORR_BITS",
		Read: func(f *FEC, d *netlink.AttributeDecoder) { f.CorrectedBits, f.LaneCorrectedBits = readLanes(d) }},
}

// readLanes reads an array of u64: the total, and behind it what it is the sum
// of where the driver counts by lane (fec_stats_recalc of net/ethtool/fec.c). It
// is empty where the driver does not count.
func readLanes(d *netlink.AttributeDecoder) (total *uint64, lanes []uint64) {
	d.Do(func(b []byte) error {
		if len(b)%8 != 0 {
			return fmt.Errorf("%d bytes, want a multiple of 8", len(b))
		}
		for ; len(b) > 0; b = b[8:] {
			if value := d.ByteOrder.Uint64(b); total == nil {
				total = &value
			} else {
				lanes = append(lanes, value)
			}
		}
		return nil
	})
	return total, lanes
}
