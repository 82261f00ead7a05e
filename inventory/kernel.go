package inventory

import (
	"context"

	"github.com/dpu-exporter/dpu-exporter/internal/devlink"
	"github.com/dpu-exporter/dpu-exporter/internal/rtnl"
)

// kernel is where an inventory comes from. Without devlink, ports and
// portEvents are nil.
type kernel struct {
	links      linkReader
	linkEvents linkWatcher
	ports      portReader
	portEvents portWatcher
}

// linkReader is what is needed of *rtnl.Conn.
type linkReader interface {
	Links(ctx context.Context, visit func(rtnl.Link)) error
	Close() error
}

// linkWatcher is what is needed of *rtnl.Watcher.
type linkWatcher interface {
	Receive() ([]rtnl.Event, error)
	Close() error
}

// portReader is what is needed of *devlink.Conn.
type portReader interface {
	Ports(ctx context.Context) ([]devlink.Port, error)
	Port(ctx context.Context, h devlink.Handle, index uint32) (devlink.Port, error)
	Eswitch(ctx context.Context, h devlink.Handle) (devlink.EswitchMode, error)
	Close() error
}

// portWatcher is what is needed of *devlink.Watcher.
type portWatcher interface {
	Receive() error
	Close() error
}
