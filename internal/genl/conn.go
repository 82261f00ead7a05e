// Package genl puts questions to generic netlink families and hears their
// notifications (Documentation/userspace-api/netlink/intro.rst). It knows the
// protocol and no family.
package genl

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"

	"github.com/mdlayher/genetlink"
	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// ErrInterrupted says that what a dump lists changed while the kernel wrote it
// (NLM_F_DUMP_INTR), so that entries may be missing or doubled.
var ErrInterrupted = errors.New("dump interrupted by changes")

// attempts is how often an interrupted dump is asked for.
const attempts = 4

// Conn is a socket to one generic netlink family, in the network namespace of
// the thread that opened it. It may be used from many goroutines; requests wait
// for each other.
type Conn struct {
	socket *netlink.Conn
	family genetlink.Family
	turn   chan struct{} // held by the request under way
	dirty  bool          // the last answer was not read to its end
	closed atomic.Bool
}

// Dial opens a socket to the named family. The error is fs.ErrNotExist where
// the kernel has no such family.
func Dial(family string) (*Conn, error) {
	socket, err := netlink.Dial(genetlink.Protocol, nil)
	if err != nil {
		return nil, fmt.Errorf("open generic netlink socket: %w", err)
	}
	// Only makes the kernel's errors wordier; unknown before Linux 4.12.
	_ = socket.SetOption(netlink.ExtendedAcknowledge, true)
	conn, err := Over(socket, family)
	if err != nil {
		_ = socket.Close()
		return nil, err
	}
	return conn, nil
}

// Over is Dial over a socket that is already open.
func Over(socket *netlink.Conn, family string) (*Conn, error) {
	found, err := genetlink.NewConn(socket).GetFamily(family)
	if err != nil {
		return nil, fmt.Errorf("find generic netlink family %s: %w", family, err)
	}
	return &Conn{socket: socket, family: found, turn: make(chan struct{}, 1)}, nil
}

// Close closes the socket. It may be called more than once.
func (c *Conn) Close() error {
	c.closed.Store(true)
	return c.socket.Close()
}

// Do sends one request and returns the attributes of the one reply. Errors of
// the kernel keep their errno; a closed connection is os.ErrClosed. The
// deadline of ctx holds for the wait for other requests and for the answer.
func (c *Conn) Do(ctx context.Context, command uint8, attributes []byte) ([]byte, error) {
	answer, err := c.exchange(ctx, command, attributes, netlink.Request)
	switch {
	case err != nil:
		return nil, err
	case len(answer.parts) == 0:
		return nil, errors.New("no reply")
	}
	return answer.parts[0], nil
}

// DoAll is Do for a request whose one answer comes in several messages; it
// returns the attributes of each.
func (c *Conn) DoAll(ctx context.Context, command uint8, attributes []byte) ([][]byte, error) {
	answer, err := c.exchange(ctx, command, attributes, netlink.Request)
	return answer.parts, err
}

// Dump asks for everything the command lists and returns the attributes of
// each entry. Together with an error it returns the entries that came before
// it. A dump that is interrupted is repeated; when it never succeeds the last
// one is returned with ErrInterrupted.
func (c *Conn) Dump(ctx context.Context, command uint8, attributes []byte) ([][]byte, error) {
	var last answer
	for range attempts {
		var err error
		last, err = c.exchange(ctx, command, attributes, netlink.Request|netlink.Dump)
		if err != nil || !last.interrupted {
			return last.parts, err
		}
	}
	return last.parts, ErrInterrupted
}

// answer is what the kernel sent to one request.
type answer struct {
	parts       [][]byte // attributes of each message
	interrupted bool
}

func (c *Conn) exchange(ctx context.Context, command uint8, attributes []byte, flags netlink.HeaderFlags) (answer, error) {
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return answer{}, ctx.Err()
	}
	if err := ctx.Err(); err != nil {
		return answer{}, err
	}
	deadline, _ := ctx.Deadline() // zero: none
	// A closed socket says so below.
	_ = c.socket.SetDeadline(deadline)
	if c.dirty {
		c.drain(ctx)
	}
	request, err := c.send(command, attributes, flags)
	if err != nil {
		return answer{}, c.plain(err)
	}
	a, err := c.receive(request)
	c.dirty = err != nil
	return a, c.plain(err)
}

func (c *Conn) send(command uint8, attributes []byte, flags netlink.HeaderFlags) (netlink.Message, error) {
	data, err := genetlink.Message{
		Header: genetlink.Header{Command: command, Version: c.family.Version},
		Data:   attributes,
	}.MarshalBinary()
	if err != nil {
		return netlink.Message{}, err
	}
	return c.socket.Send(netlink.Message{
		Header: netlink.Header{Type: netlink.HeaderType(c.family.ID), Flags: flags},
		Data:   data,
	})
}

func (c *Conn) receive(request netlink.Message) (answer, error) {
	var a answer
	for m, err := range c.socket.ReceiveIter() {
		if err != nil {
			return a, err
		}
		if m.Header.Sequence != request.Header.Sequence {
			continue // left over from an earlier request
		}
		var reply genetlink.Message
		if err := reply.UnmarshalBinary(m.Data); err != nil {
			return a, err
		}
		a.parts = append(a.parts, reply.Data)
		a.interrupted = a.interrupted || m.Header.Flags&netlink.DumpInterrupted != 0
	}
	return a, nil
}

// drain throws away the rest of an answer that was not read to its end. The
// kernel writes the parts of a dump as they are read and refuses a second one
// meanwhile (EBUSY); when nothing is left to read it has ended.
func (c *Conn) drain(ctx context.Context) {
	raw, err := c.socket.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Read(func(fd uintptr) bool {
		var scrap [1]byte // the kernel drops what does not fit
		for ctx.Err() == nil {
			_, _, err := unix.Recvfrom(int(fd), scrap[:], unix.MSG_DONTWAIT)
			if err != nil && !errors.Is(err, unix.EINTR) && !errors.Is(err, unix.ENOBUFS) {
				break
			}
		}
		return true
	})
}

// plain replaces the socket library's several ways to say closed and too late.
func (c *Conn) plain(err error) error {
	switch {
	case err != nil && c.closed.Load():
		return os.ErrClosed
	case errors.Is(err, os.ErrDeadlineExceeded):
		return context.DeadlineExceeded
	}
	return err
}
