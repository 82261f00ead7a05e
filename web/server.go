package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"time"

	toolkit "github.com/prometheus/exporter-toolkit/web"
	"golang.org/x/sync/errgroup"
)

// Bounds of what one client can hold.
const (
	readHeaderTimeout = 10 * time.Second
	readTimeout       = 10 * time.Second // of a whole request: none here has a body worth waiting for
	writeTimeout      = 2 * time.Minute  // longer than any scrape; ends readers that stalled
	idleTimeout       = 5 * time.Minute  // longer than the usual scrape intervals, so that connections live on
	maxHeaderBytes    = 64 << 10
)

// grace is what requests under way get to end in when the process stops.
const grace = 1500 * time.Millisecond

// ServerOptions say what Serve serves, and where.
type ServerOptions struct {
	// Flags are those of kingpinflag.AddFlags: addresses, systemd socket and the
	// file with TLS, basic authentication, headers and rate limit. The rate limit
	// is that of one address.
	Flags     *toolkit.FlagConfig
	Handler   http.Handler
	Listening func() // called once, when all listeners are open; may be nil
	Log       *slog.Logger
}

// Serve serves on all addresses until ctx ends, and then returns nil within two
// seconds: requests under way get 1.5 s. Nothing is served before all listeners
// are open; one that cannot be opened is an error that names its address and
// wraps the system's.
func Serve(ctx context.Context, o ServerOptions) error {
	if o.Flags == nil || o.Flags.WebConfigFile == nil {
		return toolkit.ErrMissingFlag
	}
	if err := toolkit.Validate(*o.Flags.WebConfigFile); err != nil {
		return fmt.Errorf("web configuration file %s: %w", *o.Flags.WebConfigFile, err)
	}
	listeners, err := open(ctx, o.Flags)
	if err != nil {
		return err
	}
	defer closeAll(listeners)
	if o.Listening != nil {
		o.Listening()
	}
	group, ctx := errgroup.WithContext(ctx)
	for _, l := range listeners {
		// One server a listener: toolkit.Serve changes the server it is given.
		s := newServer(o)
		group.Go(func() error { return serve(l, s, o) })
		group.Go(func() error {
			<-ctx.Done()
			stop(s)
			return nil
		})
	}
	return group.Wait()
}

func newServer(o ServerOptions) *http.Server {
	return &http.Server{
		Handler:           o.Handler,
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          log.New(connectionLog{o.Log}, "", 0),
	}
}

// serve returns nil when s was stopped.
func serve(l net.Listener, s *http.Server, o ServerOptions) error {
	err := toolkit.Serve(l, s, o.Flags, o.Log)
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return fmt.Errorf("serve on %s: %w", l.Addr(), err)
}

// stop lets requests under way end for the time of grace and then cuts them.
func stop(s *http.Server) {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if err := s.Shutdown(ctx); err != nil {
		_ = s.Close() // nothing is left to be done about what it could not close
	}
}

// connectionLog takes the messages of net/http: failed TLS handshakes and the
// like, which are the client's matter, and panics of handlers, which are ours.
type connectionLog struct{ log *slog.Logger }

func (c connectionLog) Write(message []byte) (int, error) {
	text := string(bytes.TrimSpace(message))
	if bytes.Contains(message, []byte("panic serving")) {
		c.log.Error("Handler failed", "err", text)
	} else {
		c.log.Debug("Connection failed", "err", text)
	}
	return len(message), nil
}
