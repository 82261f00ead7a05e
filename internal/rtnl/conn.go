// Package rtnl reads the links of a network namespace and their counters over
// rtnetlink(7): links by RTM_GETLINK, counters by RTM_GETSTATS, changes by
// RTNLGRP_LINK. Counters of a thousand devices cost little more than the kernel
// takes to write them down, and no allocation.
package rtnl

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// ErrInterrupted says that devices came or went during a dump (NLM_F_DUMP_INTR):
// what was delivered is right, but a device may be missing. Ask again.
var ErrInterrupted = errors.New("dump was interrupted by a change")

const (
	// bufferSize is what one receive can take. The kernel cuts a dump to
	// datagrams of at most 32 KiB less its overhead (net/netlink/af_netlink.c),
	// so a larger buffer gains nothing and a smaller one means more receives. One
	// that proves too small is grown.
	bufferSize = 32 << 10
	// requestReceiveBuffer holds the answers to one batch of StatsOf with room
	// to spare: each takes at most a few KiB of accounted memory.
	requestReceiveBuffer = 512 << 10
	// attempts bounds how often a request is made again with a larger buffer.
	attempts = 4
)

// Conn asks one network namespace for its links and their statistics. It may be
// used from any goroutine, but by one at a time; only Close may come from
// another and ends what is waiting.
//
// The kernel works on a request inside the system call. While that waits for
// the kernel's own lock (RTNL), neither a context nor Close can end it.
type Conn struct {
	socket   transport
	buffer   []byte
	sequence uint32
	unread   bool // an earlier answer may still lie in the socket

	linksRequest []byte
	statsRequest []byte
	batchRequest []byte
	parsers      [2]statsParser
}

// transport is a socket, or a script in tests.
type transport interface {
	send(requests []byte) error
	receive(ctx context.Context, buffer []byte) (int, error)
	receiveNow(buffer []byte) (int, error)
	Close() error
}

// Dial opens a NETLINK_ROUTE socket in the network namespace of the calling
// thread. It needs no privilege. Errors wrap the errno of socket(2), bind(2) or
// connect(2).
func Dial() (*Conn, error) {
	s, err := openSocket(0, requestReceiveBuffer)
	if err != nil {
		return nil, err
	}
	return newConn(s), nil
}

func newConn(t transport) *Conn {
	c := &Conn{
		socket:       t,
		buffer:       make([]byte, bufferSize),
		linksRequest: linksRequest(),
		statsRequest: statsRequest(unix.NLM_F_DUMP),
	}
	for range batchSize {
		c.batchRequest = append(c.batchRequest, statsRequest(0)...)
	}
	return c
}

// Close closes the socket. Calls in progress and later ones fail with
// os.ErrClosed.
func (c *Conn) Close() error { return c.socket.Close() }

// Links calls visit for every link of the namespace: one RTM_GETLINK dump
// (rtnetlink(7)) without statistics and without lists of VFs. It returns
// ErrInterrupted, after delivering what came, when links came or went
// meanwhile; a link that cannot be decoded is left out and the first such
// error returned at the end. A link may be visited twice when the dump was
// interrupted, or when the answer was larger than the buffer and was asked for
// again.
func (c *Conn) Links(ctx context.Context, visit func(Link)) error {
	interrupted := false
	err := c.again(func() (err error) {
		interrupted, err = c.dump(ctx, c.linksRequest, unix.RTM_NEWLINK, func(body []byte) error {
			link, err := parseLink(body)
			if err == nil {
				visit(link)
			}
			return err
		})
		return err
	})
	if interrupted {
		err = errors.Join(ErrInterrupted, err)
	}
	if err != nil {
		return fmt.Errorf("read links: %w", err)
	}
	return nil
}

func linksRequest() []byte {
	const size = unix.SizeofNlMsghdr + unix.SizeofIfInfomsg + unix.SizeofNlAttr + 4
	b := appendHeader(nil, size, unix.RTM_GETLINK, unix.NLM_F_DUMP)
	b = append(b, make([]byte, unix.SizeofIfInfomsg)...)
	b = appendAttribute(b, 4, unix.IFLA_EXT_MASK)
	return native.AppendUint32(b, extFilterSkipStats)
}

// truncatedError is the length of a datagram that did not fit the buffer.
type truncatedError int

func (e truncatedError) Error() string {
	return fmt.Sprintf("netlink datagram of %d bytes does not fit the buffer", int(e))
}

// again calls ask, and calls it again with a larger buffer while its answer
// does not fit.
func (c *Conn) again(ask func() error) error {
	for range attempts - 1 {
		err := ask()
		tooLong, ok := err.(truncatedError) //nolint:errorlint // never wrapped; errors.As allocates
		if !ok {
			return err
		}
		c.buffer = make([]byte, align(int(tooLong)))
	}
	return ask()
}

// dump makes one request and calls handle with the body of every message of
// kind reply. The first error of handle is returned when the dump has ended,
// unless the kernel refused it. interrupted tells of NLM_F_DUMP_INTR.
func (c *Conn) dump(ctx context.Context, request []byte, reply uint16, handle func(body []byte) error) (interrupted bool, err error) {
	stamp(request, c.next(1))
	if err := c.ask(ctx, request); err != nil {
		return false, err
	}
	var bad error
	for {
		datagram, err := c.receive(ctx)
		if err != nil {
			return interrupted, err
		}
		for len(datagram) > 0 {
			var m message
			if m, datagram, err = nextMessage(datagram); err != nil {
				return interrupted, err
			}
			if m.sequence != c.sequence {
				continue // of an earlier request
			}
			interrupted = interrupted || m.flags&unix.NLM_F_DUMP_INTR != 0
			switch m.kind {
			case reply:
				if err := handle(m.body); err != nil && bad == nil {
					bad = err
				}
			case unix.NLMSG_DONE, unix.NLMSG_ERROR:
				c.unread = false
				if refused := m.failure(); refused != nil {
					return interrupted, refused
				}
				return interrupted, bad
			}
		}
	}
}

// next reserves n sequence numbers and returns the first; c.sequence is the
// last.
func (c *Conn) next(n int) uint32 {
	first := c.sequence + 1
	c.sequence += uint32(n)
	return first
}

// ask sends requests, after what an earlier call left unread is out of the way:
// the kernel refuses a second dump on a socket (EBUSY) until the first is read.
func (c *Conn) ask(ctx context.Context, requests []byte) error {
	for c.unread && ctx.Err() == nil {
		_, err := c.socket.receiveNow(c.buffer)
		c.unread = !errors.Is(err, unix.EAGAIN)
		// An overrun of the earlier answer is no concern of this one.
		if c.unread && err != nil && !errors.Is(err, unix.ENOBUFS) {
			return err
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	c.unread = true
	return c.socket.send(requests)
}

// receive returns the next datagram; it stands until the next receive.
func (c *Conn) receive(ctx context.Context) ([]byte, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	length, err := c.socket.receive(ctx, c.buffer)
	if err != nil {
		return nil, err
	}
	if length > len(c.buffer) {
		return nil, truncatedError(length)
	}
	return c.buffer[:length], nil
}
