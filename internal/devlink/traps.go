package devlink

import (
	"context"

	"github.com/dpu-exporter/dpu-exporter/internal/genl"
	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// Trap is a reason for which a device hands packets to the CPU or drops them, or
// a group of such (devlink-trap(8)). What the kernel did not send is nil or "".
type Trap struct {
	Handle
	Name   string // of a trap, "" of a group
	Group  string
	Type   string // of a trap: drop, exception, control
	Action string // of a trap: drop, trap, mirror

	Packets, Bytes *uint64 // handed to the CPU
	Dropped        *uint64 // dropped by the device
}

var (
	trapTypes   = []string{"drop", "exception", "control"}
	trapActions = []string{"drop", "trap", "mirror"}
)

// Traps lists the traps of a device (DEVLINK_CMD_TRAP_GET). No privilege is needed.
func (c *Conn) Traps(ctx context.Context, h Handle) ([]Trap, error) {
	return listOf(ctx, c, "traps", unix.DEVLINK_CMD_TRAP_GET, h, trapFields, func(t *Trap) Handle { return t.Handle })
}

// TrapGroups lists the groups of a device's traps (DEVLINK_CMD_TRAP_GROUP_GET);
// their counts are the sums of their traps'.
func (c *Conn) TrapGroups(ctx context.Context, h Handle) ([]Trap, error) {
	return listOf(ctx, c, "trap groups", unix.DEVLINK_CMD_TRAP_GROUP_GET, h, trapFields, func(t *Trap) Handle { return t.Handle })
}

var trapFields = about(func(t *Trap) *Handle { return &t.Handle },
	genl.Field[Trap]{Type: unix.DEVLINK_ATTR_TRAP_NAME, Name: "DEVLINK_ATTR_TRAP_NAME",
		Read: func(t *Trap, d *netlink.AttributeDecoder) { t.Name = d.String() }},
	genl.Field[Trap]{Type: unix.DEVLINK_ATTR_TRAP_GROUP_NAME, Name: "DEVLINK_ATTR_TRAP_GROUP_NAME",
		Read: func(t *Trap, d *netlink.AttributeDecoder) { t.Group = d.String() }},
	genl.Field[Trap]{Type: unix.DEVLINK_ATTR_TRAP_TYPE, Name: "DEVLINK_ATTR_TRAP_TYPE",
		Read: func(t *Trap, d *netlink.AttributeDecoder) { t.Type = word(trapTypes, uint16(d.Uint8()), "type") }},
	genl.Field[Trap]{Type: unix.DEVLINK_ATTR_TRAP_ACTION, Name: "DEVLINK_ATTR_TRAP_ACTION",
		Read: func(t *Trap, d *netlink.AttributeDecoder) { t.Action = word(trapActions, uint16(d.Uint8()), "action") }},
	genl.Nest(unix.DEVLINK_ATTR_STATS, "DEVLINK_ATTR_STATS", trapStats...),
)

var trapStats = []genl.Field[Trap]{
	{Type: unix.DEVLINK_ATTR_STATS_RX_PACKETS, Name: "DEVLINK_ATTR_STATS_RX_PACKETS",
		Read: func(t *Trap, d *netlink.AttributeDecoder) { t.Packets = new(d.Uint64()) }},
	{Type: unix.DEVLINK_ATTR_STATS_RX_BYTES, Name: "DEVLINK_ATTR_STATS_RX_BYTES",
		Read: func(t *Trap, d *netlink.AttributeDecoder) { t.Bytes = new(d.Uint64()) }},
	{Type: unix.DEVLINK_ATTR_STATS_RX_DROPPED, Name: "DEVLINK_ATTR_STATS_RX_DROPPED",
		Read: func(t *Trap, d *netlink.AttributeDecoder) { t.Dropped = new(d.Uint64()) }},
}
