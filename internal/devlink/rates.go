package devlink

import (
	"context"

	"github.com/dpu-exporter/dpu-exporter/internal/genl"
	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// Rate is what a function may send (devlink-rate(8)): a leaf is that of a port's
// function, a node that of a group.
type Rate struct {
	Handle
	Port   *uint32 // index of a leaf's port
	Node   string  // name of a node
	Parent string  // the node it is in; "" for none
	Share  uint64  // bytes per second that are promised; 0: none
	Max    uint64  // bytes per second; 0: no limit
}

// Rates lists the rates of a device (DEVLINK_CMD_RATE_GET). No privilege is needed.
func (c *Conn) Rates(ctx context.Context, h Handle) ([]Rate, error) {
	return listOf(ctx, c, "rates", unix.DEVLINK_CMD_RATE_GET, h, rateFields, func(r *Rate) Handle { return r.Handle })
}

var rateFields = about(func(r *Rate) *Handle { return &r.Handle },
	genl.Field[Rate]{Type: unix.DEVLINK_ATTR_PORT_INDEX, Name: "DEVLINK_ATTR_PORT_INDEX",
		Read: func(r *Rate, d *netlink.AttributeDecoder) { r.Port = new(d.Uint32()) }},
	genl.Field[Rate]{Type: unix.DEVLINK_ATTR_RATE_NODE_NAME, Name: "DEVLINK_ATTR_RATE_NODE_NAME",
		Read: func(r *Rate, d *netlink.AttributeDecoder) { r.Node = d.String() }},
	genl.Field[Rate]{Type: unix.DEVLINK_ATTR_RATE_PARENT_NODE_NAME, Name: "DEVLINK_ATTR_RATE_PARENT_NODE_NAME",
		Read: func(r *Rate, d *netlink.AttributeDecoder) { r.Parent = d.String() }},
	genl.Field[Rate]{Type: unix.DEVLINK_ATTR_RATE_TX_SHARE, Name: "DEVLINK_ATTR_RATE_TX_SHARE",
		Read: func(r *Rate, d *netlink.AttributeDecoder) { r.Share = d.Uint64() }},
	genl.Field[Rate]{Type: unix.DEVLINK_ATTR_RATE_TX_MAX, Name: "DEVLINK_ATTR_RATE_TX_MAX",
		Read: func(r *Rate, d *netlink.AttributeDecoder) { r.Max = d.Uint64() }},
)
