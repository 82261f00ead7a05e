package devlink

import (
	"context"
	"fmt"

	"github.com/dpu-exporter/dpu-exporter/internal/genl"
	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// Info is what a device says of itself (devlink-dev(8), "info").
type Info struct {
	Driver   string
	Versions []Version
}

// Version is one of what a device consists of or runs.
type Version struct {
	Type  string // fixed (of the board), running, or stored (what runs after a reset)
	Name  string // fw, fw.psid, board.id… (Documentation/networking/devlink/devlink-info.rst)
	Value string
}

// Info reads one device (DEVLINK_CMD_INFO_GET); its driver may ask the firmware.
// One without answers EOPNOTSUPP. No privilege is needed.
func (c *Conn) Info(ctx context.Context, h Handle) (Info, error) {
	var info Info
	reply, err := c.do(ctx, unix.DEVLINK_CMD_INFO_GET, h, nil, "")
	if err == nil {
		err = genl.Decode(&info, reply, infoFields)
	}
	if err != nil {
		return info, fmt.Errorf("devlink info of %s: %w", h, err)
	}
	return info, nil
}

var infoFields = []genl.Field[Info]{
	{Type: unix.DEVLINK_ATTR_INFO_DRIVER_NAME, Name: "DEVLINK_ATTR_INFO_DRIVER_NAME",
		Read: func(i *Info, d *netlink.AttributeDecoder) { i.Driver = d.String() }},
	versionField(unix.DEVLINK_ATTR_INFO_VERSION_FIXED, "DEVLINK_ATTR_INFO_VERSION_FIXED", "fixed"),
	versionField(unix.DEVLINK_ATTR_INFO_VERSION_RUNNING, "DEVLINK_ATTR_INFO_VERSION_RUNNING", "running"),
	versionField(unix.DEVLINK_ATTR_INFO_VERSION_STORED, "DEVLINK_ATTR_INFO_VERSION_STORED", "stored"),
}

func versionField(kind uint16, name, of string) genl.Field[Info] {
	return genl.Field[Info]{Type: kind, Name: name, Read: func(i *Info, d *netlink.AttributeDecoder) {
		v := Version{Type: of}
		d.Nested(func(nest *netlink.AttributeDecoder) error { return genl.DecodeFrom(&v, nest, versionFields) })
		i.Versions = append(i.Versions, v)
	}}
}

var versionFields = []genl.Field[Version]{
	{Type: unix.DEVLINK_ATTR_INFO_VERSION_NAME, Name: "DEVLINK_ATTR_INFO_VERSION_NAME", Required: true,
		Read: func(v *Version, d *netlink.AttributeDecoder) { v.Name = d.String() }},
	{Type: unix.DEVLINK_ATTR_INFO_VERSION_VALUE, Name: "DEVLINK_ATTR_INFO_VERSION_VALUE", Required: true,
		Read: func(v *Version, d *netlink.AttributeDecoder) { v.Value = d.String() }},
}
