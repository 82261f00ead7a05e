package rtnl

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// socket is a NETLINK_ROUTE socket (netlink(7)) that waits in the runtime's
// poller, so waiting holds no thread and ends on Close and on a context's end.
// Receiving allocates nothing as long as it need not wait. One goroutine may
// send and receive at a time; Close is free to come from another.
type socket struct {
	file   *os.File
	raw    syscall.RawConn
	step   func(descriptor uintptr) bool // s.receiveStep, bound once: binding allocates
	closed atomic.Bool

	// What goes in and out of receiveStep.
	buffer []byte
	wait   bool
	length int
	errno  syscall.Errno
	sender unix.RawSockaddrNetlink
	size   uint32 // of sender
}

// openSocket opens a socket in the calling thread's network namespace,
// subscribed to groups (a mask) if that is not 0.
func openSocket(groups uint32, receiveBuffer int) (*socket, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, unix.NETLINK_ROUTE)
	if err != nil {
		return nil, fmt.Errorf("open netlink socket: %w", err)
	}
	file := os.NewFile(uintptr(fd), "netlink")
	if err := prepare(fd, groups, receiveBuffer); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	raw, err := file.SyscallConn()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open netlink socket: %w", err), file.Close())
	}
	s := &socket{file: file, raw: raw}
	s.step = s.receiveStep
	return s, nil
}

func prepare(fd int, groups uint32, receiveBuffer int) error {
	if err := unix.Bind(fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK, Groups: groups}); err != nil {
		return fmt.Errorf("bind netlink socket: %w", err)
	}
	// Connected to the kernel: write needs no address, and the kernel itself
	// refuses what other processes send here.
	if err := unix.Connect(fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return fmt.Errorf("connect netlink socket: %w", err)
	}
	// All three only help; without them errors are terser and bursts smaller.
	_ = unix.SetsockoptInt(fd, unix.SOL_NETLINK, unix.NETLINK_EXT_ACK, 1)
	_ = unix.SetsockoptInt(fd, unix.SOL_NETLINK, unix.NETLINK_CAP_ACK, 1)
	if unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, receiveBuffer) != nil {
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, receiveBuffer)
	}
	return nil
}

// send hands one or more requests to the kernel, which works on them before
// send returns.
func (s *socket) send(requests []byte) error {
	if _, err := s.file.Write(requests); err != nil {
		return s.fault("send to", err)
	}
	return nil
}

// receive waits for the kernel's next datagram and returns its full length,
// which may exceed the buffer. When ctx ends first it returns the cause.
func (s *socket) receive(ctx context.Context, buffer []byte) (int, error) {
	length, err := s.read(buffer, false)
	if !errors.Is(err, unix.EAGAIN) {
		return length, err
	}
	// The kernel answers within send, so this is rare, and may allocate.
	expired := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		_ = s.file.SetReadDeadline(time.Unix(1, 0))
		close(expired)
	})
	length, err = s.read(buffer, true)
	if stop() {
		return length, err
	}
	<-expired
	_ = s.file.SetReadDeadline(time.Time{})
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = fmt.Errorf("receive from netlink: %w", context.Cause(ctx))
	}
	return length, err
}

// receiveNow is receive without waiting: EAGAIN when there is nothing.
func (s *socket) receiveNow(buffer []byte) (int, error) {
	return s.read(buffer, false)
}

// read receives one datagram of the kernel's.
func (s *socket) read(buffer []byte, wait bool) (int, error) {
	for {
		s.buffer, s.wait = buffer, wait
		err := s.raw.Read(s.step)
		s.buffer = nil
		switch {
		case err != nil:
			return 0, s.fault("receive from", err)
		case s.errno == unix.EAGAIN:
			return 0, unix.EAGAIN
		case s.errno != 0:
			return 0, s.fault("receive from", s.errno)
		case s.sender.Pid == 0:
			return s.length, nil
		}
		// Multicast of a process: not the kernel's word.
	}
}

// receiveStep makes one attempt and reports whether it is the last: the poller
// calls again when there is something to read. MSG_TRUNC makes the kernel tell
// the full length of a datagram (recv(2)).
func (s *socket) receiveStep(descriptor uintptr) bool {
	for {
		s.size = unix.SizeofSockaddrNetlink
		length, _, errno := unix.Syscall6(unix.SYS_RECVFROM, descriptor,
			uintptr(unsafe.Pointer(unsafe.SliceData(s.buffer))), uintptr(len(s.buffer)),
			unix.MSG_TRUNC, uintptr(unsafe.Pointer(&s.sender)), uintptr(unsafe.Pointer(&s.size)))
		if errno == unix.EINTR {
			continue
		}
		s.length, s.errno = int(length), errno
		return errno != unix.EAGAIN || !s.wait
	}
}

// fault says what failed. The poller's error for a closed file cannot be
// recognised from outside of the standard library, hence closed.
func (s *socket) fault(what string, err error) error {
	if s.closed.Load() {
		err = os.ErrClosed
	}
	return fmt.Errorf("%s netlink: %w", what, err)
}

// Close closes the socket and ends a waiting receive.
func (s *socket) Close() error {
	s.closed.Store(true)
	return s.file.Close()
}
