package devlink

import (
	"fmt"

	"github.com/dpu-exporter/dpu-exporter/internal/genl"
	"github.com/mdlayher/genetlink"
	"golang.org/x/sys/unix"
)

// ErrOverrun says that notifications were lost (ENOBUFS): list ports and
// devices anew. Receive may be called again.
var ErrOverrun = genl.ErrOverrun

// Watcher hears when ports or devices change.
type Watcher struct {
	notifications interface {
		Receive() ([]genetlink.Message, error)
		Close() error
	}
}

// Watch joins devlink's multicast group "config" in the network namespace of
// the calling thread. The error is fs.ErrNotExist where the kernel has no
// devlink. No privilege is needed.
func Watch() (*Watcher, error) {
	l, err := genl.Listen(unix.DEVLINK_GENL_NAME, unix.DEVLINK_GENL_MCGRP_CONFIG_NAME)
	if err != nil {
		return nil, err
	}
	return &Watcher{notifications: l}, nil
}

// Receive waits until a port or a device came, went or changed. A new eswitch
// mode has no notification of its own; what tells of it are the representors
// that come or go, of which an eswitch without functions has none. The error is
// ErrOverrun when notifications were lost, and os.ErrClosed after Close.
func (w *Watcher) Receive() error {
	for {
		heard, err := w.notifications.Receive()
		if err != nil {
			return fmt.Errorf("watch devlink: %w", err)
		}
		for _, n := range heard {
			switch n.Header.Command {
			case unix.DEVLINK_CMD_NEW, unix.DEVLINK_CMD_DEL,
				unix.DEVLINK_CMD_PORT_NEW, unix.DEVLINK_CMD_PORT_DEL:
				return nil
			}
		}
	}
}

// Close leaves the group and ends a Receive that waits. It may be called more
// than once.
func (w *Watcher) Close() error { return w.notifications.Close() }
