package ethtool

import (
	"context"

	"github.com/dpu-exporter/dpu-exporter/internal/genl"
	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// LinkState is the link and, where the driver tells, why it is down
// (ETHTOOL_MSG_LINKSTATE_GET). What the driver does not tell is nil or "".
type LinkState struct {
	Link      *bool
	Reason    string  // ETHTOOL_A_LINKSTATE_EXT_STATE in ethtool(8)'s words; "" while the link is up
	Detail    string  // ETHTOOL_A_LINKSTATE_EXT_SUBSTATE
	DownCount *uint32 // ETHTOOL_A_LINKSTATE_EXT_DOWN_CNT: times the physical link went down; kernel 6.1 and newer
}

// LinkState reads one device. No privilege is needed.
func (c *Conn) LinkState(ctx context.Context, index int) (LinkState, error) {
	var r linkStateReply
	if err := ask(ctx, c, question{what: "link state", command: unix.ETHTOOL_MSG_LINKSTATE_GET}, index, &r, linkStateFields); err != nil {
		return LinkState{}, err
	}
	return r.LinkState, nil
}

// linkStateReply holds the state for its substate, which comes after it and
// means another thing with each.
type linkStateReply struct {
	LinkState
	state uint8
}

var linkStateFields = []genl.Field[linkStateReply]{
	{Type: unix.ETHTOOL_A_LINKSTATE_LINK, Name: "ETHTOOL_A_LINKSTATE_LINK",
		Read: func(s *linkStateReply, d *netlink.AttributeDecoder) { s.Link = new(d.Uint8() != 0) }},
	{Type: unix.ETHTOOL_A_LINKSTATE_EXT_STATE, Name: "ETHTOOL_A_LINKSTATE_EXT_STATE",
		Read: func(s *linkStateReply, d *netlink.AttributeDecoder) {
			s.state = d.Uint8()
			s.Reason = wordOf(linkReasons, s.state)
		}},
	{Type: unix.ETHTOOL_A_LINKSTATE_EXT_SUBSTATE, Name: "ETHTOOL_A_LINKSTATE_EXT_SUBSTATE",
		Read: func(s *linkStateReply, d *netlink.AttributeDecoder) {
			s.Detail = wordOf(linkDetails[s.state], d.Uint8())
		}},
	{Type: unix.ETHTOOL_A_LINKSTATE_EXT_DOWN_CNT, Name: "ETHTOOL_A_LINKSTATE_EXT_DOWN_CNT",
		Read: func(s *linkStateReply, d *netlink.AttributeDecoder) { s.DownCount = new(d.Uint32()) }},
}
