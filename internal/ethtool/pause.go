package ethtool

import (
	"context"

	"github.com/dpu-exporter/dpu-exporter/internal/genl"
	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// Pause is link-wide flow control (ETHTOOL_MSG_PAUSE_GET with statistics,
// `ethtool -I -a`). What the driver does not tell is nil.
type Pause struct {
	Autoneg, Receive, Transmit        *bool   // what is switched on
	ReceivedFrames, TransmittedFrames *uint64 // IEEE 802.3 annex 31B
	Storms                            *uint64 // times that sending pause lasted too long; kernel 6.18 and newer
}

// pauseStatStorms is ETHTOOL_A_PAUSE_STAT_TX_PAUSE_STORM_EVENTS, which
// golang.org/x/sys/unix does not have.
const pauseStatStorms = 4

// Pause reads one device. A driver without flow control answers EOPNOTSUPP. No
// privilege is needed.
func (c *Conn) Pause(ctx context.Context, index int) (Pause, error) {
	var p Pause
	err := ask(ctx, c, question{what: "pause", command: unix.ETHTOOL_MSG_PAUSE_GET, flags: unix.ETHTOOL_FLAG_STATS}, index, &p, pauseFields)
	return p, err
}

var pauseFields = []genl.Field[Pause]{
	{Type: unix.ETHTOOL_A_PAUSE_AUTONEG, Name: "ETHTOOL_A_PAUSE_AUTONEG",
		Read: func(p *Pause, d *netlink.AttributeDecoder) { p.Autoneg = new(d.Uint8() != 0) }},
	{Type: unix.ETHTOOL_A_PAUSE_RX, Name: "ETHTOOL_A_PAUSE_RX",
		Read: func(p *Pause, d *netlink.AttributeDecoder) { p.Receive = new(d.Uint8() != 0) }},
	{Type: unix.ETHTOOL_A_PAUSE_TX, Name: "ETHTOOL_A_PAUSE_TX",
		Read: func(p *Pause, d *netlink.AttributeDecoder) { p.Transmit = new(d.Uint8() != 0) }},
	genl.Nest(unix.ETHTOOL_A_PAUSE_STATS, "ETHTOOL_A_PAUSE_STATS", pauseStatFields...),
}

var pauseStatFields = []genl.Field[Pause]{
	{Type: unix.ETHTOOL_A_PAUSE_STAT_TX_FRAMES, Name: "ETHTOOL_A_PAUSE_STAT_TX_FRAMES",
		Read: func(p *Pause, d *netlink.AttributeDecoder) { p.TransmittedFrames = new(d.Uint64()) }},
	{Type: unix.ETHTOOL_A_PAUSE_STAT_RX_FRAMES, Name: "ETHTOOL_A_PAUSE_STAT_RX_FRAMES",
		Read: func(p *Pause, d *netlink.AttributeDecoder) { p.ReceivedFrames = new(d.Uint64()) }},
	{Type: pauseStatStorms, Name: "ETHTOOL_A_PAUSE_STAT_TX_PAUSE_STORM_EVENTS",
		Read: func(p *Pause, d *netlink.AttributeDecoder) { p.Storms = new(d.Uint64()) }},
}
