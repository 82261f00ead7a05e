package rtnl

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// ErrOverrun says that events were lost because they came faster than they were
// received (ENOBUFS). The watcher goes on; read all links again.
var ErrOverrun = errors.New("link events were lost")

// watchReceiveBuffer takes the burst of a few thousand devices that come or go
// at once.
const watchReceiveBuffer = 4 << 20

// Event is one change of a link of the watched namespace.
type Event struct {
	Removed bool // the link was deleted or left for another namespace
	Link    Link // as it is after the change, or was before it went
}

// Watcher receives the link events (RTNLGRP_LINK) of one network namespace.
type Watcher struct {
	socket *socket
	buffer []byte
	events []Event
}

// Watch subscribes to the link events of the network namespace of the calling
// thread. It needs no privilege. Events are kept from then on, so links read
// after Watch and events received after that leave no gap.
func Watch() (*Watcher, error) { return watch(watchReceiveBuffer) }

func watch(receiveBuffer int) (*Watcher, error) {
	s, err := openSocket(1<<(unix.RTNLGRP_LINK-1), receiveBuffer)
	if err != nil {
		return nil, fmt.Errorf("watch links: %w", err)
	}
	return &Watcher{socket: s, buffer: make([]byte, bufferSize)}, nil
}

// Receive waits for the next event and returns those that came with it; the
// slice stands until the next Receive. It returns ErrOverrun when events were
// lost and os.ErrClosed after Close. Events that cannot be decoded are left out
// and the first such error is returned beside the others.
func (w *Watcher) Receive() ([]Event, error) {
	for {
		length, err := w.socket.read(w.buffer, true)
		switch {
		case errors.Is(err, unix.ENOBUFS):
			return nil, ErrOverrun
		case err != nil:
			return nil, fmt.Errorf("watch links: %w", err)
		case length > len(w.buffer):
			w.buffer = make([]byte, align(length))
			return nil, ErrOverrun
		}
		w.events, err = appendEvents(w.events[:0], w.buffer[:length])
		if len(w.events) > 0 || err != nil {
			return w.events, err
		}
	}
}

// Close ends the subscription and a waiting Receive.
func (w *Watcher) Close() error { return w.socket.Close() }

// appendEvents decodes the messages of one datagram.
func appendEvents(events []Event, datagram []byte) ([]Event, error) {
	var bad error
	for len(datagram) > 0 {
		m, rest, err := nextMessage(datagram)
		if err != nil {
			return events, errors.Join(bad, err)
		}
		datagram = rest
		if !m.aboutLink() {
			continue
		}
		link, err := parseLink(m.body)
		switch {
		case err == nil:
			events = append(events, Event{Removed: m.kind == unix.RTM_DELLINK, Link: link})
		case bad == nil && !errors.Is(err, errWireless):
			bad = err
		}
	}
	return events, bad
}

// aboutLink reports whether m speaks of a link as such. Bridges announce their
// ports in the same group as family AF_BRIDGE, where RTM_DELLINK means that a
// port left the bridge.
func (m message) aboutLink() bool {
	if m.kind != unix.RTM_NEWLINK && m.kind != unix.RTM_DELLINK {
		return false
	}
	return len(m.body) == 0 || m.body[0] == unix.AF_UNSPEC
}
