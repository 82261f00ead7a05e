package rtnl

import (
	"context"
	"errors"
	"fmt"
	"math"
	"syscall"

	"golang.org/x/sys/unix"
)

// batchSize is how many devices StatsOf asks for with one send.
const batchSize = 32

// Stats calls visit for every device of the namespace: one RTM_GETSTATS dump
// for IFLA_STATS_LINK_64 and IFLA_OFFLOAD_XSTATS_CPU_HIT (kernel 4.7 and newer;
// EOPNOTSUPP on older ones). What visit is given stands until it returns.
//
// Every value delivered is right even when devices come and go meanwhile, so
// that is not an error here: the dump goes by interface index, and a device that
// came or went is in it or not. Kernels before 6.10 walk a hash table instead,
// where such a change may, rarely, repeat a device or leave out another one; so
// may a device be repeated when the answer was larger than the buffer. A device
// that cannot be decoded is left out and the first such error returned at the
// end.
//
// An errno means that the kernel went no further. The last device that it told of
// is not visited then: it is what a driver failed at, with zeros for what that
// did not tell (rtnl_fill_statsinfo in net/core/rtnetlink.c). StatsOf says which
// device it is, and reads those behind it.
//
// In the steady state, with a visit made once, a call allocates nothing.
func (c *Conn) Stats(ctx context.Context, visit func(*Stats)) error {
	err := c.again(func() error {
		var held *Stats
		_, err := c.dump(ctx, c.statsRequest, unix.RTM_NEWSTATS, func(body []byte) error {
			stats, err := c.otherParser(held).parse(body)
			if err != nil {
				return err
			}
			if held != nil {
				visit(held)
			}
			held = stats
			return nil
		})
		if held != nil && !Ended(err) {
			visit(held)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("read link statistics: %w", err)
	}
	return nil
}

// Ended says whether an error of Stats means that the kernel, or the socket, went
// no further: devices that were not visited may be read by StatsOf.
func Ended(err error) bool {
	_, isErrno := errors.AsType[syscall.Errno](err)
	return isErrno
}

// otherParser is the parser whose result is not the one that is held.
func (c *Conn) otherParser(held *Stats) *statsParser {
	if held == &c.parsers[0].stats {
		return &c.parsers[1]
	}
	return &c.parsers[0]
}

// StatsOf is Stats for the devices with these interface indexes only: one
// request each, many to a send. A device that cannot be read goes to failed
// (ENODEV when it has gone) and does not stop the rest; the error returned
// means that devices not visited yet were not read. It costs more for each
// device than Stats, and allocates nothing either.
func (c *Conn) StatsOf(ctx context.Context, indexes []int, visit func(*Stats), failed func(index int, err error)) error {
	for len(indexes) > 0 {
		n := min(batchSize, len(indexes))
		batch := indexes[:n]
		indexes = indexes[n:]
		err := c.again(func() error { return c.statsOfBatch(ctx, batch, visit, failed) })
		if err != nil {
			return fmt.Errorf("read link statistics: %w", err)
		}
	}
	return nil
}

// statsOfBatch asks for at most batchSize devices. The kernel answers every
// request with one message, which its sequence number ties to the request.
func (c *Conn) statsOfBatch(ctx context.Context, indexes []int, visit func(*Stats), failed func(index int, err error)) error {
	first := c.next(len(indexes))
	size := len(c.batchRequest) / batchSize
	for i, index := range indexes {
		request := c.batchRequest[i*size:][:size]
		stamp(request, first+uint32(i))
		native.PutUint32(request[unix.SizeofNlMsghdr+4:], wireIndex(index))
	}
	if err := c.ask(ctx, c.batchRequest[:len(indexes)*size]); err != nil {
		return err
	}
	for unanswered := len(indexes); unanswered > 0; {
		datagram, err := c.receive(ctx)
		if err != nil {
			return err
		}
		for len(datagram) > 0 {
			var m message
			if m, datagram, err = nextMessage(datagram); err != nil {
				return err
			}
			i := m.sequence - first
			if i >= uint32(len(indexes)) {
				continue // of an earlier request
			}
			unanswered--
			if err := c.answer(m, visit); err != nil {
				failed(indexes[i], err)
			}
		}
	}
	c.unread = false
	return nil
}

// answer takes the one message that answers the request for one device.
func (c *Conn) answer(m message, visit func(*Stats)) error {
	switch m.kind {
	case unix.RTM_NEWSTATS:
		stats, err := c.parsers[0].parse(m.body)
		if err == nil {
			visit(stats)
		}
		return err
	case unix.NLMSG_ERROR:
		if err := m.failure(); err != nil {
			return err
		}
	}
	return fmt.Errorf("netlink message type %d instead of statistics", m.kind)
}

// wireIndex is index as the kernel takes it, and 0, which no device has
// (EINVAL), where it cannot be one.
func wireIndex(index int) uint32 {
	if index < 0 || index > math.MaxInt32 {
		return 0
	}
	return uint32(index)
}

// statsRequest is RTM_GETSTATS for the counters and, of the offload statistics,
// only IFLA_OFFLOAD_XSTATS_CPU_HIT: the rest costs the kernel time and is not
// read. Kernels before 5.18 do not know IFLA_STATS_GET_FILTERS and send all.
func statsRequest(flags uint16) []byte {
	const (
		filter = unix.SizeofNlAttr + 4
		size   = unix.SizeofNlMsghdr + sizeofIfStatsMsg + unix.SizeofNlAttr + filter
	)
	b := appendHeader(nil, size, unix.RTM_GETSTATS, flags)
	b = append(b, make([]byte, 8)...) // family, padding, ifindex
	b = native.AppendUint32(b, filterBit(unix.IFLA_STATS_LINK_64)|filterBit(unix.IFLA_STATS_LINK_OFFLOAD_XSTATS))
	b = appendAttribute(b, filter, unix.IFLA_STATS_GET_FILTERS|unix.NLA_F_NESTED)
	b = appendAttribute(b, 4, unix.IFLA_STATS_LINK_OFFLOAD_XSTATS)
	return native.AppendUint32(b, filterBit(unix.IFLA_OFFLOAD_XSTATS_CPU_HIT))
}

// filterBit is IFLA_STATS_FILTER_BIT (include/uapi/linux/if_link.h).
func filterBit(attribute int) uint32 { return 1 << (attribute - 1) }
