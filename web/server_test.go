package web

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	toolkit "github.com/prometheus/exporter-toolkit/web"
	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) {
	if os.Getenv(activatedEnv) != "" {
		os.Exit(serveActivated())
	}
	goleak.VerifyTestMain(m)
}

// addressLog is a log handler that picks out the addresses that are served.
type addressLog struct {
	slog.Handler
	addresses chan string
}

func (a addressLog) Handle(_ context.Context, r slog.Record) error {
	if r.Message != "Listening on" {
		return nil
	}
	r.Attrs(func(attr slog.Attr) bool {
		if attr.Key == "address" {
			a.addresses <- attr.Value.String()
		}
		return true
	})
	return nil
}

// running is a Serve under way.
type running struct {
	addresses []string
	stop      context.CancelFunc
	done      chan error
}

// start serves h on n addresses of loopback.
func start(t *testing.T, n int, config string, h http.Handler) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r := &running{stop: cancel, done: make(chan error, 1)}
	var asked []string
	for range n {
		asked = append(asked, "localhost:0")
	}
	var listening atomic.Int32
	found := make(chan string, n)
	go func() {
		r.done <- Serve(ctx, ServerOptions{
			Flags:     &toolkit.FlagConfig{WebListenAddresses: &asked, WebConfigFile: &config},
			Handler:   h,
			Listening: func() { listening.Add(1) },
			Log:       slog.New(addressLog{slog.NewTextHandler(io.Discard, nil), found}), //nolint:sloglint // slog.DiscardHandler is enabled at no level
		})
	}()
	for range n {
		select {
		case a := <-found:
			r.addresses = append(r.addresses, a)
		case err := <-r.done:
			t.Fatalf("Serve ended: %v", err)
		}
	}
	if got := listening.Load(); got != 1 {
		t.Errorf("Listening was called %d times, want 1", got)
	}
	return r
}

// end stops Serve and says how long that took.
func (r *running) end(t *testing.T) time.Duration {
	t.Helper()
	began := time.Now()
	r.stop()
	if err := <-r.done; err != nil {
		t.Errorf("Serve = %v, want nil", err)
	}
	return time.Since(began)
}

// client has connections of its own, which end with the test.
func client(t *testing.T) *http.Client {
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func closeAtEnd(t *testing.T, c io.Closer) {
	t.Cleanup(func() { c.Close() })
}

// get returns the status and the body, or the error. It may be called from any
// goroutine.
func get(c *http.Client, url string) string {
	res, err := c.Get(url)
	if err != nil {
		return err.Error()
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%d %s", res.StatusCode, body)
}

func hello(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") }

func TestServeOnTwoAddressesAndStopWithIdleConnections(t *testing.T) {
	r := start(t, 2, "", http.HandlerFunc(hello))
	c := client(t)
	for _, a := range r.addresses {
		if got := get(c, "http://"+a); got != "200 hello" {
			t.Errorf("GET %s: %s", a, got)
		}
	}
	if took := r.end(t); took > time.Second {
		t.Errorf("stopping with two idle connections took %v", took)
	}
	for _, a := range r.addresses {
		if conn, err := net.Dial("tcp", a); err == nil {
			closeAtEnd(t, conn)
			t.Errorf("%s still accepts connections", a)
		}
	}
}

func TestServeStopsAtOnceWhenContextHasEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	addresses, config := []string{"localhost:0", "localhost:0"}, ""
	err := Serve(ctx, ServerOptions{
		Flags:     &toolkit.FlagConfig{WebListenAddresses: &addresses, WebConfigFile: &config},
		Handler:   http.HandlerFunc(hello),
		Listening: cancel,
		Log:       slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Errorf("Serve = %v, want nil", err)
	}
}

func TestScrapeUnderWayEndsWell(t *testing.T) {
	entered, release := make(chan struct{}), make(chan struct{})
	r := start(t, 1, "", http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		close(entered)
		<-release
		hello(w, req)
	}))
	answer := make(chan string, 1)
	c := client(t)
	go func() { answer <- get(c, "http://"+r.addresses[0]) }()
	<-entered
	r.stop()
	for { // until the listener is closed, and so the stop under way
		conn, err := net.Dial("tcp", r.addresses[0])
		if err != nil {
			break
		}
		_ = conn.Close()
	}
	close(release)
	if got := <-answer; got != "200 hello" {
		t.Errorf("the scrape under way got %q", got)
	}
	if err := <-r.done; err != nil {
		t.Errorf("Serve = %v, want nil", err)
	}
}

// A reader that has stalled and a handler that never ends by itself are cut.
func TestStopWithStuckRequests(t *testing.T) {
	entered, ended := make(chan struct{}, 2), make(chan struct{}, 2)
	r := start(t, 2, "", http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		defer func() { ended <- struct{}{} }()
		entered <- struct{}{}
		if req.URL.Path == "/stuck" {
			<-req.Context().Done()
			return
		}
		chunk := make([]byte, 1<<20)
		for {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	}))
	for i, path := range []string{"/stuck", "/endless"} {
		conn, err := net.Dial("tcp", r.addresses[i])
		if err != nil {
			t.Fatal(err)
		}
		closeAtEnd(t, conn)
		fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", path)
		<-entered
	}
	took := r.end(t)
	if took < grace || took > 2*time.Second {
		t.Errorf("stopping took %v; want the grace of %v and less than 2 s", took, grace)
	}
	<-ended
	<-ended
}

