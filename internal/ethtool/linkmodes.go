package ethtool

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/dpu-exporter/dpu-exporter/internal/genl"
	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// LinkMode is how the link of one device runs (ETHTOOL_MSG_LINKMODES_GET).
// What the driver does not know is nil.
type LinkMode struct {
	Index   int     // interface index
	Name    string  // raw bytes: may hold quotes, braces, invalid UTF-8
	Speed   *uint32 // ETHTOOL_A_LINKMODES_SPEED, Mbit/s
	Duplex  Duplex  // ETHTOOL_A_LINKMODES_DUPLEX
	Lanes   *uint32 // ETHTOOL_A_LINKMODES_LANES, kernel 5.12 and newer
	Autoneg *bool   // ETHTOOL_A_LINKMODES_AUTONEG

	SupportedSpeed *uint32 // the highest of ETHTOOL_A_LINKMODES_OURS, Mbit/s
}

// Duplex says whether both ends may send at once.
type Duplex uint8

// The values of Duplex.
const (
	UnknownDuplex Duplex = iota
	Half
	Full
)

// String returns half, full or unknown.
func (d Duplex) String() string {
	switch d {
	case Half:
		return "half"
	case Full:
		return "full"
	}
	return "unknown"
}

// LinkModes visits every device of the namespace that has link settings. Where
// some could not be read the others are visited all the same. A driver that
// fails ends the kernel's list, so devices after it are missing; the error is
// ErrInterrupted when devices kept coming and going. No privilege is needed.
func (c *Conn) LinkModes(ctx context.Context, visit func(LinkMode)) error {
	request, err := encodeHeader(unix.ETHTOOL_A_LINKMODES_HEADER, 0, unix.ETHTOOL_FLAG_COMPACT_BITSETS)
	if err != nil {
		return fmt.Errorf("list link modes: %w", err)
	}
	entries, err := c.family.Dump(ctx, unix.ETHTOOL_MSG_LINKMODES_GET, request)
	err = errors.Join(err, visitEach(entries, decodeLinkMode, visit))
	if err != nil {
		return fmt.Errorf("list link modes: %w", err)
	}
	return nil
}

// LinkModesOf reads one device. A device without link settings answers
// EOPNOTSUPP, one that is gone ENODEV.
func (c *Conn) LinkModesOf(ctx context.Context, index int) (LinkMode, error) {
	request, err := encodeHeader(unix.ETHTOOL_A_LINKMODES_HEADER, index, unix.ETHTOOL_FLAG_COMPACT_BITSETS)
	if err != nil {
		return LinkMode{}, fmt.Errorf("link modes of interface %d: %w", index, err)
	}
	reply, err := c.family.Do(ctx, unix.ETHTOOL_MSG_LINKMODES_GET, request)
	if err != nil {
		return LinkMode{}, fmt.Errorf("link modes of interface %d: %w", index, err)
	}
	return decodeLinkMode(reply)
}

// SpeedBytesPerSecond converts LinkMode.Speed.
func SpeedBytesPerSecond(mbit uint32) float64 { return float64(mbit) * 125_000 }

var linkModeFields = []genl.Field[LinkMode]{
	{Type: unix.ETHTOOL_A_LINKMODES_HEADER, Name: "ETHTOOL_A_LINKMODES_HEADER", Required: true,
		Read: func(m *LinkMode, d *netlink.AttributeDecoder) {
			v := decodeHeader(d)
			m.Index, m.Name = v.index, v.name
		}},
	{Type: unix.ETHTOOL_A_LINKMODES_AUTONEG, Name: "ETHTOOL_A_LINKMODES_AUTONEG",
		Read: func(m *LinkMode, d *netlink.AttributeDecoder) { m.Autoneg = new(d.Uint8() != 0) }},
	{Type: unix.ETHTOOL_A_LINKMODES_OURS, Name: "ETHTOOL_A_LINKMODES_OURS",
		Read: func(m *LinkMode, d *netlink.AttributeDecoder) { m.SupportedSpeed = readSupported(d) }},
	{Type: unix.ETHTOOL_A_LINKMODES_SPEED, Name: "ETHTOOL_A_LINKMODES_SPEED",
		Read: func(m *LinkMode, d *netlink.AttributeDecoder) { m.Speed = knownSpeed(d.Uint32()) }},
	{Type: unix.ETHTOOL_A_LINKMODES_DUPLEX, Name: "ETHTOOL_A_LINKMODES_DUPLEX",
		Read: func(m *LinkMode, d *netlink.AttributeDecoder) { m.Duplex = duplexes[d.Uint8()] }},
	{Type: unix.ETHTOOL_A_LINKMODES_LANES, Name: "ETHTOOL_A_LINKMODES_LANES",
		Read: func(m *LinkMode, d *netlink.AttributeDecoder) { m.Lanes = new(d.Uint32()) }},
}

// duplexes maps DUPLEX_* of include/uapi/linux/ethtool.h; DUPLEX_UNKNOWN is 255.
var duplexes = map[uint8]Duplex{0: Half, 1: Full}

// knownSpeed returns nil for what stands for unknown: 0, SPEED_UNKNOWN (all
// ones, in 16 bits from older drivers), and what ethtool_validate_speed() of
// include/uapi/linux/ethtool.h calls invalid.
func knownSpeed(mbit uint32) *uint32 {
	if mbit == 0 || mbit == math.MaxUint16 || mbit > math.MaxInt32 {
		return nil
	}
	return &mbit
}

func decodeLinkMode(attributes []byte) (LinkMode, error) {
	var m LinkMode
	if err := genl.Decode(&m, attributes, linkModeFields); err != nil {
		return LinkMode{}, fmt.Errorf("link modes of interface %d %q: %w", m.Index, m.Name, err)
	}
	return m, nil
}
