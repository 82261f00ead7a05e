package ethtool

import (
	"context"

	"github.com/dpu-exporter/dpu-exporter/internal/genl"
	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// Rings are the sizes of a device's rings in descriptors
// (ETHTOOL_MSG_RINGS_GET, `ethtool -g`); nil where the driver has none.
type Rings struct {
	Rx, Tx, RxMini, RxJumbo             *uint32
	RxMax, TxMax, RxMiniMax, RxJumboMax *uint32
}

// Rings reads one device. A driver that does not tell answers EOPNOTSUPP.
func (c *Conn) Rings(ctx context.Context, index int) (Rings, error) {
	var r Rings
	err := ask(ctx, c, question{what: "rings", command: unix.ETHTOOL_MSG_RINGS_GET}, index, &r, ringsFields)
	return r, err
}

var ringsFields = []genl.Field[Rings]{
	count32(unix.ETHTOOL_A_RINGS_RX, "ETHTOOL_A_RINGS_RX", func(r *Rings) **uint32 { return &r.Rx }),
	count32(unix.ETHTOOL_A_RINGS_TX, "ETHTOOL_A_RINGS_TX", func(r *Rings) **uint32 { return &r.Tx }),
	count32(unix.ETHTOOL_A_RINGS_RX_MINI, "ETHTOOL_A_RINGS_RX_MINI", func(r *Rings) **uint32 { return &r.RxMini }),
	count32(unix.ETHTOOL_A_RINGS_RX_JUMBO, "ETHTOOL_A_RINGS_RX_JUMBO", func(r *Rings) **uint32 { return &r.RxJumbo }),
	count32(unix.ETHTOOL_A_RINGS_RX_MAX, "ETHTOOL_A_RINGS_RX_MAX", func(r *Rings) **uint32 { return &r.RxMax }),
	count32(unix.ETHTOOL_A_RINGS_TX_MAX, "ETHTOOL_A_RINGS_TX_MAX", func(r *Rings) **uint32 { return &r.TxMax }),
	count32(unix.ETHTOOL_A_RINGS_RX_MINI_MAX, "ETHTOOL_A_RINGS_RX_MINI_MAX", func(r *Rings) **uint32 { return &r.RxMiniMax }),
	count32(unix.ETHTOOL_A_RINGS_RX_JUMBO_MAX, "ETHTOOL_A_RINGS_RX_JUMBO_MAX", func(r *Rings) **uint32 { return &r.RxJumboMax }),
}

// Channels are the numbers of a device's channels, each a set of queues with an
// interrupt (ETHTOOL_MSG_CHANNELS_GET, `ethtool -l`); nil where the driver has
// none of that kind.
type Channels struct {
	Combined, Rx, Tx, Other             *uint32
	CombinedMax, RxMax, TxMax, OtherMax *uint32
}

// Channels reads one device. A driver that does not tell answers EOPNOTSUPP.
func (c *Conn) Channels(ctx context.Context, index int) (Channels, error) {
	var n Channels
	err := ask(ctx, c, question{what: "channels", command: unix.ETHTOOL_MSG_CHANNELS_GET}, index, &n, channelsFields)
	return n, err
}

var channelsFields = []genl.Field[Channels]{
	count32(unix.ETHTOOL_A_CHANNELS_COMBINED_COUNT, "ETHTOOL_A_CHANNELS_COMBINED_COUNT", func(n *Channels) **uint32 { return &n.Combined }),
	count32(unix.ETHTOOL_A_CHANNELS_RX_COUNT, "ETHTOOL_A_CHANNELS_RX_COUNT", func(n *Channels) **uint32 { return &n.Rx }),
	count32(unix.ETHTOOL_A_CHANNELS_TX_COUNT, "ETHTOOL_A_CHANNELS_TX_COUNT", func(n *Channels) **uint32 { return &n.Tx }),
	count32(unix.ETHTOOL_A_CHANNELS_OTHER_COUNT, "ETHTOOL_A_CHANNELS_OTHER_COUNT", func(n *Channels) **uint32 { return &n.Other }),
	count32(unix.ETHTOOL_A_CHANNELS_COMBINED_MAX, "ETHTOOL_A_CHANNELS_COMBINED_MAX", func(n *Channels) **uint32 { return &n.CombinedMax }),
	count32(unix.ETHTOOL_A_CHANNELS_RX_MAX, "ETHTOOL_A_CHANNELS_RX_MAX", func(n *Channels) **uint32 { return &n.RxMax }),
	count32(unix.ETHTOOL_A_CHANNELS_TX_MAX, "ETHTOOL_A_CHANNELS_TX_MAX", func(n *Channels) **uint32 { return &n.TxMax }),
	count32(unix.ETHTOOL_A_CHANNELS_OTHER_MAX, "ETHTOOL_A_CHANNELS_OTHER_MAX", func(n *Channels) **uint32 { return &n.OtherMax }),
}

// Coalesce is how long a device holds back interrupts
// (ETHTOOL_MSG_COALESCE_GET, `ethtool -c`); nil where the driver does not tell.
type Coalesce struct {
	RxMicroseconds, TxMicroseconds *uint32
	RxFrames, TxFrames             *uint32
	RxAdaptive, TxAdaptive         *bool // the driver chooses them by the traffic
}

// Coalesce reads one device. A driver that does not tell answers EOPNOTSUPP.
func (c *Conn) Coalesce(ctx context.Context, index int) (Coalesce, error) {
	var v Coalesce
	err := ask(ctx, c, question{what: "coalescing", command: unix.ETHTOOL_MSG_COALESCE_GET}, index, &v, coalesceFields)
	return v, err
}

var coalesceFields = []genl.Field[Coalesce]{
	count32(unix.ETHTOOL_A_COALESCE_RX_USECS, "ETHTOOL_A_COALESCE_RX_USECS", func(c *Coalesce) **uint32 { return &c.RxMicroseconds }),
	count32(unix.ETHTOOL_A_COALESCE_TX_USECS, "ETHTOOL_A_COALESCE_TX_USECS", func(c *Coalesce) **uint32 { return &c.TxMicroseconds }),
	count32(unix.ETHTOOL_A_COALESCE_RX_MAX_FRAMES, "ETHTOOL_A_COALESCE_RX_MAX_FRAMES", func(c *Coalesce) **uint32 { return &c.RxFrames }),
	count32(unix.ETHTOOL_A_COALESCE_TX_MAX_FRAMES, "ETHTOOL_A_COALESCE_TX_MAX_FRAMES", func(c *Coalesce) **uint32 { return &c.TxFrames }),
	{Type: unix.ETHTOOL_A_COALESCE_USE_ADAPTIVE_RX, Name: "ETHTOOL_A_COALESCE_USE_ADAPTIVE_RX",
		Read: func(c *Coalesce, d *netlink.AttributeDecoder) { c.RxAdaptive = new(d.Uint8() != 0) }},
	{Type: unix.ETHTOOL_A_COALESCE_USE_ADAPTIVE_TX, Name: "ETHTOOL_A_COALESCE_USE_ADAPTIVE_TX",
		Read: func(c *Coalesce, d *netlink.AttributeDecoder) { c.TxAdaptive = new(d.Uint8() != 0) }},
}

// count32 is a field of a number that the driver may not have.
func count32[T any](kind uint16, name string, place func(*T) **uint32) genl.Field[T] {
	return genl.Field[T]{Type: kind, Name: name,
		Read: func(v *T, d *netlink.AttributeDecoder) { *place(v) = new(d.Uint32()) }}
}
