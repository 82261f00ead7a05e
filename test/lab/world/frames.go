package world

import (
	"encoding/binary"
	"net"
	"testing"

	"golang.org/x/sys/unix"
)

// SendFrames has a device of this namespace send Ethernet frames of 60 bytes to
// an address.
func (n Namespace) SendFrames(t testing.TB, device, to string, etherType uint16, count int) {
	t.Helper()
	destination, err := net.ParseMAC(to)
	must(t, err)
	var frame []byte
	n.Inside(t, func() {
		link, err := net.InterfaceByName(device)
		must(t, err)
		frame = binary.BigEndian.AppendUint16(append(destination, link.HardwareAddr...), etherType)
	})
	n.SendFrame(t, device, append(frame, make([]byte, 60-len(frame))...), count)
}

// SendFrame has a device of this namespace send an Ethernet frame so many times
// (packet(7)).
func (n Namespace) SendFrame(t testing.TB, device string, frame []byte, times int) {
	t.Helper()
	n.Inside(t, func() {
		link, err := net.InterfaceByName(device)
		must(t, err)
		socket, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
		must(t, err)
		defer unix.Close(socket)
		for range times {
			must(t, unix.Sendto(socket, frame, 0, &unix.SockaddrLinklayer{Ifindex: link.Index}))
		}
	})
}
