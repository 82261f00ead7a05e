// Package nldev reads RDMA devices over NETLINK_RDMA
// (include/uapi/rdma/rdma_netlink.h, drivers/infiniband/core/nldev.c). A
// connection sees the devices of the network namespace it was opened in, and
// where namespaces share RDMA devices all of them.
package nldev

import (
	"context"
	"fmt"

	"github.com/dpu-exporter/dpu-exporter/internal/genl"
	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// Conn is a socket to the kernel's RDMA core. It is used by one goroutine at a
// time. No privilege is needed.
type Conn struct {
	socket exchanger
}

// exchanger is *netlink.Conn, or a script in tests.
type exchanger interface {
	Execute(m netlink.Message) ([]netlink.Message, error)
	Close() error
}

// Dial opens a connection. The error is EPROTONOSUPPORT where the kernel has no
// RDMA.
func Dial() (*Conn, error) {
	socket, err := netlink.Dial(unix.NETLINK_RDMA, nil)
	if err != nil {
		return nil, fmt.Errorf("open RDMA netlink socket: %w", err)
	}
	return &Conn{socket: socket}, nil
}

// Close closes the connection.
func (c *Conn) Close() error { return c.socket.Close() }

// The operations of enum rdma_nldev_command that are used.
const (
	cmdDevices      = 1  // RDMA_NLDEV_CMD_GET
	cmdPorts        = 5  // RDMA_NLDEV_CMD_PORT_GET
	cmdSystem       = 6  // RDMA_NLDEV_CMD_SYS_GET
	cmdResources    = 9  // RDMA_NLDEV_CMD_RES_GET
	cmdStatistics   = 17 // RDMA_NLDEV_CMD_STAT_GET
	cmdOptionalList = 24 // RDMA_NLDEV_CMD_STAT_GET_STATUS
)

// client is RDMA_NL_NLDEV, where a message's type has it (RDMA_NL_GET_TYPE).
const client = 5 << 10

// ask puts one question and returns the attributes of each message of the
// answer. A context that has ended is not waited for; the kernel works on a
// question inside the system call, which cannot be ended.
func (c *Conn) ask(ctx context.Context, command uint16, dump bool, fill func(*netlink.AttributeEncoder)) ([][]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	e := netlink.NewAttributeEncoder()
	fill(e)
	attributes, err := e.Encode()
	if err != nil {
		return nil, err
	}
	flags := netlink.Request
	if dump {
		flags |= netlink.Dump
	}
	answers, err := c.socket.Execute(netlink.Message{
		Header: netlink.Header{Type: netlink.HeaderType(client | command), Flags: flags}, Data: attributes,
	})
	parts := make([][]byte, 0, len(answers))
	for _, m := range answers {
		parts = append(parts, m.Data)
	}
	return parts, err
}

// list asks for a list and decodes its entries.
func list[T any](ctx context.Context, c *Conn, what string, command uint16, fields []genl.Field[T], fill func(*netlink.AttributeEncoder)) ([]T, error) {
	parts, err := c.ask(ctx, command, true, fill)
	if err != nil {
		return nil, fmt.Errorf("list RDMA %s: %w", what, err)
	}
	all := make([]T, len(parts))
	for i, part := range parts {
		if err := genl.Decode(&all[i], part, fields); err != nil {
			return all[:i], fmt.Errorf("list RDMA %s: %w", what, err)
		}
	}
	return all, nil
}

// one asks for one thing and decodes it.
func one[T any](ctx context.Context, c *Conn, what string, command uint16, fields []genl.Field[T], fill func(*netlink.AttributeEncoder)) (T, error) {
	var v T
	parts, err := c.ask(ctx, command, false, fill)
	if err == nil && len(parts) != 1 {
		err = fmt.Errorf("%d answers", len(parts))
	}
	if err == nil {
		err = genl.Decode(&v, parts[0], fields)
	}
	if err != nil {
		return v, fmt.Errorf("RDMA %s: %w", what, err)
	}
	return v, nil
}

func nothing(*netlink.AttributeEncoder) {}
