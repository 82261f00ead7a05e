package rtnl

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// VF is what a physical function's driver says of one of its virtual functions
// (IFLA_VF_INFO, include/uapi/linux/if_link.h; ip-link(8), "vf"). What it does
// not say is nil.
type VF struct {
	Number       uint32
	Address      net.HardwareAddr
	VLAN         uint32  // 0: none
	QoS          uint32  // IEEE 802.1p priority of the VLAN tag
	VLANProtocol uint16  // 0x8100 (802.1Q) or 0x88a8 (802.1ad); 0 where not told
	MinRate      *uint32 // Mbit/s; 0: none is promised
	MaxRate      *uint32 // Mbit/s; 0: unlimited
	SpoofCheck   *bool   // the device drops what the VF sends under a false address
	Trusted      *bool   // the VF may set its address and be promiscuous
	LinkState    *uint32 // IFLA_VF_LINK_STATE_*: auto, enable, disable

	Stats *VFStats // only where they were asked for
}

// VFStats are what a VF received and sent, in its own view. A driver that keeps
// none gives zeros, which cannot be told from a VF without traffic.
type VFStats struct {
	RxPackets, TxPackets, RxBytes, TxBytes uint64
	Broadcast, Multicast                   uint64 // received
	RxDropped, TxDropped                   uint64
	HasDrops                               bool // the kernel tells of drops (4.16 and newer)
}

// VFs returns the virtual functions of one device, none where it has none:
// RTM_GETLINK with RTEXT_FILTER_VF, which holds the RTNL lock while the driver is
// asked for each. Statistics are read when asked for; they are what costs.
//
// A list of more than 64 KiB does not fit its attribute: 220 VFs with statistics.
// Kernels then refuse (EMSGSIZE) or cut it short; what came is returned with an
// error that is syscall.EMSGSIZE.
func (c *Conn) VFs(ctx context.Context, index int, statistics bool) ([]VF, error) {
	var list vfList
	request := vfsRequest(index, statistics)
	err := c.again(func() error {
		list = vfList{}
		_, err := c.dump(ctx, request, unix.RTM_NEWLINK, func(body []byte) error { return list.parse(body) })
		return err
	})
	if err == nil && list.listed && len(list.vfs) < int(list.announced) {
		err = syscall.EMSGSIZE
	}
	if errors.Is(err, syscall.EMSGSIZE) {
		err = fmt.Errorf("%d of %d: %w", len(list.vfs), list.announced, err)
	}
	if err != nil {
		return list.vfs, fmt.Errorf("read VFs of interface %d: %w", index, err)
	}
	return list.vfs, nil
}

func vfsRequest(index int, statistics bool) []byte {
	mask := uint32(extFilterVF | extFilterSkipStats)
	if statistics {
		mask = extFilterVF
	}
	const size = unix.SizeofNlMsghdr + unix.SizeofIfInfomsg + unix.SizeofNlAttr + 4
	b := appendHeader(nil, size, unix.RTM_GETLINK, unix.NLM_F_ACK)
	b = append(b, make([]byte, unix.SizeofIfInfomsg)...)
	native.PutUint32(b[unix.SizeofNlMsghdr+4:], wireIndex(index))
	b = appendAttribute(b, 4, unix.IFLA_EXT_MASK)
	return native.AppendUint32(b, mask)
}

// vfList is what a link message says of VFs.
type vfList struct {
	announced uint32 // IFLA_NUM_VF: of the parent device, whose other netdevs have no list
	listed    bool
	vfs       []VF
}

// parse reads a link message up to the list and no further: where the length of
// the list did not fit, what follows is in its middle.
func (l *vfList) parse(body []byte) error {
	if len(body) < unix.SizeofIfInfomsg {
		return fmt.Errorf("link message: %d bytes, want at least %d", len(body), unix.SizeofIfInfomsg)
	}
	addressLength := 6
	a := attributes{rest: body[unix.SizeofIfInfomsg:]}
	for a.next() {
		var err error
		switch a.kind {
		case unix.IFLA_ADDRESS:
			addressLength = len(a.value)
		case unix.IFLA_NUM_VF:
			l.announced, err = decodeUint32(a.value)
		case unix.IFLA_VFINFO_LIST:
			l.listed = true
			return l.parseList(a.value, addressLength)
		}
		if err != nil {
			return fmt.Errorf("attribute %d: %w", a.kind, err)
		}
	}
	return a.err
}

// parseList keeps the VFs that came whole. One that did not is the end of a list
// that was cut, which the number of VFs tells.
func (l *vfList) parseList(list []byte, addressLength int) error {
	a := attributes{rest: list}
	for a.next() {
		if a.kind != unix.IFLA_VF_INFO {
			continue
		}
		vf, err := parseVF(a.value, addressLength)
		if err != nil {
			return fmt.Errorf("VF after %d others: %w", len(l.vfs), err)
		}
		l.vfs = append(l.vfs, vf)
	}
	if a.err != nil && len(l.vfs) >= int(l.announced) {
		return fmt.Errorf("IFLA_VFINFO_LIST: %w", a.err)
	}
	return nil
}
