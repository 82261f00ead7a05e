package rtnl

import (
	"errors"
	"testing"

	"golang.org/x/sys/unix"
)

// packet makes one whole message.
func packet(kind, flags uint16, sequence uint32, body string) string {
	b := appendHeader(nil, unix.SizeofNlMsghdr+len(body), kind, flags)
	native.PutUint16(b[6:], flags) // without NLM_F_REQUEST
	stamp(b, sequence)
	b = append(b, body...)
	return string(append(b, make([]byte, align(len(b))-len(b))...))
}

// code is an errno as NLMSG_ERROR and NLMSG_DONE carry it.
func code(errno int32) string { return string(native.AppendUint32(nil, uint32(-errno))) }

func TestNextMessageErrors(t *testing.T) {
	whole := packet(unix.RTM_NEWLINK, 0, 1, ifinfo(1))
	for _, c := range []struct{ datagram, want string }{
		{"", "netlink message: 0 bytes, want at least 16"},
		{whole[:15], "netlink message: 15 bytes, want at least 16"},
		{whole[:31], "netlink message of 32 bytes in the 31 bytes left"},
		{"\x0f\x00\x00\x00" + whole[4:], "netlink message of 15 bytes in the 32 bytes left"},
		{"\xff\xff\xff\xff" + whole[4:], "netlink message of 4294967295 bytes in the 32 bytes left"},
	} {
		if _, _, err := nextMessage([]byte(c.datagram)); err == nil || err.Error() != c.want {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
}

func TestFailure(t *testing.T) {
	request := packet(unix.RTM_GETSTATS, 0, 1, "0123456789abc")
	words := attribute(4+14, unix.NLMSGERR_ATTR_MSG, "no such thing\x00")
	offset := attribute(8, unix.NLMSGERR_ATTR_OFFS, "abcd")
	for _, c := range []struct {
		name        string
		kind, flags uint16
		body        string
		want        string
		errno       error
	}{
		{"all well", unix.NLMSG_DONE, 0, code(0), "", nil},
		{"errno alone", unix.NLMSG_ERROR, 0, code(int32(unix.ENODEV)) + request, "no such device", unix.ENODEV},
		{"words after the whole request", unix.NLMSG_ERROR, unix.NLM_F_ACK_TLVS, code(int32(unix.EINVAL)) + request + offset + words, "invalid argument: no such thing", unix.EINVAL},
		{"words after the header alone", unix.NLMSG_ERROR, unix.NLM_F_ACK_TLVS | unix.NLM_F_CAPPED, code(int32(unix.EPERM)) + request[:16] + words, "operation not permitted: no such thing", unix.EPERM},
		{"words at the end of a dump", unix.NLMSG_DONE, unix.NLM_F_ACK_TLVS, code(int32(unix.EOPNOTSUPP)) + words, "operation not supported: no such thing", unix.EOPNOTSUPP},
		{"broken words", unix.NLMSG_ERROR, unix.NLM_F_ACK_TLVS | unix.NLM_F_CAPPED, code(int32(unix.EPERM)) + request[:16] + words[:7], "operation not permitted", unix.EPERM},
		{"words cut off", unix.NLMSG_ERROR, unix.NLM_F_ACK_TLVS, code(int32(unix.EPERM)) + request[:7], "operation not permitted", unix.EPERM},
		{"request of 4 GiB", unix.NLMSG_ERROR, unix.NLM_F_ACK_TLVS, code(int32(unix.EPERM)) + "\xff\xff\xff\xff" + request[4:], "operation not permitted", unix.EPERM},
		{"no code", unix.NLMSG_DONE, 0, "abc", "netlink error of 3 bytes, want at least 4", nil},
		{"positive code", unix.NLMSG_ERROR, 0, code(-5), "netlink error code 5, want a negative errno", nil},
	} {
		err := message{kind: c.kind, flags: c.flags, body: []byte(c.body)}.failure()
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != c.want || (c.errno != nil && !errors.Is(err, c.errno)) {
			t.Errorf("%s: error %q, want %q", c.name, got, c.want)
		}
	}
}

func FuzzMessages(f *testing.F) {
	f.Add([]byte(packet(unix.NLMSG_ERROR, unix.NLM_F_ACK_TLVS, 1, code(5)+packet(unix.RTM_GETLINK, 0, 1, "")+attribute(8, unix.NLMSGERR_ATTR_MSG, "word"))))
	f.Add([]byte(packet(unix.NLMSG_DONE, unix.NLM_F_ACK_TLVS, 1, code(5)+attribute(8, unix.NLMSGERR_ATTR_MSG, "word"))))
	f.Add([]byte(packet(unix.RTM_NEWLINK, 0, 1, ifinfo(1)) + packet(unix.RTM_DELLINK, 0, 1, ifinfo(2))))
	f.Fuzz(func(t *testing.T, datagram []byte) {
		events, err := appendEvents(nil, datagram)
		if err == nil && len(events)*(unix.SizeofNlMsghdr+unix.SizeofIfInfomsg) > len(datagram) {
			t.Errorf("%d events from %d bytes", len(events), len(datagram))
		}
		for rest := datagram; len(rest) > 0; {
			m, after, err := nextMessage(rest)
			if err != nil {
				return
			}
			if len(after) >= len(rest) {
				t.Fatalf("no progress at %d bytes", len(rest))
			}
			_ = m.failure()
			rest = after
		}
	})
}
