package ethtool

import (
	"context"

	"github.com/dpu-exporter/dpu-exporter/internal/genl"
	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// Groups are the statistics that ethtool has under one name for every driver
// (ETHTOOL_MSG_STATS_GET, `ethtool -S DEV --all-groups`). What the driver does
// not tell is not among them.
type Groups struct {
	Counts                      []Count
	ReceiveSizes, TransmitSizes []SizeCount // rmon histograms
}

// Count is one standard statistic.
type Count struct {
	Name  string // as the kernel writes it, its group before it: "eth-mac FramesReceivedOK"
	Value uint64
}

// SizeCount counts the packets of Low to High octets; High is 0 where there is
// no upper bound.
type SizeCount struct {
	Low, High uint32
	Value     uint64
}

// The attributes of include/uapi/linux/ethtool_netlink.h, kernel 5.13, which
// golang.org/x/sys/unix does not have.
const (
	statsHeader     = 2 // ETHTOOL_A_STATS_HEADER
	statsGroups     = 3 // ETHTOOL_A_STATS_GROUPS
	statsGroup      = 4 // ETHTOOL_A_STATS_GRP
	groupID         = 2 // ETHTOOL_A_STATS_GRP_ID
	groupStat       = 4 // ETHTOOL_A_STATS_GRP_STAT
	groupSizesRx    = 5 // ETHTOOL_A_STATS_GRP_HIST_RX
	groupSizesTx    = 6 // ETHTOOL_A_STATS_GRP_HIST_TX
	sizeLow         = 7 // ETHTOOL_A_STATS_GRP_HIST_BKT_LOW
	sizeHigh        = 8 // ETHTOOL_A_STATS_GRP_HIST_BKT_HI
	sizeValue       = 9 // ETHTOOL_A_STATS_GRP_HIST_VAL
	everyStatsGroup = 1<<groupCount - 1
	groupCount      = 4
)

// groupNames are the statistics of each ETHTOOL_STATS_* group by their
// attribute (stats_eth_*_names of net/ethtool/stats.c).
var groupNames = [groupCount]struct {
	name  string
	stats []string
}{
	{"eth-phy", []string{"SymbolErrorDuringCarrier"}},
	{"eth-mac", []string{
		"FramesTransmittedOK", "SingleCollisionFrames", "MultipleCollisionFrames", "FramesReceivedOK",
		"FrameCheckSequenceErrors", "AlignmentErrors", "OctetsTransmittedOK", "FramesWithDeferredXmissions",
		"LateCollisions", "FramesAbortedDueToXSColls", "FramesLostDueToIntMACXmitError", "CarrierSenseErrors",
		"OctetsReceivedOK", "FramesLostDueToIntMACRcvError", "MulticastFramesXmittedOK", "BroadcastFramesXmittedOK",
		"FramesWithExcessiveDeferral", "MulticastFramesReceivedOK", "BroadcastFramesReceivedOK",
		"InRangeLengthErrors", "OutOfRangeLengthField", "FrameTooLongErrors",
	}},
	{"eth-ctrl", []string{"MACControlFramesTransmitted", "MACControlFramesReceived", "UnsupportedOpcodesReceived"}},
	{"rmon", []string{"etherStatsUndersizePkts", "etherStatsOversizePkts", "etherStatsFragments", "etherStatsJabbers"}},
}

// Groups reads the standard statistics of one device. A driver that has none of
// them gives an empty answer, not an error; a kernel before 5.13 EOPNOTSUPP. No
// privilege is needed.
func (c *Conn) Groups(ctx context.Context, index int) (Groups, error) {
	var g Groups
	q := question{what: "standard statistics", command: unix.ETHTOOL_MSG_STATS_GET, header: statsHeader, more: func(e *netlink.AttributeEncoder) {
		e.Nested(statsGroups, func(set *netlink.AttributeEncoder) error {
			set.Flag(unix.ETHTOOL_A_BITSET_NOMASK, true)
			set.Uint32(unix.ETHTOOL_A_BITSET_SIZE, groupCount)
			set.Uint32(unix.ETHTOOL_A_BITSET_VALUE, everyStatsGroup)
			return nil
		})
	}}
	err := ask(ctx, c, q, index, &g, groupsFields)
	return g, err
}

var groupsFields = []genl.Field[Groups]{
	{Type: statsGroup, Name: "ETHTOOL_A_STATS_GRP", Read: func(g *Groups, d *netlink.AttributeDecoder) {
		d.Nested(func(group *netlink.AttributeDecoder) error {
			return genl.DecodeFrom(&openGroup{to: g, id: groupCount}, group, groupFields)
		})
	}},
}

// openGroup is the group whose attributes are being read; its id comes first.
type openGroup struct {
	to *Groups
	id int
}

var groupFields = []genl.Field[openGroup]{
	{Type: groupID, Name: "ETHTOOL_A_STATS_GRP_ID", Required: true,
		Read: func(g *openGroup, d *netlink.AttributeDecoder) { g.id = int(d.Uint32()) }},
	{Type: groupStat, Name: "ETHTOOL_A_STATS_GRP_STAT", Read: readGroupStat},
	{Type: groupSizesRx, Name: "ETHTOOL_A_STATS_GRP_HIST_RX",
		Read: func(g *openGroup, d *netlink.AttributeDecoder) { readSize(&g.to.ReceiveSizes, d) }},
	{Type: groupSizesTx, Name: "ETHTOOL_A_STATS_GRP_HIST_TX",
		Read: func(g *openGroup, d *netlink.AttributeDecoder) { readSize(&g.to.TransmitSizes, d) }},
}

// readGroupStat reads one statistic: an attribute whose type says which. Those
// of newer kernels are passed over.
func readGroupStat(g *openGroup, d *netlink.AttributeDecoder) {
	d.Nested(func(stat *netlink.AttributeDecoder) error {
		for stat.Next() {
			value, which := stat.Uint64(), int(stat.Type())
			if stat.Err() != nil || g.id >= len(groupNames) || which >= len(groupNames[g.id].stats) {
				continue
			}
			group := groupNames[g.id]
			g.to.Counts = append(g.to.Counts, Count{Name: group.name + " " + group.stats[which], Value: value})
		}
		return stat.Err()
	})
}

// readSize reads one range of a histogram.
func readSize(to *[]SizeCount, d *netlink.AttributeDecoder) {
	var s SizeCount
	d.Nested(func(bucket *netlink.AttributeDecoder) error {
		return genl.DecodeFrom(&s, bucket, sizeFields)
	})
	*to = append(*to, s)
}

var sizeFields = []genl.Field[SizeCount]{
	{Type: sizeLow, Name: "ETHTOOL_A_STATS_GRP_HIST_BKT_LOW", Required: true,
		Read: func(s *SizeCount, d *netlink.AttributeDecoder) { s.Low = d.Uint32() }},
	{Type: sizeHigh, Name: "ETHTOOL_A_STATS_GRP_HIST_BKT_HI",
		Read: func(s *SizeCount, d *netlink.AttributeDecoder) { s.High = d.Uint32() }},
	{Type: sizeValue, Name: "ETHTOOL_A_STATS_GRP_HIST_VAL", Required: true,
		Read: func(s *SizeCount, d *netlink.AttributeDecoder) { s.Value = d.Uint64() }},
}
