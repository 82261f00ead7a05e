package devlink

import (
	"context"
	"fmt"

	"github.com/dpu-exporter/dpu-exporter/internal/genl"
	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// Reporter is one health reporter of a device or of one of its ports
// (devlink-health(8)). What the kernel did not send is nil.
type Reporter struct {
	Handle
	Port       *uint32 // index of the port that it is of; nil: of the device
	Name       string  // fw, fw_fatal, tx, rx, vnic…
	Healthy    *bool
	Errors     *uint64
	Recoveries *uint64
}

// Reporters lists the reporters of a device and of its ports
// (DEVLINK_CMD_HEALTH_REPORTER_GET). No privilege is needed.
func (c *Conn) Reporters(ctx context.Context, h Handle) ([]Reporter, error) {
	return listOf(ctx, c, "health", unix.DEVLINK_CMD_HEALTH_REPORTER_GET, h, reporterFields, func(r *Reporter) Handle { return r.Handle })
}

var reporterFields = about(func(r *Reporter) *Handle { return &r.Handle },
	genl.Field[Reporter]{Type: unix.DEVLINK_ATTR_PORT_INDEX, Name: "DEVLINK_ATTR_PORT_INDEX",
		Read: func(r *Reporter, d *netlink.AttributeDecoder) { r.Port = new(d.Uint32()) }},
	genl.Nest(unix.DEVLINK_ATTR_HEALTH_REPORTER, "DEVLINK_ATTR_HEALTH_REPORTER", reporterNest...),
)

var reporterNest = []genl.Field[Reporter]{
	{Type: unix.DEVLINK_ATTR_HEALTH_REPORTER_NAME, Name: "DEVLINK_ATTR_HEALTH_REPORTER_NAME", Required: true,
		Read: func(r *Reporter, d *netlink.AttributeDecoder) { r.Name = d.String() }},
	// enum devlink_health_reporter_state, include/net/devlink.h
	{Type: unix.DEVLINK_ATTR_HEALTH_REPORTER_STATE, Name: "DEVLINK_ATTR_HEALTH_REPORTER_STATE",
		Read: func(r *Reporter, d *netlink.AttributeDecoder) { r.Healthy = new(d.Uint8() == 0) }},
	{Type: unix.DEVLINK_ATTR_HEALTH_REPORTER_ERR_COUNT, Name: "DEVLINK_ATTR_HEALTH_REPORTER_ERR_COUNT",
		Read: func(r *Reporter, d *netlink.AttributeDecoder) { r.Errors = new(d.Uint64()) }},
	{Type: unix.DEVLINK_ATTR_HEALTH_REPORTER_RECOVER_COUNT, Name: "DEVLINK_ATTR_HEALTH_REPORTER_RECOVER_COUNT",
		Read: func(r *Reporter, d *netlink.AttributeDecoder) { r.Recoveries = new(d.Uint64()) }},
}

// Finding is one number of a diagnosis.
type Finding struct {
	Name  string // the last name before the number: comp_eq_overrun
	Value uint64
}

// Diagnose asks a reporter of a device, or of one of its ports, what it sees now
// (DEVLINK_CMD_HEALTH_REPORTER_DIAGNOSE) and returns its numbers in order; what
// is no number is left out. It needs CAP_NET_ADMIN, and the driver asks the
// firmware.
func (c *Conn) Diagnose(ctx context.Context, h Handle, port *uint32, reporter string) ([]Finding, error) {
	var f findings
	request, err := encodeQuestion(h, port, reporter)
	if err == nil {
		var parts [][]byte
		parts, err = c.family.DoAll(ctx, unix.DEVLINK_CMD_HEALTH_REPORTER_DIAGNOSE, request)
		for _, part := range parts {
			if err == nil {
				err = genl.Decode(&f, part, messageFields)
			}
		}
	}
	if err != nil {
		return f.found, fmt.Errorf("devlink health %s of %s: %w", reporter, h, err)
	}
	return f.found, nil
}

// findings reads a formatted message (devlink_fmsg): a flat run of names, types
// and values with marks between them that only matter for its looks.
type findings struct {
	name  string
	kind  uint8
	found []Finding
}

var messageFields = []genl.Field[findings]{genl.Nest(unix.DEVLINK_ATTR_FMSG, "DEVLINK_ATTR_FMSG", messageNest...)}

var messageNest = []genl.Field[findings]{
	{Type: unix.DEVLINK_ATTR_FMSG_OBJ_NAME, Name: "DEVLINK_ATTR_FMSG_OBJ_NAME",
		Read: func(f *findings, d *netlink.AttributeDecoder) { f.name = d.String() }},
	{Type: unix.DEVLINK_ATTR_FMSG_OBJ_VALUE_TYPE, Name: "DEVLINK_ATTR_FMSG_OBJ_VALUE_TYPE",
		Read: func(f *findings, d *netlink.AttributeDecoder) { f.kind = d.Uint8() }},
	{Type: unix.DEVLINK_ATTR_FMSG_OBJ_VALUE_DATA, Name: "DEVLINK_ATTR_FMSG_OBJ_VALUE_DATA",
		Read: func(f *findings, d *netlink.AttributeDecoder) { f.add(d) }},
}

// The kinds of number (enum devlink_var_attr_type; NLA_* before it had a name).
const (
	kindU8     = 1
	kindU16    = 2
	kindU32    = 3
	kindU64    = 4
	kindString = 5
	kindFlag   = 6
)

// add takes a number; a name that was used stands no more.
func (f *findings) add(d *netlink.AttributeDecoder) {
	var value uint64
	switch f.kind {
	case kindU8:
		value = uint64(d.Uint8())
	case kindU32:
		value = uint64(d.Uint32())
	case kindU64:
		value = d.Uint64()
	default:
		return
	}
	if f.name != "" {
		f.found = append(f.found, Finding{f.name, value})
	}
	f.name = ""
}
