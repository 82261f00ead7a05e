package rtnl

import (
	"bytes"
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// errWireless marks a partial RTM_NEWLINK that wireless extensions send to
// carry IFLA_WIRELESS (net/wireless/wext-core.c): it does not describe a link.
var errWireless = errors.New("wireless extensions event")

// parseLink reads struct ifinfomsg and the attributes behind it. Nothing of the
// result points into body.
func parseLink(body []byte) (Link, error) {
	if len(body) < unix.SizeofIfInfomsg {
		return Link{}, fmt.Errorf("link message: %d bytes, want at least %d", len(body), unix.SizeofIfInfomsg)
	}
	l := Link{
		Type:  native.Uint16(body[2:]),
		Index: int(int32(native.Uint32(body[4:]))),
		Flags: native.Uint32(body[8:]),
	}
	if l.Index <= 0 {
		return Link{}, fmt.Errorf("link message: interface index %d", l.Index)
	}
	a := attributes{rest: body[unix.SizeofIfInfomsg:]}
	for a.next() {
		if err := l.set(a.kind, a.value); err != nil {
			return Link{}, fmt.Errorf("link %d: %w", l.Index, linkAttributes.wrap(a.kind, err))
		}
	}
	if a.err != nil {
		return Link{}, fmt.Errorf("link %d: %w", l.Index, linkAttributes.wrap(a.kind, a.err))
	}
	return l, nil
}

// set stores one attribute of a link; those it does not know are skipped.
func (l *Link) set(kind uint16, value []byte) (err error) {
	switch kind {
	case unix.IFLA_IFNAME:
		l.Name = decodeString(value)
	case unix.IFLA_IFALIAS:
		l.Alias = decodeString(value)
	case unix.IFLA_PHYS_PORT_NAME:
		l.PortName = decodeString(value)
	case unix.IFLA_PARENT_DEV_BUS_NAME:
		l.ParentBus = decodeString(value)
	case unix.IFLA_PARENT_DEV_NAME:
		l.ParentDev = decodeString(value)
	case unix.IFLA_ADDRESS:
		l.Address = bytes.Clone(value)
	case unix.IFLA_PHYS_SWITCH_ID:
		l.SwitchID = bytes.Clone(value)
	case unix.IFLA_MTU:
		l.MTU, err = decodeUint32(value)
	case unix.IFLA_MASTER:
		l.Master, err = decodeIndex(value)
	case unix.IFLA_LINK:
		l.Lower, err = decodeIndex(value)
	case unix.IFLA_LINK_NETNSID:
		l.LowerForeign = true
		_, err = decodeUint32(value)
	case unix.IFLA_OPERSTATE:
		l.OperState, err = decodeUint8(value)
	case unix.IFLA_LINKINFO:
		err = l.setKind(value)
	case unix.IFLA_DEVLINK_PORT:
		err = l.setDevlinkPort(value)
	case unix.IFLA_PROP_LIST:
		err = l.setAltNames(value)
	case unix.IFLA_WIRELESS:
		err = errWireless
	default:
		err = l.setCarrier(kind, value)
	}
	return err
}

// setCarrier stores what is nil when the kernel does not say it.
func (l *Link) setCarrier(kind uint16, value []byte) (err error) {
	switch kind {
	case unix.IFLA_CARRIER:
		var carrier uint8
		carrier, err = decodeUint8(value)
		l.Carrier = new(carrier != 0)
	case unix.IFLA_CARRIER_CHANGES:
		l.CarrierChanges = new(uint32)
		*l.CarrierChanges, err = decodeUint32(value)
	case unix.IFLA_CARRIER_UP_COUNT:
		l.CarrierUps = new(uint32)
		*l.CarrierUps, err = decodeUint32(value)
	case unix.IFLA_CARRIER_DOWN_COUNT:
		l.CarrierDowns = new(uint32)
		*l.CarrierDowns, err = decodeUint32(value)
	}
	return err
}

func (l *Link) setKind(nest []byte) error {
	a := attributes{rest: nest}
	for a.next() {
		if a.kind == unix.IFLA_INFO_KIND {
			l.Kind = decodeString(a.value)
		}
	}
	if a.err != nil {
		return linkInfoAttributes.wrap(a.kind, a.err)
	}
	return nil
}

func (l *Link) setAltNames(nest []byte) error {
	a := attributes{rest: nest}
	for a.next() {
		if a.kind == unix.IFLA_ALT_IFNAME {
			l.AltNames = append(l.AltNames, decodeString(a.value))
		}
	}
	if a.err != nil {
		return propertyAttributes.wrap(a.kind, a.err)
	}
	return nil
}

// setDevlinkPort reads the nest that names the link's devlink port.
func (l *Link) setDevlinkPort(nest []byte) error {
	a := attributes{rest: nest}
	for a.next() {
		switch a.kind {
		case unix.DEVLINK_ATTR_BUS_NAME:
			l.DevlinkBus = decodeString(a.value)
		case unix.DEVLINK_ATTR_DEV_NAME:
			l.DevlinkDev = decodeString(a.value)
		case unix.DEVLINK_ATTR_PORT_INDEX:
			index, err := decodeUint32(a.value)
			if err != nil {
				return err
			}
			l.DevlinkPort = &index
		}
	}
	return a.err
}
