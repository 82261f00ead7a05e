package devlink

import (
	"fmt"

	"github.com/dpu-exporter/dpu-exporter/internal/genl"
	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// The widths of the numbers are those of net/devlink/port.c.
var portFields = []genl.Field[Port]{
	{Type: unix.DEVLINK_ATTR_BUS_NAME, Name: "DEVLINK_ATTR_BUS_NAME", Required: true,
		Read: func(p *Port, d *netlink.AttributeDecoder) { p.Bus = d.String() }},
	{Type: unix.DEVLINK_ATTR_DEV_NAME, Name: "DEVLINK_ATTR_DEV_NAME", Required: true,
		Read: func(p *Port, d *netlink.AttributeDecoder) { p.Device = d.String() }},
	{Type: unix.DEVLINK_ATTR_PORT_INDEX, Name: "DEVLINK_ATTR_PORT_INDEX", Required: true,
		Read: func(p *Port, d *netlink.AttributeDecoder) { p.Index = d.Uint32() }},
	{Type: unix.DEVLINK_ATTR_PORT_NETDEV_IFINDEX, Name: "DEVLINK_ATTR_PORT_NETDEV_IFINDEX",
		Read: func(p *Port, d *netlink.AttributeDecoder) { p.NetdevIndex = int(d.Uint32()) }},
	{Type: unix.DEVLINK_ATTR_PORT_NETDEV_NAME, Name: "DEVLINK_ATTR_PORT_NETDEV_NAME",
		Read: func(p *Port, d *netlink.AttributeDecoder) { p.NetdevName = d.String() }},
	{Type: unix.DEVLINK_ATTR_PORT_IBDEV_NAME, Name: "DEVLINK_ATTR_PORT_IBDEV_NAME",
		Read: func(p *Port, d *netlink.AttributeDecoder) { p.RDMADevice = d.String() }},
	{Type: unix.DEVLINK_ATTR_PORT_FLAVOUR, Name: "DEVLINK_ATTR_PORT_FLAVOUR",
		Read: func(p *Port, d *netlink.AttributeDecoder) { p.Flavour = new(Flavour(d.Uint16())) }},
	{Type: unix.DEVLINK_ATTR_PORT_NUMBER, Name: "DEVLINK_ATTR_PORT_NUMBER",
		Read: func(p *Port, d *netlink.AttributeDecoder) { p.Number = new(d.Uint32()) }},
	{Type: unix.DEVLINK_ATTR_PORT_SPLIT_SUBPORT_NUMBER, Name: "DEVLINK_ATTR_PORT_SPLIT_SUBPORT_NUMBER",
		Read: func(p *Port, d *netlink.AttributeDecoder) { p.Subport = new(d.Uint32()) }},
	{Type: unix.DEVLINK_ATTR_PORT_CONTROLLER_NUMBER, Name: "DEVLINK_ATTR_PORT_CONTROLLER_NUMBER",
		Read: func(p *Port, d *netlink.AttributeDecoder) { p.Controller = new(d.Uint32()) }},
	{Type: unix.DEVLINK_ATTR_PORT_PCI_PF_NUMBER, Name: "DEVLINK_ATTR_PORT_PCI_PF_NUMBER",
		Read: func(p *Port, d *netlink.AttributeDecoder) { p.PF = new(uint32(d.Uint16())) }},
	{Type: unix.DEVLINK_ATTR_PORT_PCI_VF_NUMBER, Name: "DEVLINK_ATTR_PORT_PCI_VF_NUMBER",
		Read: func(p *Port, d *netlink.AttributeDecoder) { p.VF = new(uint32(d.Uint16())) }},
	{Type: unix.DEVLINK_ATTR_PORT_PCI_SF_NUMBER, Name: "DEVLINK_ATTR_PORT_PCI_SF_NUMBER",
		Read: func(p *Port, d *netlink.AttributeDecoder) { p.SF = new(d.Uint32()) }},
	genl.Nest(unix.DEVLINK_ATTR_PORT_FUNCTION, "DEVLINK_ATTR_PORT_FUNCTION", functionFields...),
	{Type: unix.DEVLINK_ATTR_PORT_EXTERNAL, Name: "DEVLINK_ATTR_PORT_EXTERNAL",
		Read: func(p *Port, d *netlink.AttributeDecoder) { p.External = new(d.Uint8() != 0) }},
}

var functionFields = []genl.Field[Port]{
	{Type: unix.DEVLINK_PORT_FN_ATTR_STATE, Name: "DEVLINK_PORT_FN_ATTR_STATE",
		Read: func(p *Port, d *netlink.AttributeDecoder) { p.FunctionState = new(d.Uint8()) }},
	{Type: unix.DEVLINK_PORT_FN_ATTR_OPSTATE, Name: "DEVLINK_PORT_FN_ATTR_OPSTATE",
		Read: func(p *Port, d *netlink.AttributeDecoder) { p.FunctionOperState = new(d.Uint8()) }},
}

func decodePort(attributes []byte) (Port, error) {
	var p Port
	if err := genl.Decode(&p, attributes, portFields); err != nil {
		return Port{}, fmt.Errorf("port %s/%d: %w", p.Handle, p.Index, err)
	}
	return p, nil
}

var handleFields = []genl.Field[Handle]{
	{Type: unix.DEVLINK_ATTR_BUS_NAME, Name: "DEVLINK_ATTR_BUS_NAME", Required: true,
		Read: func(h *Handle, d *netlink.AttributeDecoder) { h.Bus = d.String() }},
	{Type: unix.DEVLINK_ATTR_DEV_NAME, Name: "DEVLINK_ATTR_DEV_NAME", Required: true,
		Read: func(h *Handle, d *netlink.AttributeDecoder) { h.Device = d.String() }},
}

func decodeHandle(attributes []byte) (Handle, error) {
	var h Handle
	if err := genl.Decode(&h, attributes, handleFields); err != nil {
		return Handle{}, fmt.Errorf("device %s: %w", h, err)
	}
	return h, nil
}

func encodeHandle(h Handle) ([]byte, error) { return encodeQuestion(h, nil, "") }

// encodeQuestion names a device, one of its ports unless that is nil, and one of
// their health reporters unless it is "".
func encodeQuestion(h Handle, port *uint32, reporter string) ([]byte, error) {
	e := netlink.NewAttributeEncoder()
	e.String(unix.DEVLINK_ATTR_BUS_NAME, h.Bus)
	e.String(unix.DEVLINK_ATTR_DEV_NAME, h.Device)
	if port != nil {
		e.Uint32(unix.DEVLINK_ATTR_PORT_INDEX, *port)
	}
	if reporter != "" {
		e.String(unix.DEVLINK_ATTR_HEALTH_REPORTER_NAME, reporter)
	}
	return e.Encode()
}

// about are the fields that say what an entry is about.
func about[T any](handle func(*T) *Handle, more ...genl.Field[T]) []genl.Field[T] {
	return append([]genl.Field[T]{
		{Type: unix.DEVLINK_ATTR_BUS_NAME, Name: "DEVLINK_ATTR_BUS_NAME", Required: true,
			Read: func(v *T, d *netlink.AttributeDecoder) { handle(v).Bus = d.String() }},
		{Type: unix.DEVLINK_ATTR_DEV_NAME, Name: "DEVLINK_ATTR_DEV_NAME", Required: true,
			Read: func(v *T, d *netlink.AttributeDecoder) { handle(v).Device = d.String() }},
	}, more...)
}
