package rtnl

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"golang.org/x/sys/unix"
)

// native is the byte order of netlink: the machine's own.
var native = binary.NativeEndian

// attributes walks a run of struct nlattr (include/uapi/linux/netlink.h)
// without copying:
//
//	for a.next() { use(a.kind, a.value) }
//	if a.err != nil { … }
type attributes struct {
	rest  []byte
	kind  uint16 // without the flag bits NLA_F_NESTED and NLA_F_NET_BYTEORDER
	value []byte
	err   error
}

// next steps to the next attribute. At the end and on broken bytes it returns
// false; on broken bytes err says what was wrong with attribute kind.
func (a *attributes) next() bool {
	if len(a.rest) == 0 {
		return false
	}
	if len(a.rest) < unix.SizeofNlAttr {
		a.err = fmt.Errorf("followed by %d stray bytes", len(a.rest))
		return false
	}
	length := int(native.Uint16(a.rest))
	a.kind = native.Uint16(a.rest[2:]) &^ (unix.NLA_F_NESTED | unix.NLA_F_NET_BYTEORDER)
	if length < unix.SizeofNlAttr || length > len(a.rest) {
		a.err = fmt.Errorf("attribute of %d bytes in the %d bytes left", length, len(a.rest))
		return false
	}
	a.value = a.rest[unix.SizeofNlAttr:length]
	a.rest = a.rest[min(align(length), len(a.rest)):]
	return true
}

// align rounds up to the 4 bytes that messages and attributes start at
// (NLMSG_ALIGN, NLA_ALIGN).
func align(length int) int {
	return (length + unix.NLMSG_ALIGNTO - 1) &^ (unix.NLMSG_ALIGNTO - 1)
}

// wrap puts the name of attribute kind before err.
func (n attributeNames) wrap(kind uint16, err error) error {
	if name, ok := n[kind]; ok {
		return fmt.Errorf("%s: %w", name, err)
	}
	return fmt.Errorf("attribute %d: %w", kind, err)
}

func decodeUint8(value []byte) (uint8, error) {
	if len(value) != 1 {
		return 0, fmt.Errorf("%d bytes, want 1", len(value))
	}
	return value[0], nil
}

func decodeUint32(value []byte) (uint32, error) {
	if len(value) != 4 {
		return 0, fmt.Errorf("%d bytes, want 4", len(value))
	}
	return native.Uint32(value), nil
}

// decodeIndex reads an interface index: a signed 32-bit number.
func decodeIndex(value []byte) (int, error) {
	number, err := decodeUint32(value)
	return int(int32(number)), err
}

// decodeString copies the bytes before the first NUL, whatever they are.
func decodeString(value []byte) string {
	before, _, _ := bytes.Cut(value, []byte{0})
	return string(before)
}
