package world

import (
	"encoding/binary"
	"errors"
	"testing"

	"golang.org/x/sys/unix"
)

// A Capture keeps the frames that a device receives and sends, as tcpdump(8)
// does (packet(7)).
type Capture struct{ socket int }

// Capture begins to keep the frames of a device of this namespace, until the
// test ends.
func (n Namespace) Capture(t testing.TB, device string) Capture {
	t.Helper()
	var c Capture
	protocol := binary.NativeEndian.Uint16(binary.BigEndian.AppendUint16(nil, unix.ETH_P_ALL))
	index := n.index(t, device)
	n.Inside(t, func() {
		var err error
		c.socket, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0) // of no protocol: deaf
		must(t, err)
	})
	t.Cleanup(func() { _ = unix.Close(c.socket) })
	must(t, unix.SetsockoptInt(c.socket, unix.SOL_PACKET, unix.PACKET_AUXDATA, 1))
	must(t, unix.Bind(c.socket, &unix.SockaddrLinklayer{Protocol: protocol, Ifindex: index}))
	return c
}

// Frames are the frames since the last call.
func (c Capture) Frames(t testing.TB) (frames [][]byte) {
	t.Helper()
	buffer, extra := make([]byte, 1<<16), make([]byte, 256)
	for {
		n, extras, _, _, err := unix.Recvmsg(c.socket, buffer, extra, 0)
		if errors.Is(err, unix.EAGAIN) {
			return frames
		}
		must(t, err)
		frames = append(frames, withTag(t, buffer[:n], extra[:extras]))
	}
}

// withTag is a frame with its VLAN tag, which the kernel hands over beside it
// (tpacket_auxdata).
func withTag(t testing.TB, frame, extra []byte) []byte {
	t.Helper()
	messages, err := unix.ParseSocketControlMessage(extra)
	must(t, err)
	for _, m := range messages {
		if m.Header.Level != unix.SOL_PACKET || m.Header.Type != unix.PACKET_AUXDATA {
			continue
		}
		status := binary.NativeEndian.Uint32(m.Data)
		if status&unix.TP_STATUS_VLAN_VALID == 0 {
			break
		}
		tag := binary.BigEndian.AppendUint16(nil, binary.NativeEndian.Uint16(m.Data[18:]))
		tag = binary.BigEndian.AppendUint16(tag, binary.NativeEndian.Uint16(m.Data[16:]))
		return append(append(append([]byte{}, frame[:12]...), tag...), frame[12:]...)
	}
	return append([]byte{}, frame...)
}
