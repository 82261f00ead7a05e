package main

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// liveness asks whether a scrape would still be answered, without collecting
// anything: no source is read, so a driver that hangs does not count. The
// question itself hangs where a scrape would.
type liveness struct {
	locks   []func() // each takes and lets go of locks that a scrape takes
	handler http.Handler
	target  string // a scrape of no collector
}

func (n *node) liveness(handler http.Handler) liveness {
	none := url.Values{"exclude[]": n.runner.Names()}
	return liveness{
		locks:   []func(){func() { n.inventory.Snapshot() }, func() { n.runner.Latest() }},
		handler: handler,
		target:  n.options.telemetryPath + "?" + none.Encode(),
	}
}

// ask returns nil if this process answers. Being too busy for one more scrape is
// an answer.
func (l liveness) ask() error {
	for _, lock := range l.locks {
		lock()
	}
	request, err := http.NewRequest(http.MethodGet, l.target, nil)
	if err != nil {
		return err
	}
	a := answer{header: http.Header{}, status: http.StatusOK}
	l.handler.ServeHTTP(&a, request)
	if a.status != http.StatusOK && a.status != http.StatusServiceUnavailable {
		return fmt.Errorf("%s answers %d", l.target, a.status)
	}
	return nil
}

// answer keeps the status of a response and drops its body.
type answer struct {
	header http.Header
	status int
}

func (a *answer) Header() http.Header            { return a.header }
func (a *answer) WriteHeader(status int)         { a.status = status }
func (a *answer) Write(body []byte) (int, error) { return io.Discard.Write(body) }
