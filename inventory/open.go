package inventory

import (
	"errors"
	"fmt"

	"github.com/dpu-exporter/dpu-exporter/internal/devlink"
	"github.com/dpu-exporter/dpu-exporter/internal/outcome"
	"github.com/dpu-exporter/dpu-exporter/internal/rtnl"
	"golang.org/x/sys/unix"
)

// Open opens all sockets of an inventory, and subscribes to changes, in the
// network namespace of the calling thread. Nothing is read before Sync. What
// may not be opened becomes a Note: without devlink roles come from elsewhere,
// without the permission to use rtnetlink the inventory stays empty. Any other
// error of rtnetlink is returned.
func Open(o Options) (*Inventory, error) { return open(o, sockets()) }

// opener opens the sockets of one namespace.
type opener struct {
	watchLinks func() (linkWatcher, error)
	dialLinks  func() (linkReader, error)
	watchPorts func() (portWatcher, error)
	dialPorts  func() (portReader, error)
}

func sockets() opener {
	return opener{
		watchLinks: func() (linkWatcher, error) { return rtnl.Watch() },
		dialLinks:  func() (linkReader, error) { return rtnl.Dial() },
		watchPorts: func() (portWatcher, error) { return devlink.Watch() },
		dialPorts:  func() (portReader, error) { return devlink.Dial() },
	}
}

func open(o Options, from opener) (*Inventory, error) {
	o = o.withDefaults()
	k, err := from.links()
	if err != nil && outcome.Of(err) != outcome.NotPermitted {
		return nil, advised(err)
	}
	if err != nil {
		k = blankKernel()
	}
	i := newInventory(o, k)
	i.namespace = currentNamespace(o.Procfs)
	if note := i.namespace.note(); note != nil {
		i.opened = append(i.opened, *note)
	}
	if err != nil { // ports without links would tell nothing
		i.opened = append(i.opened, Note{Source: "rtnl", Outcome: outcome.NotPermitted, Text: "no interface can be read: " + advised(err).Error()})
		return i, nil
	}
	if err := from.ports(&i.kernel); err != nil {
		i.opened = append(i.opened, devlinkNote(err))
	}
	return i, nil
}

// links subscribes first, so that a later dump misses nothing.
func (from opener) links() (kernel, error) {
	events, err := from.watchLinks()
	if err != nil {
		return kernel{}, err
	}
	links, err := from.dialLinks()
	if err != nil {
		return kernel{}, errors.Join(err, events.Close())
	}
	return kernel{links: links, linkEvents: events}, nil
}

func (from opener) ports(k *kernel) error {
	events, err := from.watchPorts()
	if err != nil {
		return err
	}
	ports, err := from.dialPorts()
	if err != nil {
		return errors.Join(err, events.Close())
	}
	k.ports, k.portEvents = ports, events
	return nil
}

// advised adds what to do about an error of opening rtnetlink.
func advised(err error) error {
	if errors.Is(err, unix.EAFNOSUPPORT) {
		return fmt.Errorf("open rtnetlink: %w (systemd: add AF_NETLINK to RestrictAddressFamilies=)", err)
	}
	return fmt.Errorf("open rtnetlink: %w", err)
}

func devlinkNote(err error) Note {
	n := Note{Source: "devlink", Outcome: outcome.Of(err)}
	switch n.Outcome {
	case outcome.Unsupported:
		n.Text = "this kernel has no devlink: roles come from port names and sysfs"
	default:
		n.Text = fmt.Sprintf("cannot be opened, roles come from port names and sysfs: %v", err)
	}
	return n
}
