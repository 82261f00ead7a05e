// Package ethtool reads what drivers tell through the ethtool family of generic
// netlink (Documentation/networking/ethtool-netlink.rst,
// include/uapi/linux/ethtool_netlink.h). One file per kind of message.
package ethtool

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/dpu-exporter/dpu-exporter/internal/genl"
	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// ErrInterrupted says that devices came or went while they were listed, so that
// some may be missing or doubled.
var ErrInterrupted = genl.ErrInterrupted

// Conn asks about the devices of the network namespace it was dialled in. It
// may be used from many goroutines; requests wait for each other.
type Conn struct {
	family *genl.Conn
}

// Dial opens a connection in the network namespace of the calling thread. The
// error is fs.ErrNotExist where the kernel has no ethtool family (before 5.6).
func Dial() (*Conn, error) {
	family, err := genl.Dial(unix.ETHTOOL_GENL_NAME)
	if err != nil {
		return nil, err
	}
	return &Conn{family: family}, nil
}

// Close closes the connection. It may be called more than once.
func (c *Conn) Close() error { return c.family.Close() }

// headerAttribute is ETHTOOL_A_*_HEADER of every request but those of statistics.
const headerAttribute = 1

// encodeHeader returns a request's header attribute: one device, or all with
// index 0, and ETHTOOL_FLAG_*.
func encodeHeader(attribute uint16, index int, flags uint32) ([]byte, error) {
	e := netlink.NewAttributeEncoder()
	addHeader(e, attribute, index, flags)
	return e.Encode()
}

func addHeader(e *netlink.AttributeEncoder, attribute uint16, index int, flags uint32) {
	e.Nested(attribute, func(header *netlink.AttributeEncoder) error {
		if index != 0 {
			header.Uint32(unix.ETHTOOL_A_HEADER_DEV_INDEX, uint32(index))
		}
		header.Uint32(unix.ETHTOOL_A_HEADER_FLAGS, flags)
		return nil
	})
}

// question is what is asked about one device.
type question struct {
	what    string // names it in errors
	command uint8
	header  uint16                          // ETHTOOL_A_*_HEADER; 0 is headerAttribute
	flags   uint32                          // ETHTOOL_FLAG_*
	more    func(*netlink.AttributeEncoder) // adds what follows the header; nil for nothing
}

// ask asks about a device and decodes the answer into into.
func ask[T any](ctx context.Context, c *Conn, q question, index int, into *T, fields []genl.Field[T]) error {
	e := netlink.NewAttributeEncoder()
	addHeader(e, cmp.Or(q.header, headerAttribute), index, q.flags)
	if q.more != nil {
		q.more(e)
	}
	request, err := e.Encode()
	if err == nil {
		var reply []byte
		if reply, err = c.family.Do(ctx, q.command, request); err == nil {
			err = genl.Decode(into, reply, fields)
		}
	}
	if err != nil {
		return fmt.Errorf("%s of interface %d: %w", q.what, index, err)
	}
	return nil
}

// device is who a reply is about (ETHTOOL_A_HEADER_*).
type device struct {
	index int
	name  string
}

var headerFields = []genl.Field[device]{
	{Type: unix.ETHTOOL_A_HEADER_DEV_INDEX, Name: "ETHTOOL_A_HEADER_DEV_INDEX", Required: true,
		Read: func(v *device, d *netlink.AttributeDecoder) { v.index = int(d.Uint32()) }},
	{Type: unix.ETHTOOL_A_HEADER_DEV_NAME, Name: "ETHTOOL_A_HEADER_DEV_NAME",
		Read: func(v *device, d *netlink.AttributeDecoder) { v.name = d.String() }},
}

// decodeHeader reads a reply's header attribute.
func decodeHeader(d *netlink.AttributeDecoder) device {
	var v device
	d.Nested(func(header *netlink.AttributeDecoder) error {
		return genl.DecodeFrom(&v, header, headerFields)
	})
	return v
}

// visitEach decodes entries; what cannot be decoded does not hide the rest.
func visitEach[T any](entries [][]byte, decode func([]byte) (T, error), visit func(T)) error {
	var failed []error
	for _, attributes := range entries {
		entry, err := decode(attributes)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		visit(entry)
	}
	return errors.Join(failed...)
}
