package devlink

import (
	"math"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/internal/genl/genltest"
	"github.com/google/go-cmp/cmp"
	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// answering is a kernel whose answer has a message for each fill.
func answering(t *testing.T, fills ...func(*netlink.AttributeEncoder)) *Conn {
	t.Helper()
	var messages [][]byte
	for _, fill := range fills {
		e := netlink.NewAttributeEncoder()
		fill(e)
		attributes, err := e.Encode()
		if err != nil {
			t.Fatal(err)
		}
		messages = append(messages, append([]byte{1, 1, 0, 0}, attributes...))
	}
	return scripted(t, func(genltest.Request) genltest.Reply { return genltest.Reply{Messages: messages} })
}

func of(e *netlink.AttributeEncoder, h Handle) {
	e.String(unix.DEVLINK_ATTR_BUS_NAME, h.Bus)
	e.String(unix.DEVLINK_ATTR_DEV_NAME, h.Device)
}

func nest(e *netlink.AttributeEncoder, kind uint16, fill func(*netlink.AttributeEncoder)) {
	e.Nested(kind, func(inner *netlink.AttributeEncoder) error { fill(inner); return nil })
}

func equal[T any](t *testing.T, want, have T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
}

func TestInfoKeepsTheThreeKindsOfVersionsApart(t *testing.T) {
	version := func(e *netlink.AttributeEncoder, kind uint16, name, value string) {
		nest(e, kind, func(v *netlink.AttributeEncoder) {
			v.String(unix.DEVLINK_ATTR_INFO_VERSION_NAME, name)
			v.String(unix.DEVLINK_ATTR_INFO_VERSION_VALUE, value)
		})
	}
	c := answering(t, func(e *netlink.AttributeEncoder) {
		of(e, dpu)
		e.String(unix.DEVLINK_ATTR_INFO_DRIVER_NAME, "mlx5_core")
		e.String(unix.DEVLINK_ATTR_INFO_SERIAL_NUMBER, "S")
		version(e, unix.DEVLINK_ATTR_INFO_VERSION_FIXED, "fw.psid", "MT_1")
		version(e, unix.DEVLINK_ATTR_INFO_VERSION_RUNNING, "fw", "28.39.1002")
		version(e, unix.DEVLINK_ATTR_INFO_VERSION_STORED, "fw", "28.41.1000")
	})
	have, err := c.Info(t.Context(), dpu)
	equal(t, Info{Driver: "mlx5_core", Versions: []Version{
		{"fixed", "fw.psid", "MT_1"}, {"running", "fw", "28.39.1002"}, {"stored", "fw", "28.41.1000"},
	}}, have, err)
}

func TestEswitchSettings(t *testing.T) {
	c := answering(t, func(e *netlink.AttributeEncoder) {
		of(e, dpu)
		e.Uint16(unix.DEVLINK_ATTR_ESWITCH_MODE, 1)
		e.Uint8(unix.DEVLINK_ATTR_ESWITCH_INLINE_MODE, 3)
		e.Uint8(unix.DEVLINK_ATTR_ESWITCH_ENCAP_MODE, 1)
	})
	have, err := c.EswitchSettings(t.Context(), dpu)
	equal(t, EswitchSettings{Mode: Switchdev, Inline: "transport", Encap: "basic"}, have, err)
}

func TestPortFunction(t *testing.T) {
	c := answering(t, func(e *netlink.AttributeEncoder) {
		of(e, dpu)
		e.Uint32(unix.DEVLINK_ATTR_PORT_INDEX, 7)
		nest(e, unix.DEVLINK_ATTR_PORT_FUNCTION, func(f *netlink.AttributeEncoder) {
			f.Uint8(unix.DEVLINK_PORT_FN_ATTR_STATE, 1)
			f.Uint8(unix.DEVLINK_PORT_FN_ATTR_OPSTATE, 0)
		})
	})
	have, err := c.Port(t.Context(), dpu, 7)
	equal(t, Port{Handle: dpu, Index: 7, FunctionState: new(uint8(1)), FunctionOperState: new(uint8(0))}, have, err)
}

// Entries of another device, as kernels before 6.5 send them, are left out.
func TestReporters(t *testing.T) {
	reporter := func(h Handle, port *uint32, name string, state uint8) func(*netlink.AttributeEncoder) {
		return func(e *netlink.AttributeEncoder) {
			of(e, h)
			if port != nil {
				e.Uint32(unix.DEVLINK_ATTR_PORT_INDEX, *port)
			}
			nest(e, unix.DEVLINK_ATTR_HEALTH_REPORTER, func(r *netlink.AttributeEncoder) {
				r.String(unix.DEVLINK_ATTR_HEALTH_REPORTER_NAME, name)
				r.Uint8(unix.DEVLINK_ATTR_HEALTH_REPORTER_STATE, state)
				r.Uint64(unix.DEVLINK_ATTR_HEALTH_REPORTER_ERR_COUNT, 3)
			})
		}
	}
	c := answering(t, reporter(dpu, nil, "fw", 1), reporter(simulated, nil, "dummy", 0), reporter(dpu, new(uint32(2)), "tx", 0))
	have, err := c.Reporters(t.Context(), dpu)
	equal(t, []Reporter{
		{Handle: dpu, Name: "fw", Healthy: new(false), Errors: new(uint64(3))},
		{Handle: dpu, Port: new(uint32(2)), Name: "tx", Healthy: new(true), Errors: new(uint64(3))},
	}, have, err)
}

// A diagnosis comes in several messages, marks and words between its numbers.
func TestDiagnose(t *testing.T) {
	number := func(e *netlink.AttributeEncoder, name string, kind uint8, put func()) {
		e.Flag(unix.DEVLINK_ATTR_FMSG_PAIR_NEST_START, true)
		e.String(unix.DEVLINK_ATTR_FMSG_OBJ_NAME, name)
		e.Uint8(unix.DEVLINK_ATTR_FMSG_OBJ_VALUE_TYPE, kind)
		put()
		e.Flag(unix.DEVLINK_ATTR_FMSG_NEST_END, true)
	}
	c := answering(t, func(e *netlink.AttributeEncoder) {
		nest(e, unix.DEVLINK_ATTR_FMSG, func(m *netlink.AttributeEncoder) {
			m.String(unix.DEVLINK_ATTR_FMSG_OBJ_NAME, "vNIC env counters")
			number(m, "total_error_queues", kindU64, func() { m.Uint64(unix.DEVLINK_ATTR_FMSG_OBJ_VALUE_DATA, 1<<40) })
			number(m, "name", nlaString, func() { m.String(unix.DEVLINK_ATTR_FMSG_OBJ_VALUE_DATA, "x") })
		})
	}, func(e *netlink.AttributeEncoder) {
		nest(e, unix.DEVLINK_ATTR_FMSG, func(m *netlink.AttributeEncoder) {
			number(m, "cq_overrun", kindU32, func() { m.Uint32(unix.DEVLINK_ATTR_FMSG_OBJ_VALUE_DATA, 7) })
			number(m, "small", kindU8, func() { m.Uint8(unix.DEVLINK_ATTR_FMSG_OBJ_VALUE_DATA, 5) })
		})
	})
	have, err := c.Diagnose(t.Context(), dpu, nil, "vnic")
	equal(t, []Finding{{"total_error_queues", 1 << 40}, {"cq_overrun", 7}, {"small", 5}}, have, err)
}

func TestTraps(t *testing.T) {
	c := answering(t, func(e *netlink.AttributeEncoder) {
		of(e, simulated)
		e.String(unix.DEVLINK_ATTR_TRAP_NAME, "fid_miss")
		e.String(unix.DEVLINK_ATTR_TRAP_GROUP_NAME, "l2_drops")
		e.Uint8(unix.DEVLINK_ATTR_TRAP_TYPE, 1)
		e.Uint8(unix.DEVLINK_ATTR_TRAP_ACTION, 1)
		nest(e, unix.DEVLINK_ATTR_STATS, func(s *netlink.AttributeEncoder) {
			s.Uint64(unix.DEVLINK_ATTR_STATS_RX_PACKETS, 911)
			s.Uint64(unix.DEVLINK_ATTR_STATS_RX_BYTES, 129362)
			s.Uint64(unix.DEVLINK_ATTR_STATS_RX_DROPPED, 6)
		})
	})
	have, err := c.Traps(t.Context(), simulated)
	equal(t, []Trap{{
		Handle: simulated, Name: "fid_miss", Group: "l2_drops", Type: "exception", Action: "trap",
		Packets: new(uint64(911)), Bytes: new(uint64(129362)), Dropped: new(uint64(6)),
	}}, have, err)
}

func TestResources(t *testing.T) {
	resource := func(e *netlink.AttributeEncoder, name string, size uint64, occupied *uint64, inner func(*netlink.AttributeEncoder)) {
		nest(e, unix.DEVLINK_ATTR_RESOURCE, func(r *netlink.AttributeEncoder) {
			r.String(unix.DEVLINK_ATTR_RESOURCE_NAME, name)
			r.Uint64(unix.DEVLINK_ATTR_RESOURCE_SIZE, size)
			if occupied != nil {
				r.Uint64(unix.DEVLINK_ATTR_RESOURCE_OCC, *occupied)
			}
			if inner != nil {
				nest(r, unix.DEVLINK_ATTR_RESOURCE_LIST, inner)
			}
		})
	}
	c := answering(t, func(e *netlink.AttributeEncoder) {
		of(e, simulated)
		nest(e, unix.DEVLINK_ATTR_RESOURCE_LIST, func(l *netlink.AttributeEncoder) {
			resource(l, "IPv4", math.MaxUint64, nil, func(l *netlink.AttributeEncoder) {
				resource(l, "fib", 100, new(uint64(12)), nil)
				resource(l, "fib-rules", math.MaxUint64, new(uint64(7)), nil)
			})
			resource(l, "nexthops", 5, new(uint64(0)), nil)
		})
	})
	have, err := c.Resources(t.Context(), simulated)
	equal(t, []Resource{
		{Path: "IPv4"},
		{Path: "IPv4/fib", Size: new(uint64(100)), Occupied: new(uint64(12))},
		{Path: "IPv4/fib-rules", Occupied: new(uint64(7))},
		{Path: "nexthops", Size: new(uint64(5)), Occupied: new(uint64(0))},
	}, have, err)
}

func TestRates(t *testing.T) {
	c := answering(t, func(e *netlink.AttributeEncoder) {
		of(e, simulated)
		e.Uint32(unix.DEVLINK_ATTR_PORT_INDEX, 128)
		e.Uint64(unix.DEVLINK_ATTR_RATE_TX_MAX, 125_000_000)
		e.String(unix.DEVLINK_ATTR_RATE_PARENT_NODE_NAME, "gold")
	}, func(e *netlink.AttributeEncoder) {
		of(e, simulated)
		e.String(unix.DEVLINK_ATTR_RATE_NODE_NAME, "gold")
		e.Uint64(unix.DEVLINK_ATTR_RATE_TX_SHARE, 1)
	})
	have, err := c.Rates(t.Context(), simulated)
	equal(t, []Rate{
		{Handle: simulated, Port: new(uint32(128)), Parent: "gold", Max: 125_000_000},
		{Handle: simulated, Node: "gold", Share: 1},
	}, have, err)
}

func TestParams(t *testing.T) {
	param := func(name string, kind uint8, fill func(v *netlink.AttributeEncoder)) func(*netlink.AttributeEncoder) {
		return func(e *netlink.AttributeEncoder) {
			of(e, dpu)
			nest(e, unix.DEVLINK_ATTR_PARAM, func(p *netlink.AttributeEncoder) {
				p.String(unix.DEVLINK_ATTR_PARAM_NAME, name)
				p.Uint8(unix.DEVLINK_ATTR_PARAM_TYPE, kind)
				nest(p, unix.DEVLINK_ATTR_PARAM_VALUES_LIST, func(l *netlink.AttributeEncoder) {
					nest(l, unix.DEVLINK_ATTR_PARAM_VALUE, fill)
				})
			})
		}
	}
	mode := func(v *netlink.AttributeEncoder, mode uint8) { v.Uint8(unix.DEVLINK_ATTR_PARAM_VALUE_CMODE, mode) }
	c := answering(t,
		param("flow_steering_mode", kindString, func(v *netlink.AttributeEncoder) {
			mode(v, 0)
			v.String(unix.DEVLINK_ATTR_PARAM_VALUE_DATA, "smfs")
		}),
		param("enable_roce", kindFlag, func(v *netlink.AttributeEncoder) { mode(v, 1) }),
		param("enable_eth", kindFlag, func(v *netlink.AttributeEncoder) {
			v.Flag(unix.DEVLINK_ATTR_PARAM_VALUE_DATA, true)
			mode(v, 1)
		}),
		param("max_macs", kindU32, func(v *netlink.AttributeEncoder) {
			mode(v, 2)
			v.Uint32(unix.DEVLINK_ATTR_PARAM_VALUE_DATA, 32)
		}),
		param("of a newer kind", 99, func(v *netlink.AttributeEncoder) {
			mode(v, 0)
			v.Uint32(unix.DEVLINK_ATTR_PARAM_VALUE_DATA, 1)
		}))
	have, err := c.Params(t.Context(), dpu)
	equal(t, []Param{
		{dpu, "flow_steering_mode", []ParamValue{{"runtime", "smfs"}}},
		{dpu, "enable_roce", []ParamValue{{"driverinit", "false"}}},
		{dpu, "enable_eth", []ParamValue{{"driverinit", "true"}}},
		{dpu, "max_macs", []ParamValue{{"permanent", "32"}}},
		{dpu, "of a newer kind", nil},
	}, have, err)
}
