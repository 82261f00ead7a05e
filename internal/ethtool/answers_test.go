package ethtool

import (
	"encoding/binary"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/internal/genl/genltest"
	"github.com/dpu-exporter/dpu-exporter/test/worlds"
	"github.com/google/go-cmp/cmp"
	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// answering is a kernel that gives one answer; last is the question.
func answering(t *testing.T, fill func(*netlink.AttributeEncoder)) (c *Conn, last *genltest.Request) {
	t.Helper()
	e := netlink.NewAttributeEncoder()
	fill(e)
	attributes, err := e.Encode()
	if err != nil {
		t.Fatal(err)
	}
	last = new(genltest.Request)
	return scripted(t, func(r genltest.Request) genltest.Reply {
		*last = r
		return genltest.Reply{Messages: [][]byte{append([]byte{1, 1, 0, 0}, attributes...)}}
	}), last
}

// nest adds a nested attribute.
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

func group(e *netlink.AttributeEncoder, id uint32, fill func(*netlink.AttributeEncoder)) {
	nest(e, statsGroup, func(g *netlink.AttributeEncoder) {
		g.Uint32(groupID, id)
		fill(g)
	})
}

func groupValue(g *netlink.AttributeEncoder, which uint16, value uint64) {
	nest(g, groupStat, func(s *netlink.AttributeEncoder) { s.Uint64(which, value) })
}

func groupSize(g *netlink.AttributeEncoder, kind uint16, low, high uint32, value uint64) {
	nest(g, kind, func(b *netlink.AttributeEncoder) {
		b.Uint32(sizeLow, low)
		b.Uint32(sizeHigh, high)
		b.Uint64(sizeValue, value)
	})
}

func TestGroups(t *testing.T) {
	c, asked := answering(t, func(e *netlink.AttributeEncoder) {
		group(e, 0, func(g *netlink.AttributeEncoder) { groupValue(g, 0, 7); groupValue(g, 99, 1) })
		group(e, 1, func(g *netlink.AttributeEncoder) { groupValue(g, 0, 1<<40); groupValue(g, 21, 3) })
		group(e, 2, func(*netlink.AttributeEncoder) {})
		group(e, 3, func(g *netlink.AttributeEncoder) {
			groupSize(g, groupSizesRx, 0, 64, 5)
			groupSize(g, groupSizesTx, 1519, 0, 6)
			groupValue(g, 3, 4)
		})
		group(e, 12, func(g *netlink.AttributeEncoder) { groupValue(g, 0, 1) }) // of a newer kernel
	})
	have, err := c.Groups(t.Context(), 4)
	equal(t, Groups{
		Counts: []Count{
			{"eth-phy SymbolErrorDuringCarrier", 7}, {"eth-mac FramesTransmittedOK", 1 << 40},
			{"eth-mac FrameTooLongErrors", 3}, {"rmon etherStatsJabbers", 4},
		},
		ReceiveSizes: []SizeCount{{0, 64, 5}}, TransmitSizes: []SizeCount{{1519, 0, 6}},
	}, have, err)
	if asked.Command != unix.ETHTOOL_MSG_STATS_GET || asked.Dump {
		t.Errorf("asked %+v", asked)
	}
}

func TestPause(t *testing.T) {
	c, _ := answering(t, func(e *netlink.AttributeEncoder) {
		e.Uint8(unix.ETHTOOL_A_PAUSE_AUTONEG, 0)
		e.Uint8(unix.ETHTOOL_A_PAUSE_RX, 1)
		nest(e, unix.ETHTOOL_A_PAUSE_STATS, func(s *netlink.AttributeEncoder) {
			s.Uint64(unix.ETHTOOL_A_PAUSE_STAT_RX_FRAMES, 9)
			s.Uint64(pauseStatStorms, 2)
		})
	})
	have, err := c.Pause(t.Context(), 4)
	equal(t, Pause{Autoneg: new(false), Receive: new(true), ReceivedFrames: new(uint64(9)), Storms: new(uint64(2))}, have, err)
}

func TestFEC(t *testing.T) {
	lanes := func(values ...uint64) (b []byte) {
		for _, v := range values {
			b = binary.NativeEndian.AppendUint64(b, v)
		}
		return b
	}
	c, _ := answering(t, func(e *netlink.AttributeEncoder) {
		e.Uint32(fecActive, unix.ETHTOOL_LINK_MODE_FEC_RS_BIT)
		nest(e, fecStats, func(s *netlink.AttributeEncoder) {
			s.Bytes(fecCorrected, lanes(12))
			s.Bytes(fecUncorrectable, nil)
			s.Bytes(fecCorrectedBits, lanes(9, 4, 5))
		})
	})
	have, err := c.FEC(t.Context(), 4)
	equal(t, FEC{Active: "rs", CorrectedBlocks: new(uint64(12)), CorrectedBits: new(uint64(9)), LaneCorrectedBits: []uint64{4, 5}}, have, err)

	c, _ = answering(t, func(e *netlink.AttributeEncoder) {
		nest(e, fecStats, func(s *netlink.AttributeEncoder) { s.Bytes(fecCorrected, []byte{1, 2, 3}) })
	})
	if _, err := c.FEC(t.Context(), 4); err == nil {
		t.Error("three bytes are taken for a number")
	}
}

func TestLinkState(t *testing.T) {
	for name, test := range map[string]struct {
		fill func(*netlink.AttributeEncoder)
		want LinkState
	}{
		"up": {func(e *netlink.AttributeEncoder) {
			e.Uint8(unix.ETHTOOL_A_LINKSTATE_LINK, 1)
			e.Uint32(unix.ETHTOOL_A_LINKSTATE_EXT_DOWN_CNT, 3)
		}, LinkState{Link: new(true), DownCount: new(uint32(3))}},
		"no cable": {func(e *netlink.AttributeEncoder) {
			e.Uint8(unix.ETHTOOL_A_LINKSTATE_LINK, 0)
			e.Uint8(unix.ETHTOOL_A_LINKSTATE_EXT_STATE, 4)
		}, LinkState{Link: new(false), Reason: "no cable"}},
		"with a detail": {func(e *netlink.AttributeEncoder) {
			e.Uint8(unix.ETHTOOL_A_LINKSTATE_EXT_STATE, 2)
			e.Uint8(unix.ETHTOOL_A_LINKSTATE_EXT_SUBSTATE, 5)
		}, LinkState{Reason: "logical mismatch", Detail: "RS FEC is not locked"}},
		"newer than us": {func(e *netlink.AttributeEncoder) {
			e.Uint8(unix.ETHTOOL_A_LINKSTATE_EXT_STATE, 77)
			e.Uint8(unix.ETHTOOL_A_LINKSTATE_EXT_SUBSTATE, 0)
		}, LinkState{Reason: "unknown(77)", Detail: "unknown(0)"}},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := answering(t, test.fill)
			have, err := c.LinkState(t.Context(), 4)
			equal(t, test.want, have, err)
		})
	}
}

