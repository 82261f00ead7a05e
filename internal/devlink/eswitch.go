package devlink

import (
	"context"
	"fmt"

	"github.com/dpu-exporter/dpu-exporter/internal/genl"
	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// EswitchMode is enum devlink_eswitch_mode.
type EswitchMode uint16

// The modes of enum devlink_eswitch_mode.
const (
	Legacy EswitchMode = iota
	Switchdev
	SwitchdevInactive
)

// EswitchSettings are how a device's eswitch is set (devlink-dev(8)). What the
// driver does not have is "".
type EswitchSettings struct {
	Mode   EswitchMode
	Inline string // how much of a packet's headers a send queue must hold: none, link, network, transport
	Encap  string // whether it encapsulates for representors: none, basic
}

var (
	inlineModes = []string{"none", "link", "network", "transport"}
	encapModes  = []string{"none", "basic"}
)

// Eswitch returns the mode of the device's eswitch, as EswitchSettings does.
func (c *Conn) Eswitch(ctx context.Context, h Handle) (EswitchMode, error) {
	s, err := c.EswitchSettings(ctx, h)
	return s.Mode, err
}

// EswitchSettings reads one device (DEVLINK_CMD_ESWITCH_GET). The kernel asks
// for CAP_NET_ADMIN (fs.ErrPermission); a device without an eswitch answers
// EOPNOTSUPP, one that is gone ENODEV.
func (c *Conn) EswitchSettings(ctx context.Context, h Handle) (EswitchSettings, error) {
	var s EswitchSettings
	reply, err := c.do(ctx, unix.DEVLINK_CMD_ESWITCH_GET, h, nil, "")
	if err == nil {
		err = genl.Decode(&s, reply, eswitchFields)
	}
	if err != nil {
		return EswitchSettings{}, fmt.Errorf("devlink eswitch of %s: %w", h, err)
	}
	return s, nil
}

var eswitchFields = []genl.Field[EswitchSettings]{
	{Type: unix.DEVLINK_ATTR_ESWITCH_MODE, Name: "DEVLINK_ATTR_ESWITCH_MODE", Required: true,
		Read: func(s *EswitchSettings, d *netlink.AttributeDecoder) { s.Mode = EswitchMode(d.Uint16()) }},
	{Type: unix.DEVLINK_ATTR_ESWITCH_INLINE_MODE, Name: "DEVLINK_ATTR_ESWITCH_INLINE_MODE",
		Read: func(s *EswitchSettings, d *netlink.AttributeDecoder) {
			s.Inline = word(inlineModes, uint16(d.Uint8()), "mode")
		}},
	{Type: unix.DEVLINK_ATTR_ESWITCH_ENCAP_MODE, Name: "DEVLINK_ATTR_ESWITCH_ENCAP_MODE",
		Read: func(s *EswitchSettings, d *netlink.AttributeDecoder) {
			s.Encap = word(encapModes, uint16(d.Uint8()), "mode")
		}},
}