func TestServeFailures(t *testing.T) {
	taken, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	closeAtEnd(t, taken)
	noTLS, badKey := filepath.Join(t.TempDir(), "cert.yml"), filepath.Join(t.TempDir(), "key.yml")
	for path, text := range map[string]string{noTLS: "tls_server_config: {cert_file: gone.pem, key_file: gone.key}\n", badKey: "nonsense: 1\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	yes := true
	for name, c := range map[string]struct {
		addresses []string
		config    string
		systemd   *bool
		want      []string
		is        error
	}{
		"address in use":     {[]string{"localhost:0", taken.Addr().String()}, "", nil, []string{"web listen address", taken.Addr().String()}, unix.EADDRINUSE},
		"empty address":      {[]string{""}, "", nil, []string{`web listen address "": it is empty`}, nil},
		"no port":            {[]string{"localhost"}, "", nil, []string{`web listen address "localhost"`, "missing port"}, nil},
		"vsock without port": {[]string{"vsock://"}, "", nil, []string{`web listen address "vsock://"`, "missing port"}, nil},
		"vsock port":         {[]string{"vsock://:x"}, "", nil, []string{`web listen address "vsock://:x"`, "vsock port"}, nil},
		"no address":         {nil, "", nil, nil, toolkit.ErrNoListeners},
		"no systemd socket":  {nil, "", &yes, []string{"systemd sockets: none were passed"}, nil},
		"no such config":     {[]string{"localhost:0"}, "/gone/web.yml", nil, []string{"web configuration file /gone/web.yml"}, os.ErrNotExist},
		"unknown key":        {[]string{"localhost:0"}, badKey, nil, []string{badKey, "nonsense"}, nil},
		"no certificate":     {[]string{"localhost:0"}, noTLS, nil, []string{noTLS, "gone.pem"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			err := Serve(t.Context(), ServerOptions{
				Flags:     &toolkit.FlagConfig{WebListenAddresses: &c.addresses, WebConfigFile: &c.config, WebSystemdSocket: c.systemd},
				Handler:   http.HandlerFunc(hello),
				Listening: func() { t.Error("Listening was called") },
				Log:       slog.New(slog.DiscardHandler),
			})
			if err == nil {
				t.Fatal("Serve worked")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("Serve error %q lacks %q", err, want)
				}
			}
			if c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("Serve error %q is not %q", err, c.is)
			}
		})
	}
}

func TestConnectionLog(t *testing.T) {
	var out strings.Builder
	log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
	s := newServer(ServerOptions{Log: log})
	s.ErrorLog.Print("http: TLS handshake error from 192.0.2.1:1: EOF")
	s.ErrorLog.Print("http: panic serving 192.0.2.1:1: boom")
	lines := bufio.NewScanner(strings.NewReader(out.String()))
	for _, want := range []string{
		`level=DEBUG msg="Connection failed" err="http: TLS handshake error from 192.0.2.1:1: EOF"`,
		`level=ERROR msg="Handler failed" err="http: panic serving 192.0.2.1:1: boom"`,
	} {
		if !lines.Scan() || !strings.Contains(lines.Text(), want) {
			t.Errorf("log line %q, want %q", lines.Text(), want)
		}
	}
}
