//go:build lab

package lab

import (
	"context"
	encoding "encoding/binary"
	"errors"
	"math/rand/v2"
	"net"
	"strings"
	"syscall"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// senders send frames into everything, and look at what arrives.
func (s *storm) senders() []actor {
	return []actor{
		{"frames", 2, 10 * time.Millisecond, []operation{{"send frames", sendFrames}}},
		{"frames elsewhere", 1, 20 * time.Millisecond, []operation{{"send elsewhere", s.sendElsewhere}}},
		{"datagrams", 1, 10 * time.Millisecond, []operation{{"send datagrams", sendDatagrams}}},
		{"captures", 1, 10 * time.Millisecond, []operation{{"capture", capture}}},
	}
}

func sendFrames(r *rand.Rand) error {
	return on(anyThere(r, everyNetdev), func(l netlink.Link) error {
		err := sendTo(r, l.Attrs().Index)
		if errors.Is(err, unix.ENETDOWN) {
			return errors.Join(err, netlink.LinkSetUp(l)) // for the next time
		}
		return err
	})
}

// sendElsewhere sends from whatever is in another namespace.
func (s *storm) sendElsewhere(r *rand.Rand) error {
	return s.anyPlace(r).within(func() error {
		all, err := net.Interfaces()
		if err != nil {
			return err
		}
		err = errNoNamespace
		for _, i := range all {
			if strings.HasPrefix(i.Name, "st") {
				err = sendTo(r, i.Index)
			}
		}
		return err
	})
}

func sendTo(r *rand.Rand, index int) error {
	socket, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(socket)
	for range 10 {
		frame := anyFrame(r)
		for range 8 {
			err = unix.Sendto(socket, frame, 0, &unix.SockaddrLinklayer{Ifindex: index})
			if err != nil && !errors.Is(err, unix.EMSGSIZE) {
				return err
			}
		}
	}
	return nil
}

// anyFrame is a frame, tagged or not, of IP, of a tunnel or of nothing, and of
// any length that a netdev may take; what it says of its length may be wrong.
func anyFrame(r *rand.Rand) []byte {
	to := oneOf(r, append(stormMACs, net.HardwareAddr{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, net.HardwareAddr{1, 0, 0x5e, 0, 0, 1}))
	frame := append(append(append([]byte{}, to...), 2, 0, 0, 0, 1), byte(r.IntN(256)))
	for range r.IntN(3) {
		frame = append(frame, 0x81, 0, byte(r.IntN(8)<<5), byte(1+r.IntN(3)))
	}
	switch r.IntN(4) {
	case 0:
		frame = append(frame, 0x88, 0xb5)
	case 1:
		frame = append(frame, 0x86, 0xdd, 0x60, 0, 0, 0, 0, 8, 17, 64)
	case 2:
		frame = appendDatagram(frame, uint16(r.IntN(3)))
	case 3:
		frame = appendDatagram(frame, stormTunnelPort)
		frame = append(frame, 8, 0, 0, 0, 0, 0, stormVNI, 0) // VXLAN (RFC 7348)
		frame = append(frame, oneOf(r, stormMACs)...)
		frame = append(frame, 2, 0, 0, 0, 2, 1)
		frame = appendDatagram(frame, uint16(r.IntN(3)))
	}
	size := oneOf(r, []int{len(frame), 14 + r.IntN(60), 60, 1500, 1500, 1500, r.IntN(9000)})
	return append(frame, make([]byte, 9000)...)[:max(14, size)]
}

// appendDatagram appends the headers of a UDP datagram over IPv4.
func appendDatagram(frame []byte, port uint16) []byte {
	frame = append(frame, 8, 0)
	ip := []byte{0x45, 0, 0, 128, 0, 0, 0, 0, 64, 17, 0, 0}
	ip = append(append(ip, net.ParseIP(stormFar).To4()...), net.ParseIP(stormNear).To4()...)
	var sum uint32
	for n := 0; n < len(ip); n += 2 {
		sum += uint32(encoding.BigEndian.Uint16(ip[n:]))
	}
	encoding.BigEndian.PutUint16(ip[10:], ^uint16(sum+sum>>16))
	frame = append(frame, ip...)
	return append(encoding.BigEndian.AppendUint16(append(frame, 0x30, 0x39), port), 0, 108, 0, 0)
}

// sendDatagrams sends what the stack makes of large and small datagrams, with
// checksums left to hardware, from a function with an address.
func sendDatagrams(r *rand.Rand) error {
	name := anyThere(r, everyFunction)
	return on(name, func(l netlink.Link) error {
		address, err := netlink.ParseAddr("198.51.100.1/24")
		if err != nil {
			return err
		}
		if err := netlink.AddrReplace(l, address); err != nil {
			return err
		}
		if err := netlink.LinkSetUp(l); err != nil {
			return err
		}
		dialer := net.Dialer{Control: func(_, _ string, c syscall.RawConn) (err error) {
			_ = c.Control(func(fd uintptr) {
				if err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_BROADCAST, 1); err == nil {
					err = unix.BindToDevice(int(fd), name)
				}
			})
			return err
		}}
		socket, err := dialer.DialContext(context.Background(), "udp4", "198.51.100.255:1")
		if err != nil {
			return err
		}
		defer socket.Close()
		for range 16 {
			if _, err = socket.Write(make([]byte, r.IntN(12000))); err != nil {
				return err
			}
		}
		return nil
	})
}

// capture looks at what a netdev receives and sends for a moment.
func capture(r *rand.Rand) error {
	return on(anyThere(r, everyNetdev), func(l netlink.Link) error {
		const all = unix.ETH_P_ALL<<8 | unix.ETH_P_ALL>>8 // in network order
		socket, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, all)
		if err != nil {
			return err
		}
		defer unix.Close(socket)
		if err := unix.Bind(socket, &unix.SockaddrLinklayer{Protocol: all, Ifindex: l.Attrs().Index}); err != nil {
			return err
		}
		if err := unix.SetsockoptTimeval(socket, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Usec: 50000}); err != nil {
			return err
		}
		_, _, err = unix.Recvfrom(socket, make([]byte, 10000), 0)
		return err
	})
}
