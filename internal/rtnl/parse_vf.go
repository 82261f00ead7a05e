package rtnl

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"golang.org/x/sys/unix"
)

var vfAttributes = attributeNames{
	unix.IFLA_VF_MAC:        "IFLA_VF_MAC",
	unix.IFLA_VF_VLAN:       "IFLA_VF_VLAN",
	unix.IFLA_VF_VLAN_LIST:  "IFLA_VF_VLAN_LIST",
	unix.IFLA_VF_TX_RATE:    "IFLA_VF_TX_RATE",
	unix.IFLA_VF_RATE:       "IFLA_VF_RATE",
	unix.IFLA_VF_SPOOFCHK:   "IFLA_VF_SPOOFCHK",
	unix.IFLA_VF_LINK_STATE: "IFLA_VF_LINK_STATE",
	unix.IFLA_VF_TRUST:      "IFLA_VF_TRUST",
	unix.IFLA_VF_STATS:      "IFLA_VF_STATS",
}

// parseVF reads IFLA_VF_INFO. Each attribute is a struct that begins with the
// number of the VF.
func parseVF(info []byte, addressLength int) (VF, error) {
	var vf VF
	a := attributes{rest: info}
	numbered := false
	for a.next() {
		if a.kind == unix.IFLA_VF_MAC {
			numbered = true
		}
		if err := vf.set(a.kind, a.value, addressLength); err != nil {
			return VF{}, vfAttributes.wrap(a.kind, err)
		}
	}
	switch {
	case a.err != nil:
		return VF{}, vfAttributes.wrap(a.kind, a.err)
	case !numbered:
		return VF{}, fmt.Errorf("IFLA_VF_MAC: missing")
	}
	return vf, nil
}

func (vf *VF) set(kind uint16, value []byte, addressLength int) error {
	switch kind {
	case unix.IFLA_VF_MAC: // struct ifla_vf_mac: vf, mac[32]
		if len(value) != 4+32 || addressLength > 32 {
			return fmt.Errorf("%d bytes, want 36", len(value))
		}
		vf.Number, vf.Address = native.Uint32(value), bytes.Clone(value[4:4+addressLength])
	case unix.IFLA_VF_VLAN: // struct ifla_vf_vlan: vf, vlan, qos
		return readWords(value, &vf.VLAN, &vf.QoS)
	case unix.IFLA_VF_VLAN_LIST:
		return vf.setVLANs(value)
	case unix.IFLA_VF_TX_RATE: // what drivers before IFLA_VF_RATE have
		return readWords(value, known(&vf.MaxRate))
	case unix.IFLA_VF_RATE: // struct ifla_vf_rate: vf, min, max
		return readWords(value, known(&vf.MinRate), known(&vf.MaxRate))
	case unix.IFLA_VF_SPOOFCHK:
		return readSetting(value, &vf.SpoofCheck)
	case unix.IFLA_VF_TRUST:
		return readSetting(value, &vf.Trusted)
	case unix.IFLA_VF_LINK_STATE:
		return readWords(value, known(&vf.LinkState))
	case unix.IFLA_VF_STATS:
		vf.Stats = new(VFStats)
		return vf.Stats.parse(value)
	}
	return nil
}

// known makes room for a number that the driver told.
func known(place **uint32) *uint32 {
	*place = new(uint32)
	return *place
}

// readWords reads the 32-bit words behind the number of the VF.
func readWords(value []byte, words ...*uint32) error {
	if want := 4 + 4*len(words); len(value) != want {
		return fmt.Errorf("%d bytes, want %d", len(value), want)
	}
	for i, word := range words {
		*word = native.Uint32(value[4+4*i:])
	}
	return nil
}

// readSetting reads a switch; all ones stand for a driver that does not have it
// (rtnl_fill_vfinfo of net/core/rtnetlink.c).
func readSetting(value []byte, to **bool) error {
	var word uint32
	if err := readWords(value, &word); err != nil {
		return err
	}
	if word != math.MaxUint32 {
		*to = new(word != 0)
	}
	return nil
}

// setVLANs takes the protocol of the first VLAN: struct ifla_vf_vlan_info, vf,
// vlan, qos and, in network order, the protocol.
func (vf *VF) setVLANs(list []byte) error {
	a := attributes{rest: list}
	for a.next() {
		if a.kind != unix.IFLA_VF_VLAN_INFO {
			continue
		}
		if len(a.value) < 14 {
			return fmt.Errorf("%d bytes, want at least 14", len(a.value))
		}
		vf.VLANProtocol = binary.BigEndian.Uint16(a.value[12:])
		return nil
	}
	return a.err
}

// parse reads IFLA_VF_STATS. There is an IFLA_VF_STATS_PAD in the midst of the
// attributes' numbers.
func (s *VFStats) parse(nest []byte) error {
	places := map[uint16]*uint64{
		unix.IFLA_VF_STATS_RX_PACKETS: &s.RxPackets,
		unix.IFLA_VF_STATS_TX_PACKETS: &s.TxPackets,
		unix.IFLA_VF_STATS_RX_BYTES:   &s.RxBytes,
		unix.IFLA_VF_STATS_TX_BYTES:   &s.TxBytes,
		unix.IFLA_VF_STATS_BROADCAST:  &s.Broadcast,
		unix.IFLA_VF_STATS_MULTICAST:  &s.Multicast,
		unix.IFLA_VF_STATS_RX_DROPPED: &s.RxDropped,
		unix.IFLA_VF_STATS_TX_DROPPED: &s.TxDropped,
	}
	a := attributes{rest: nest}
	for a.next() {
		place, ok := places[a.kind]
		if !ok {
			continue
		}
		if len(a.value) != 8 {
			return fmt.Errorf("attribute %d: %d bytes, want 8", a.kind, len(a.value))
		}
		*place = native.Uint64(a.value)
		s.HasDrops = s.HasDrops || a.kind == unix.IFLA_VF_STATS_RX_DROPPED
	}
	return a.err
}