// names is a bitset that is not compact, without a mask.
func names(e *netlink.AttributeEncoder, kind uint16, names ...string) {
	nest(e, kind, func(set *netlink.AttributeEncoder) {
		set.Flag(unix.ETHTOOL_A_BITSET_NOMASK, true)
		nest(set, unix.ETHTOOL_A_BITSET_BITS, func(bits *netlink.AttributeEncoder) {
			for i, name := range names {
				nest(bits, unix.ETHTOOL_A_BITSET_BITS_BIT, func(bit *netlink.AttributeEncoder) {
					bit.Uint32(unix.ETHTOOL_A_BITSET_BIT_INDEX, uint32(i))
					bit.String(unix.ETHTOOL_A_BITSET_BIT_NAME, name)
				})
			}
		})
	})
}

func TestFeatures(t *testing.T) {
	c, _ := answering(t, func(e *netlink.AttributeEncoder) {
		nest(e, unix.ETHTOOL_A_FEATURES_HW, func(set *netlink.AttributeEncoder) { // with a mask of all
			nest(set, unix.ETHTOOL_A_BITSET_BITS, func(bits *netlink.AttributeEncoder) {
				for name, on := range map[string]bool{"rx-gro": true, "hw-tc-offload": true, "rx-lro": false} {
					nest(bits, unix.ETHTOOL_A_BITSET_BITS_BIT, func(bit *netlink.AttributeEncoder) {
						bit.String(unix.ETHTOOL_A_BITSET_BIT_NAME, name)
						bit.Flag(unix.ETHTOOL_A_BITSET_BIT_VALUE, on)
					})
				}
			})
		})
		names(e, unix.ETHTOOL_A_FEATURES_WANTED, "hw-tc-offload")
		names(e, unix.ETHTOOL_A_FEATURES_ACTIVE, "rx-gro", "netns-local")
	})
	have, err := c.Features(t.Context(), 4)
	equal(t, Features{"rx-gro": true, "hw-tc-offload": false, "netns-local": true}, have, err)
}

