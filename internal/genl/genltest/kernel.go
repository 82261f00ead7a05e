// Package genltest answers generic netlink requests from a script, for tests.
package genltest

import (
	"encoding/binary"
	"os"
	"testing"

	"github.com/mdlayher/genetlink"
	"github.com/mdlayher/netlink"
	"github.com/mdlayher/netlink/nltest"
	"golang.org/x/sys/unix"
)

// FamilyID is the number of the scripted family.
const FamilyID = 0x20

// Request is what the script is asked.
type Request struct {
	Command    uint8
	Dump       bool
	Attributes []byte
}

// Reply is what the script answers.
type Reply struct {
	Messages    [][]byte // generic netlink header and attributes of each
	Interrupted bool     // mark the messages NLM_F_DUMP_INTR
	Errno       unix.Errno
	Err         error // of the socket, instead of an answer
}

// Dial returns a socket to a kernel that has one family with the given name and
// answers its requests with the script.
func Dial(t testing.TB, family string, script func(Request) Reply) *netlink.Conn {
	t.Helper()
	socket := nltest.Dial(func(requests []netlink.Message) ([]netlink.Message, error) {
		if len(requests) == 0 {
			t.Error("read without a request")
			return nil, os.ErrDeadlineExceeded
		}
		request := requests[0]
		if request.Header.Type == unix.GENL_ID_CTRL {
			return answer(request, describe(t, request, family))
		}
		if request.Header.Type != FamilyID {
			t.Errorf("request to family %#x", request.Header.Type)
		}
		var message genetlink.Message
		if err := message.UnmarshalBinary(request.Data); err != nil {
			t.Errorf("request: %v", err)
		}
		return answer(request, script(Request{
			Command:    message.Header.Command,
			Dump:       request.Header.Flags&netlink.Dump == netlink.Dump,
			Attributes: message.Data,
		}))
	})
	t.Cleanup(func() { _ = socket.Close() })
	return socket
}

// describe answers CTRL_CMD_GETFAMILY.
func describe(t testing.TB, request netlink.Message, family string) Reply {
	asked, err := netlink.UnmarshalAttributes(request.Data[unix.GENL_HDRLEN:])
	if err != nil || len(asked) != 1 {
		t.Errorf("family request %x: %v", request.Data, err)
	}
	if string(asked[0].Data) != family+"\x00" {
		return Reply{Errno: unix.ENOENT}
	}
	e := netlink.NewAttributeEncoder()
	e.Uint16(unix.CTRL_ATTR_FAMILY_ID, FamilyID)
	e.String(unix.CTRL_ATTR_FAMILY_NAME, family)
	e.Uint32(unix.CTRL_ATTR_VERSION, 1)
	return Reply{Messages: [][]byte{Message(t, unix.CTRL_CMD_NEWFAMILY, e)}}
}

// Message is a generic netlink header followed by attributes.
func Message(t testing.TB, command uint8, attributes *netlink.AttributeEncoder) []byte {
	t.Helper()
	body, err := attributes.Encode()
	if err != nil {
		t.Fatalf("encode attributes: %v", err)
	}
	return append([]byte{command, 1, 0, 0}, body...)
}

func answer(request netlink.Message, reply Reply) ([]netlink.Message, error) {
	if reply.Err != nil {
		return nil, reply.Err
	}
	header := request.Header
	header.Length, header.Flags = 0, 0
	dump := request.Header.Flags&netlink.Dump == netlink.Dump
	if dump {
		header.Flags = netlink.Multi
	}
	if reply.Interrupted {
		header.Flags |= netlink.DumpInterrupted
	}
	var out []netlink.Message
	for _, m := range reply.Messages {
		out = append(out, netlink.Message{Header: header, Data: m})
	}
	errno := binary.NativeEndian.AppendUint32(nil, uint32(-int32(reply.Errno)))
	switch {
	case dump:
		header.Type = netlink.Done
		out = append(out, netlink.Message{Header: header, Data: errno})
	case reply.Errno != 0:
		header.Type = netlink.Error
		out = []netlink.Message{{Header: header, Data: errno}}
	}
	return out, nil
}
