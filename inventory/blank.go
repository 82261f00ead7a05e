package inventory

import (
	"context"
	"os"
	"sync"

	"github.com/dpu-exporter/dpu-exporter/internal/rtnl"
)

// blank is rtnetlink where it may not be used: no links, and no news of any.
type blank struct {
	closed chan struct{}
	once   sync.Once
}

func blankKernel() kernel {
	b := &blank{closed: make(chan struct{})}
	return kernel{links: b, linkEvents: b}
}

// Links visits none.
func (b *blank) Links(context.Context, func(rtnl.Link)) error { return nil }

// Receive waits for Close.
func (b *blank) Receive() ([]rtnl.Event, error) {
	<-b.closed
	return nil, os.ErrClosed
}

// Close ends Receive.
func (b *blank) Close() error {
	b.once.Do(func() { close(b.closed) })
	return nil
}
