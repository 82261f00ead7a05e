package systemd

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dpu-exporter/dpu-exporter/test/program"
)

// listener is a service manager that only listens.
type listener struct{ socket *net.UnixConn }

// TestNotifications: what the real program tells a manager over a real socket,
// from its start to its end.
func TestNotifications(t *testing.T) {
	config := filepath.Join(t.TempDir(), "node.yml")
	write(t, config, "")
	p, l := notifying(t, "--config.file="+config)
	l.await(t, "READY=1\nSTATUS=At the start: ")
	if text := program.MustRead(t, "http://"+p.Address(t)+"/-/ready"); text != "dpu-exporter is ready.\n" {
		t.Errorf("after READY=1: %s", text)
	}
	l.await(t, "WATCHDOG=1")
	l.await(t, "WATCHDOG=1")

	write(t, config, "colour: red\n")
	p.Signal(t, syscall.SIGHUP)
	l.await(t, "RELOADING=1\nMONOTONIC_USEC=")
	l.await(t, "READY=1\nSTATUS=Configuration not reloaded, the old one stays in force: "+config+":1: ")
	write(t, config, "")
	p.Signal(t, syscall.SIGHUP)
	l.await(t, "RELOADING=1\nMONOTONIC_USEC=")
	l.await(t, "READY=1\nSTATUS=At the last reload: ")

	if _, err := p.Stop(t); err != nil {
		t.Errorf("stop: %v", err)
	}
	l.await(t, "STOPPING=1")
}

// TestNotReady: a program that cannot listen never says that it is ready.
func TestNotReady(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	l, path := listen(t)
	c := exec.Command(program.Build(t), "serve", "--web.listen-address=127.0.0.1:0", "--web.listen-address="+taken.Addr().String())
	c.Env = append(os.Environ(), "NOTIFY_SOCKET="+path)
	if out, err := c.CombinedOutput(); err == nil || !strings.Contains(string(out), "address already in use") {
		t.Fatalf("serve: %v\n%s", err, out)
	}
	if message, err := l.receive(time.Millisecond); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("told %q, %v", message, err)
	}
}

// listen makes the socket of a manager, and returns its path too.
func listen(t *testing.T) (*listener, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "notify")
	socket, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = socket.Close() })
	return &listener{socket}, path
}

// notifying starts the program as a manager does, with a watchdog of 2 s.
func notifying(t *testing.T, args ...string) (*program.Program, *listener) {
	t.Helper()
	l, path := listen(t)
	env := []string{"NOTIFY_SOCKET=" + path, "WATCHDOG_USEC=2000000", program.Build(t), "serve", "--web.listen-address=127.0.0.1:0"}
	return program.Start(t, "env", append(env, args...)...), l
}

// receive returns the next message, or what is wrong with the socket after a
// time.
func (l *listener) receive(wait time.Duration) (string, error) {
	if err := l.socket.SetReadDeadline(time.Now().Add(wait)); err != nil {
		return "", err
	}
	datagram := make([]byte, 4096)
	n, err := l.socket.Read(datagram)
	return string(datagram[:n]), err
}

// await receives until a message begins so.
func (l *listener) await(t *testing.T, want string) {
	t.Helper()
	var seen []string
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		message, err := l.receive(patience)
		if err != nil {
			break
		}
		if strings.HasPrefix(message, want) {
			return
		}
		if message != "WATCHDOG=1" { // which comes at any time
			seen = append(seen, message)
		}
	}
	t.Fatalf("never told %q, but %q", want, seen)
}
