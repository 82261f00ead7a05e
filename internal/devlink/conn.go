// Package devlink reads devlink devices, their ports and eswitches
// (Documentation/networking/devlink, include/uapi/linux/devlink.h).
package devlink

import (
	"context"
	"errors"
	"fmt"

	"github.com/dpu-exporter/dpu-exporter/internal/genl"
	"golang.org/x/sys/unix"
)

// ErrInterrupted says that ports or devices changed while they were listed, so
// that some may be missing or doubled.
var ErrInterrupted = genl.ErrInterrupted

// Conn asks the devlink of the network namespace it was dialled in. It may be
// used from many goroutines; requests wait for each other.
type Conn struct {
	family *genl.Conn
}

// Dial opens a connection in the network namespace of the calling thread. The
// error is fs.ErrNotExist where the kernel has no devlink.
func Dial() (*Conn, error) {
	family, err := genl.Dial(unix.DEVLINK_GENL_NAME)
	if err != nil {
		return nil, err
	}
	return &Conn{family: family}, nil
}

// Close closes the connection. It may be called more than once.
func (c *Conn) Close() error { return c.family.Close() }

// Ports lists the ports of all devices (DEVLINK_CMD_PORT_GET). Together with an
// error it returns the ports that could be read; the error is ErrInterrupted
// when they kept changing meanwhile. No privilege is needed.
func (c *Conn) Ports(ctx context.Context) ([]Port, error) {
	ports, err := list(ctx, c.family, unix.DEVLINK_CMD_PORT_GET, decodePort)
	if err != nil {
		return ports, fmt.Errorf("list devlink ports: %w", err)
	}
	return ports, nil
}

// Devices lists the devices (DEVLINK_CMD_GET), with errors like those of Ports.
// No privilege is needed.
func (c *Conn) Devices(ctx context.Context) ([]Handle, error) {
	devices, err := list(ctx, c.family, unix.DEVLINK_CMD_GET, decodeHandle)
	if err != nil {
		return devices, fmt.Errorf("list devlink devices: %w", err)
	}
	return devices, nil
}

// Port reads one port (DEVLINK_CMD_PORT_GET). No privilege is needed.
func (c *Conn) Port(ctx context.Context, h Handle, index uint32) (Port, error) {
	reply, err := c.do(ctx, unix.DEVLINK_CMD_PORT_GET, h, &index, "")
	if err == nil {
		var p Port
		if p, err = decodePort(reply); err == nil {
			return p, nil
		}
	}
	return Port{}, fmt.Errorf("devlink port %s/%d: %w", h, index, err)
}

// do asks one question about a device, or about one of its ports, or about the
// reporter of that name.
func (c *Conn) do(ctx context.Context, command uint8, h Handle, port *uint32, reporter string) ([]byte, error) {
	request, err := encodeQuestion(h, port, reporter)
	if err != nil {
		return nil, err
	}
	return c.family.Do(ctx, command, request)
}

// listOf is list of what one device has. Kernels before 6.5 list all devices
// all the same; those of others are left out.
func listOf[T any](ctx context.Context, c *Conn, what string, command uint8, h Handle, fields []genl.Field[T], handle func(*T) Handle) ([]T, error) {
	request, err := encodeHandle(h)
	if err != nil {
		return nil, fmt.Errorf("devlink %s of %s: %w", what, h, err)
	}
	entries, failed := c.family.Dump(ctx, command, request)
	var all []T
	for _, attributes := range entries {
		var entry T
		if err := genl.Decode(&entry, attributes, fields); err != nil {
			failed = errors.Join(failed, err)
		} else if handle(&entry) == h {
			all = append(all, entry)
		}
	}
	if failed != nil {
		return all, fmt.Errorf("devlink %s of %s: %w", what, h, failed)
	}
	return all, nil
}

// list dumps and decodes; what cannot be decoded does not hide the rest. The
// command of the entries is not looked at: ports come as DEVLINK_CMD_NEW too
// (devlink_nl_port_get_dump_one of net/devlink/port.c).
func list[T any](ctx context.Context, family *genl.Conn, command uint8, decode func([]byte) (T, error)) ([]T, error) {
	entries, failed := family.Dump(ctx, command, nil)
	out := make([]T, 0, len(entries))
	for _, attributes := range entries {
		entry, err := decode(attributes)
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		out = append(out, entry)
	}
	return out, failed
}