func TestTimestamping(t *testing.T) {
	c, _ := answering(t, func(e *netlink.AttributeEncoder) {
		names(e, unix.ETHTOOL_A_TSINFO_TIMESTAMPING, "hardware-transmit", "software-transmit", "hardware-receive")
		names(e, unix.ETHTOOL_A_TSINFO_RX_FILTERS, "none", "all")
		e.Uint32(unix.ETHTOOL_A_TSINFO_PHC_INDEX, 0)
	})
	have, err := c.Timestamping(t.Context(), 4)
	equal(t, Timestamping{Clock: new(uint32(0)), Transmit: true, Receive: true, SoftwareTransmit: true, ReceiveEveryPacket: true}, have, err)
}

func TestSettings(t *testing.T) {
	c, _ := answering(t, func(e *netlink.AttributeEncoder) {
		e.Uint32(unix.ETHTOOL_A_RINGS_RX_MAX, 8192)
		e.Uint32(unix.ETHTOOL_A_RINGS_RX, 1024)
	})
	rings, err := c.Rings(t.Context(), 4)
	equal(t, Rings{Rx: new(uint32(1024)), RxMax: new(uint32(8192))}, rings, err)

	c, _ = answering(t, func(e *netlink.AttributeEncoder) {
		e.Uint32(unix.ETHTOOL_A_CHANNELS_COMBINED_MAX, 64)
		e.Uint32(unix.ETHTOOL_A_CHANNELS_COMBINED_COUNT, 8)
	})
	channels, err := c.Channels(t.Context(), 4)
	equal(t, Channels{Combined: new(uint32(8)), CombinedMax: new(uint32(64))}, channels, err)

	c, _ = answering(t, func(e *netlink.AttributeEncoder) {
		e.Uint32(unix.ETHTOOL_A_COALESCE_RX_USECS, 3)
		e.Uint32(unix.ETHTOOL_A_COALESCE_TX_MAX_FRAMES, 0)
		e.Uint8(unix.ETHTOOL_A_COALESCE_USE_ADAPTIVE_RX, 1)
	})
	coalesce, err := c.Coalesce(t.Context(), 4)
	equal(t, Coalesce{RxMicroseconds: new(uint32(3)), TxFrames: new(uint32(0)), RxAdaptive: new(true)}, coalesce, err)
}

func TestModulePage(t *testing.T) {
	c, _ := answering(t, func(e *netlink.AttributeEncoder) { e.Bytes(moduleData, []byte{1, 2, 3}) })
	have, err := c.ModulePage(t.Context(), 4, 0x50, 3, 128, 3)
	equal(t, []byte{1, 2, 3}, have, err)
	if _, err := c.ModulePage(t.Context(), 4, 0x50, 3, 128, 128); err == nil {
		t.Error("a short page is taken")
	}
}

// The real kernel understands the questions: a veth has features, channels and
// a software timestamp, and neither FEC nor a module.
func TestKernelAnswersAboutVeth(t *testing.T) {
	worlds.Enter(t)
	worlds.AddVeths(t, 1)
	c, err := Dial()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	index := 0
	if err := c.LinkModes(t.Context(), func(m LinkMode) { index = m.Index }); err != nil || index == 0 {
		t.Fatalf("no veth: %v", err)
	}
	features, err := c.Features(t.Context(), index)
	if err != nil || !features["tx-tcp-segmentation"] || len(features) < 10 {
		t.Errorf("features %v, %v", features, err)
	}
	if on, has := features["hw-tc-offload"]; on || has {
		t.Errorf("a veth has hw-tc-offload: %v %v", on, has)
	}
	if groups, err := c.Groups(t.Context(), index); err != nil || groups.Counts != nil {
		t.Errorf("groups %v, %v", groups, err)
	}
	if v, err := c.Timestamping(t.Context(), index); err != nil || !v.SoftwareTransmit || v.Transmit || v.Clock != nil {
		t.Errorf("timestamping %+v, %v", v, err)
	}
	if v, err := c.Channels(t.Context(), index); err != nil || v.Rx == nil || *v.Rx != 1 {
		t.Errorf("channels %+v, %v", v, err)
	}
	if s, err := c.LinkState(t.Context(), index); err != nil || s.Link == nil {
		t.Errorf("link state %+v, %v", s, err)
	}
	for name, err := range map[string]error{
		"FEC":    errorOf(c.FEC(t.Context(), index)),
		"pause":  errorOf(c.Pause(t.Context(), index)),
		"module": errorOf(c.ModulePage(t.Context(), index, 0x50, 0, 0, 128)),
	} {
		if err == nil {
			t.Errorf("a veth has %s", name)
		}
	}
}

func errorOf[T any](_ T, err error) error { return err }
