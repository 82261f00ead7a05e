package inventory

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/dpu-exporter/dpu-exporter/internal/rtnl"
)

const (
	// settle is how long a burst of devlink notifications, or of new devices,
	// is gathered before ports are read again.
	settle = 250 * time.Millisecond
	// drain is how long no event must come before the dump that repairs an
	// overrun. Events that lie in the socket from before it must not be applied
	// after that dump, and until it is empty the kernel drops new ones silently
	// (NETLINK_S_CONGESTED in net/netlink/af_netlink.c).
	drain = 100 * time.Millisecond
	// verify is when everything is read once more after an overrun: that nothing
	// came for a while does not prove that the socket was empty.
	verify = 10 * time.Second
	// calm is when everything is read after devices came or went: not all that
	// follows is announced, such as the peer of a new veth.
	calm = time.Second
	// restart is the least time between full reads, and the wait after a first
	// failure; it doubles with each further one.
	restart = time.Second
)

// Run keeps the inventory fresh until ctx ends or Close is called, when it
// returns nil, or until the notifications end for another reason. The
// subscriptions are closed when it returns, so it can run once.
func (i *Inventory) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var receivers sync.WaitGroup
	defer receivers.Wait()
	defer i.stopWatching()
	defer cancel()

	links, ports := make(chan linkNews), make(chan error)
	receivers.Go(func() { i.receiveLinks(ctx, links) })
	if i.portEvents != nil {
		receivers.Go(func() { i.receivePorts(ctx, ports) })
	}
	err := i.listen(ctx, links, ports)
	if i.closed.Load() {
		return nil
	}
	return err
}

func (i *Inventory) listen(ctx context.Context, links <-chan linkNews, ports <-chan error) error {
	p := newPlan(i.resyncEvery)
	defer p.stop()
	i.plan(p)
	for {
		select {
		case <-ctx.Done():
			return nil
		case news := <-links:
			if err := i.hear(news, p); err != nil {
				return err
			}
		case err := <-ports:
			if err := i.hearPorts(err, p); err != nil {
				return err
			}
		case <-p.refresh.C:
			p.refreshing = false
			if !i.refresh(ctx) {
				p.resyncIn(restart, Interrupted)
			}
		case <-p.resync.C:
			i.resync(ctx, p)
		}
	}
}

// plan decides the first full read of Run.
func (i *Inventory) plan(p *plan) {
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case len(i.counts.Reads) == 0:
		p.resyncIn(0, AtStart)
	case i.incomplete:
		p.resyncIn(restart, Interrupted)
	}
}

// resync reads everything and plans the next time.
func (i *Inventory) resync(ctx context.Context, p *plan) {
	begun := time.Now()
	err := i.sync(ctx, p.reason)
	if ctx.Err() != nil {
		return
	}
	i.mu.Lock()
	incomplete := i.incomplete
	i.mu.Unlock()
	switch {
	case err != nil:
		if p.failures == 0 {
			i.log.Warn("Inventory cannot be read, will try again", "err", err)
		}
		p.failed(AfterError, p.every)
	case incomplete:
		p.failed(Interrupted, verify)
	default:
		p.succeeded(begun)
	}
}

// linkNews is what one Receive brought.
type linkNews struct {
	events []rtnl.Event
	err    error
}

func (i *Inventory) receiveLinks(ctx context.Context, to chan<- linkNews) {
	for ctx.Err() == nil {
		events, err := i.linkEvents.Receive()
		select {
		case to <- linkNews{slices.Clone(events), err}:
		case <-ctx.Done():
			return
		}
		if isClosed(err) {
			return
		}
		i.pauseAfter(ctx, err, rtnl.ErrOverrun)
	}
}

func (i *Inventory) receivePorts(ctx context.Context, to chan<- error) {
	for ctx.Err() == nil {
		err := i.portEvents.Receive()
		select {
		case to <- err:
		case <-ctx.Done():
			return
		}
		if isClosed(err) {
			return
		}
		i.pauseAfter(ctx, err, nil)
	}
}

// pauseAfter keeps an error that comes back at once from taking the processor.
func (i *Inventory) pauseAfter(ctx context.Context, err, expected error) {
	if err == nil || errors.Is(err, expected) {
		return
	}
	select {
	case <-time.After(drain):
	case <-ctx.Done():
	}
}

// hear applies link events. After an error some may be missing.
func (i *Inventory) hear(news linkNews, p *plan) error {
	if isClosed(news.err) {
		return fmt.Errorf("link notifications ended: %w", news.err)
	}
	if len(news.events) > 0 {
		moved, hardware := i.apply(news.events)
		if hardware {
			p.refreshSoon()
		}
		if moved {
			p.resyncIn(calm, Settled)
		}
		p.putOff()
	}
	switch {
	case errors.Is(news.err, rtnl.ErrOverrun):
		p.overran()
	case news.err != nil:
		p.resyncIn(restart, AfterError)
	}
	return nil
}

// hearPorts plans to read ports again; errors mean that something was missed.
func (i *Inventory) hearPorts(err error, p *plan) error {
	if isClosed(err) {
		return fmt.Errorf("devlink notifications ended: %w", err)
	}
	i.count(func(h *Health) { h.PortEvents++ })
	p.refreshSoon()
	return nil
}

func isClosed(err error) bool { return errors.Is(err, os.ErrClosed) }
