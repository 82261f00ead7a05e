package genl

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/mdlayher/genetlink"
	"golang.org/x/sys/unix"
)

// ErrOverrun says that notifications were lost because they were not read in
// time (ENOBUFS, netlink(7)): what they were about has to be read anew.
var ErrOverrun = errors.New("notifications lost")

// Listener hears the notifications of one multicast group of one family.
type Listener struct {
	conn     *Conn
	messages *genetlink.Conn // over conn's socket
}

// Listen joins the named multicast group of the named family in the network
// namespace of the calling thread. The error is fs.ErrNotExist where the kernel
// has no such family or the family no such group.
func Listen(family, group string) (*Listener, error) {
	c, err := Dial(family)
	if err != nil {
		return nil, err
	}
	for _, g := range c.family.Groups {
		if g.Name != group {
			continue
		}
		if err := c.socket.JoinGroup(g.ID); err != nil {
			_ = c.Close()
			return nil, fmt.Errorf("join group %s of %s: %w", group, family, err)
		}
		return &Listener{conn: c, messages: genetlink.NewConn(c.socket)}, nil
	}
	_ = c.Close()
	return nil, fmt.Errorf("join group %s of %s: %w", group, family, fs.ErrNotExist)
}

// Receive waits for notifications and returns at least one. The error is
// ErrOverrun when some were lost, after which Receive may be called again, and
// os.ErrClosed after Close.
func (l *Listener) Receive() ([]genetlink.Message, error) {
	for {
		heard, _, err := l.messages.Receive()
		switch {
		case errors.Is(err, unix.ENOBUFS):
			return nil, ErrOverrun
		case err != nil:
			return nil, l.conn.plain(err)
		case len(heard) > 0:
			return heard, nil
		}
	}
}

// Close closes the socket and ends a Receive that waits. It may be called more
// than once.
func (l *Listener) Close() error { return l.conn.Close() }
