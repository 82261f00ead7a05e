package web

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"testing"

	toolkit "github.com/prometheus/exporter-toolkit/web"
)

// activatedEnv makes the test binary a service whose sockets systemd opened.
const activatedEnv = "DPU_EXPORTER_TEST_ACTIVATED"

// serveActivated serves one request on the sockets it was given.
func serveActivated() int {
	if err := os.Setenv("LISTEN_PID", strconv.Itoa(os.Getpid())); err != nil {
		return 1
	}
	ctx, cancel := context.WithCancel(context.Background())
	yes, config := true, ""
	err := Serve(ctx, ServerOptions{
		Flags: &toolkit.FlagConfig{WebSystemdSocket: &yes, WebConfigFile: &config},
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			hello(w, r)
			cancel()
		}),
		Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// startActivated starts serveActivated with sockets as systemd would.
func startActivated(t *testing.T, sockets ...*os.File) *os.Process {
	t.Helper()
	p, err := os.StartProcess(os.Args[0], []string{os.Args[0]}, &os.ProcAttr{
		Env:   append(os.Environ(), activatedEnv+"=1", fmt.Sprintf("LISTEN_FDS=%d", len(sockets))),
		Files: append([]*os.File{nil, nil, os.Stderr}, sockets...),
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func wait(t *testing.T, p *os.Process) int {
	t.Helper()
	state, err := p.Wait()
	if err != nil {
		t.Fatal(err)
	}
	return state.ExitCode()
}

func TestSystemdSockets(t *testing.T) {
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	closeAtEnd(t, l)
	socket, err := l.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	p := startActivated(t, socket)
	if got := get(client(t), "http://"+l.Addr().String()); got != "200 hello" {
		t.Errorf("GET: %s", got)
	}
	if status := wait(t, p); status != 0 {
		t.Errorf("exit status %d", status)
	}
}

func TestSystemdSocketOfAnotherKind(t *testing.T) {
	c, err := net.ListenPacket("udp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	closeAtEnd(t, c)
	socket, err := c.(*net.UDPConn).File()
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	if status := wait(t, startActivated(t, socket)); status != 1 {
		t.Errorf("exit status %d with a UDP socket, want 1", status)
	}
}
