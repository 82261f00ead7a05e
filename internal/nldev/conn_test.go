package nldev

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// script answers a question of one type with what a test wrote down.
type script struct {
	t       *testing.T
	command uint16
	dump    bool
	fills   []func(*netlink.AttributeEncoder)
	err     error
}

func (s *script) Execute(m netlink.Message) ([]netlink.Message, error) {
	if m.Header.Type != netlink.HeaderType(client|s.command) || (m.Header.Flags&netlink.Dump == netlink.Dump) != s.dump {
		s.t.Errorf("asked with type %#x, flags %v", m.Header.Type, m.Header.Flags)
	}
	var answers []netlink.Message
	for _, fill := range s.fills {
		e := netlink.NewAttributeEncoder()
		fill(e)
		b, err := e.Encode()
		if err != nil {
			s.t.Fatal(err)
		}
		answers = append(answers, netlink.Message{Data: b})
	}
	return answers, s.err
}

func (s *script) Close() error { return nil }

func answering(t *testing.T, command uint16, dump bool, fills ...func(*netlink.AttributeEncoder)) *Conn {
	return &Conn{socket: &script{t: t, command: command, dump: dump, fills: fills}}
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

func TestDevices(t *testing.T) {
	c := answering(t, cmdDevices, true, func(e *netlink.AttributeEncoder) {
		e.Uint32(attrDeviceIndex, 3)
		e.String(attrDeviceName, "mlx5_0")
		e.Uint32(attrPort, 2)
		e.String(attrFirmware, "32.39.1002")
		e.String(attrProtocol, "roce")
		e.Uint64(999, 1) // of a newer kernel
	}, func(e *netlink.AttributeEncoder) {
		e.Uint32(attrDeviceIndex, 4)
		e.String(attrDeviceName, "rxe0")
	})
	have, err := c.Devices(t.Context())
	equal(t, []Device{{3, "mlx5_0", 2, "32.39.1002", "roce"}, {Index: 4, Name: "rxe0"}}, have, err)
}

func TestNetdev(t *testing.T) {
	c := answering(t, cmdPorts, false, func(e *netlink.AttributeEncoder) { e.Uint32(attrNetdevIndex, 7) })
	have, err := c.Netdev(t.Context(), 3, 1)
	equal(t, 7, have, err)
	c = answering(t, cmdPorts, false, func(*netlink.AttributeEncoder) {})
	have, err = c.Netdev(t.Context(), 3, 1)
	equal(t, 0, have, err)
}

func TestResources(t *testing.T) {
	entry := func(e *netlink.AttributeEncoder, name string, value uint64) {
		nest(e, attrSummaryEntry, func(e *netlink.AttributeEncoder) {
			e.String(attrSummaryName, name)
			e.Uint64(attrSummaryValue, value)
		})
	}
	c := answering(t, cmdResources, false, func(e *netlink.AttributeEncoder) {
		nest(e, attrSummary, func(e *netlink.AttributeEncoder) { entry(e, "pd", 1); entry(e, "qp", 0) })
	})
	have, err := c.Resources(t.Context(), 3)
	equal(t, []Named{{"pd", 1}, {"qp", 0}}, have, err)
}

func counter(e *netlink.AttributeEncoder, name string, more func(*netlink.AttributeEncoder)) {
	nest(e, attrCounter, func(e *netlink.AttributeEncoder) {
		e.String(attrCounterName, name)
		more(e)
	})
}

func TestStatistics(t *testing.T) {
	c := answering(t, cmdStatistics, false, func(e *netlink.AttributeEncoder) {
		nest(e, attrCounters, func(e *netlink.AttributeEncoder) {
			counter(e, "out_of_sequence", func(e *netlink.AttributeEncoder) { e.Uint64(attrCounterSum, 4) })
			counter(e, "np_cnp_sent", func(e *netlink.AttributeEncoder) { e.Uint64(attrCounterSum, 1<<40) })
		})
	})
	have, err := c.Statistics(t.Context(), 3, 1)
	equal(t, []Named{{"out_of_sequence", 4}, {"np_cnp_sent", 1 << 40}}, have, err)
}

func TestOptionalCounters(t *testing.T) {
	c := answering(t, cmdOptionalList, false, func(e *netlink.AttributeEncoder) {
		nest(e, attrCounters, func(e *netlink.AttributeEncoder) {
			counter(e, "out_of_sequence", func(*netlink.AttributeEncoder) {})
			counter(e, "cc_rx_ce_pkts", func(e *netlink.AttributeEncoder) { e.Uint8(attrDynamic, 0) })
			counter(e, "rdma_rx_bytes", func(e *netlink.AttributeEncoder) { e.Uint8(attrDynamic, 1) })
		})
	})
	have, err := c.OptionalCounters(t.Context(), 3, 1)
	equal(t, []Optional{{"cc_rx_ce_pkts", false}, {"rdma_rx_bytes", true}}, have, err)
}

func TestNamespaceMode(t *testing.T) {
	for value, want := range []string{"exclusive", "shared"} {
		c := answering(t, cmdSystem, false, func(e *netlink.AttributeEncoder) { e.Uint8(attrNamespaceMode, uint8(value)) })
		have, err := c.NamespaceMode(t.Context())
		equal(t, want, have, err)
	}
}

// Errors keep their identity, and a counter without a value is none.
func TestErrors(t *testing.T) {
	c := &Conn{socket: &script{t: t, command: cmdStatistics, err: unix.EINVAL}}
	if _, err := c.Statistics(t.Context(), 3, 1); !errors.Is(err, unix.EINVAL) {
		t.Errorf("error %v", err)
	}
	c = answering(t, cmdStatistics, false, func(e *netlink.AttributeEncoder) {
		nest(e, attrCounters, func(e *netlink.AttributeEncoder) { counter(e, "x", func(*netlink.AttributeEncoder) {}) })
	})
	if have, err := c.Statistics(t.Context(), 3, 1); err == nil {
		t.Errorf("%v without a value", have)
	}
	if _, err := answering(t, cmdSystem, false).NamespaceMode(t.Context()); err == nil {
		t.Error("no answer is taken for one")
	}
}
