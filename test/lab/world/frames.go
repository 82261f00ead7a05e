package world

import (
	"net"
	"testing"

	"golang.org/x/sys/unix"
)

// SendFrames has a device of this namespace send Ethernet frames of 60 bytes to
// an address (packet(7)).
func (n Namespace) SendFrames(t testing.TB, device, to string, etherType uint16, count int) {
	t.Helper()
	destination, err := net.ParseMAC(to)
	must(t, err)
	n.Inside(t, func() {
		link, err := net.InterfaceByName(device)
		must(t, err)
		socket, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
		must(t, err)
		defer unix.Close(socket)
		frame := append(append(append([]byte{}, destination...), link.HardwareAddr...), byte(etherType>>8), byte(etherType))
		frame = append(frame, make([]byte, 60-len(frame))...)
		for range count {
			must(t, unix.Sendto(socket, frame, 0, &unix.SockaddrLinklayer{Ifindex: link.Index}))
		}
	})
}
