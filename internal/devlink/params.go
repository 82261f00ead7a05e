package devlink

import (
	"context"
	"strconv"

	"github.com/dpu-exporter/dpu-exporter/internal/genl"
	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// Param is a device's parameter with its values (devlink-dev(8), "param").
type Param struct {
	Handle
	Name   string
	Values []ParamValue
}

// ParamValue is the value of a parameter in one configuration mode.
type ParamValue struct {
	Mode  string // runtime, driverinit (after a reload), permanent (after a reset)
	Value string // true, false, a decimal number or the string
}

var paramModes = []string{"runtime", "driverinit", "permanent"}

// Params lists the parameters of a device (DEVLINK_CMD_PARAM_GET). No privilege
// is needed.
func (c *Conn) Params(ctx context.Context, h Handle) ([]Param, error) {
	replies, err := listOf(ctx, c, "parameters", unix.DEVLINK_CMD_PARAM_GET, h, paramFields, func(p *paramReply) Handle { return p.Handle })
	params := make([]Param, len(replies))
	for i := range replies {
		params[i] = replies[i].Param
	}
	return params, err
}

// paramReply holds the type of the values, which comes before them.
type paramReply struct {
	Param
	kind uint8
}

var paramFields = about(func(p *paramReply) *Handle { return &p.Handle },
	genl.Nest(unix.DEVLINK_ATTR_PARAM, "DEVLINK_ATTR_PARAM", []genl.Field[paramReply]{
		{Type: unix.DEVLINK_ATTR_PARAM_NAME, Name: "DEVLINK_ATTR_PARAM_NAME", Required: true,
			Read: func(p *paramReply, d *netlink.AttributeDecoder) { p.Name = d.String() }},
		{Type: unix.DEVLINK_ATTR_PARAM_TYPE, Name: "DEVLINK_ATTR_PARAM_TYPE",
			Read: func(p *paramReply, d *netlink.AttributeDecoder) { p.kind = d.Uint8() }},
		genl.Nest(unix.DEVLINK_ATTR_PARAM_VALUES_LIST, "DEVLINK_ATTR_PARAM_VALUES_LIST",
			genl.Field[paramReply]{Type: unix.DEVLINK_ATTR_PARAM_VALUE, Name: "DEVLINK_ATTR_PARAM_VALUE", Read: readParamValue}),
	}...))

// openValue is a value that is being read: its kind decides how.
type openValue struct {
	ParamValue
	kind    uint8
	present bool // the data came
}

// readParamValue reads one value. One of an unknown kind is left out; false is
// told by the absence of a flag.
func readParamValue(p *paramReply, d *netlink.AttributeDecoder) {
	v := openValue{kind: p.kind}
	d.Nested(func(nest *netlink.AttributeDecoder) error { return genl.DecodeFrom(&v, nest, paramValueFields) })
	if v.kind == kindFlag {
		v.Value = strconv.FormatBool(v.present)
	}
	if v.Mode != "" && (v.present || v.kind == kindFlag) {
		p.Values = append(p.Values, v.ParamValue)
	}
}

var paramValueFields = []genl.Field[openValue]{
	{Type: unix.DEVLINK_ATTR_PARAM_VALUE_CMODE, Name: "DEVLINK_ATTR_PARAM_VALUE_CMODE",
		Read: func(v *openValue, d *netlink.AttributeDecoder) { v.Mode = word(paramModes, uint16(d.Uint8()), "mode") }},
	{Type: unix.DEVLINK_ATTR_PARAM_VALUE_DATA, Name: "DEVLINK_ATTR_PARAM_VALUE_DATA",
		Read: func(v *openValue, d *netlink.AttributeDecoder) {
			v.present = true
			switch v.kind {
			case kindU8:
				v.Value = strconv.FormatUint(uint64(d.Uint8()), 10)
			case kindU16:
				v.Value = strconv.FormatUint(uint64(d.Uint16()), 10)
			case kindU32:
				v.Value = strconv.FormatUint(uint64(d.Uint32()), 10)
			case kindU64:
				v.Value = strconv.FormatUint(d.Uint64(), 10)
			case kindString, nlaString:
				v.Value = d.String()
			default:
				v.present = v.kind == kindFlag
			}
		}},
}

// nlaString is NLA_NUL_STRING, what kernels before 6.18 call a string.
const nlaString = 10
