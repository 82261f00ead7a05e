package rtnl

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// message is one netlink message: what is needed of struct nlmsghdr
// (include/uapi/linux/netlink.h), and what follows it.
type message struct {
	kind     uint16
	flags    uint16
	sequence uint32
	body     []byte
}

// nextMessage takes the first message off a datagram and returns the rest.
func nextMessage(datagram []byte) (message, []byte, error) {
	if len(datagram) < unix.SizeofNlMsghdr {
		return message{}, nil, fmt.Errorf("netlink message: %d bytes, want at least %d", len(datagram), unix.SizeofNlMsghdr)
	}
	length := int(native.Uint32(datagram))
	if length < unix.SizeofNlMsghdr || length > len(datagram) {
		return message{}, nil, fmt.Errorf("netlink message of %d bytes in the %d bytes left", length, len(datagram))
	}
	return message{
		kind:     native.Uint16(datagram[4:]),
		flags:    native.Uint16(datagram[6:]),
		sequence: native.Uint32(datagram[8:]),
		body:     datagram[unix.SizeofNlMsghdr:length],
	}, datagram[min(align(length), len(datagram)):], nil
}

// failure returns what the kernel says in NLMSG_ERROR or NLMSG_DONE: nil when
// all went well, else the errno, with the kernel's own words where it gives any
// (extended acknowledgement, Documentation/userspace-api/netlink/intro.rst).
func (m message) failure() error {
	if len(m.body) < 4 {
		return fmt.Errorf("netlink error of %d bytes, want at least 4", len(m.body))
	}
	code := int32(native.Uint32(m.body))
	switch {
	case code == 0:
		return nil
	case code > 0:
		return fmt.Errorf("netlink error code %d, want a negative errno", code)
	}
	errno := syscall.Errno(-int64(code))
	if text := m.explanation(); text != "" {
		return fmt.Errorf("%w: %s", errno, text)
	}
	return errno
}

// explanation returns NLMSGERR_ATTR_MSG. It only adds words to an error, so
// broken bytes mean no words.
func (m message) explanation() string {
	if m.flags&unix.NLM_F_ACK_TLVS == 0 {
		return ""
	}
	start := 4 // NLMSG_DONE: attributes follow the code
	if m.kind == unix.NLMSG_ERROR {
		start = unix.SizeofNlMsgerr
		if m.flags&unix.NLM_F_CAPPED == 0 && len(m.body) >= start {
			// The whole request is repeated before the attributes.
			request := int64(native.Uint32(m.body[4:]))
			start = int(min(4+request+unix.NLMSG_ALIGNTO-1, int64(len(m.body)))) &^ (unix.NLMSG_ALIGNTO - 1)
		}
	}
	if start > len(m.body) {
		return ""
	}
	for a := (attributes{rest: m.body[start:]}); a.next(); {
		if a.kind == unix.NLMSGERR_ATTR_MSG {
			return decodeString(a.value)
		}
	}
	return ""
}

// appendHeader starts a request of length bytes in all. The sequence number is
// stamped when it is sent.
func appendHeader(b []byte, length int, kind, flags uint16) []byte {
	b = native.AppendUint32(b, uint32(length))
	b = native.AppendUint16(b, kind)
	b = native.AppendUint16(b, flags|unix.NLM_F_REQUEST)
	b = native.AppendUint32(b, 0) // nlmsg_seq
	return native.AppendUint32(b, 0)
}

// appendAttribute starts an attribute with size bytes of value to follow.
func appendAttribute(b []byte, size int, kind uint16) []byte {
	b = native.AppendUint16(b, uint16(unix.SizeofNlAttr+size))
	return native.AppendUint16(b, kind)
}

// stamp writes a request's sequence number.
func stamp(request []byte, sequence uint32) {
	native.PutUint32(request[8:], sequence)
}
