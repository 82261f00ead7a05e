package notify

import (
	"bytes"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"
)

// told is what a service manager was told.
type told struct {
	mu       sync.Mutex
	messages []string
	err      error // of the next deliveries
}

func (r *told) send(state string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.messages = append(r.messages, state)
	return r.err
}

func (r *told) all() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.messages)
}

func newService(t *testing.T) (*Service, *told) {
	r := &told{}
	return &Service{send: r.send, log: slog.New(slog.NewTextHandler(t.Output(), nil))}, r
}

func found() string { return "2 uplinks" }

func checkTold(t *testing.T, r *told, want ...string) {
	t.Helper()
	have := r.all()
	for i, message := range have {
		if before, _, cut := strings.Cut(message, "\nMONOTONIC_USEC="); cut {
			have[i] = before
		}
	}
	if !slices.Equal(have, want) {
		t.Errorf("told %q, want %q", have, want)
	}
}

func TestReloadBeforeReadySaysNothing(t *testing.T) {
	s, r := newService(t)
	failure := errors.New("bad file")
	if err := s.Reload(func() error { return failure }, found); !errors.Is(err, failure) {
		t.Errorf("Reload: %v", err)
	}
	checkTold(t, r)
}

func TestFailedReloadSaysWhatIsInForce(t *testing.T) {
	s, r := newService(t)
	s.Ready("1 uplink")
	failure := errors.New("node.yml:1: wrong\nnode.yml:3: wrong too")
	if err := s.Reload(func() error { return failure }, found); !errors.Is(err, failure) {
		t.Errorf("Reload: %v", err)
	}
	checkTold(t, r, "READY=1\nSTATUS=1 uplink", "RELOADING=1",
		"READY=1\nSTATUS=Configuration not reloaded, the old one stays in force: node.yml:1: wrong; node.yml:3: wrong too")
}

func TestReload(t *testing.T) {
	s, r := newService(t)
	s.Ready("1 uplink")
	reloaded := func() error {
		if last := r.all(); !strings.HasPrefix(last[len(last)-1], "RELOADING=1\nMONOTONIC_USEC=") {
			t.Errorf("before the reload: %q", last)
		}
		return nil
	}
	if err := s.Reload(reloaded, found); err != nil {
		t.Errorf("Reload: %v", err)
	}
	s.Stopping()
	checkTold(t, r, "READY=1\nSTATUS=1 uplink", "RELOADING=1", "READY=1\nSTATUS=2 uplinks", "STOPPING=1")
}

// TestStoppingWaitsForNoReload: a reload that hangs does not keep the manager
// from knowing that the process stops.
func TestStoppingWaitsForNoReload(t *testing.T) {
	s, r := newService(t)
	s.Ready("1 uplink")
	_ = s.Reload(func() error { s.Stopping(); return nil }, found)
	checkTold(t, r, "READY=1\nSTATUS=1 uplink", "RELOADING=1", "STOPPING=1", "READY=1\nSTATUS=2 uplinks")
}

func TestWhatCannotBeDeliveredIsLogged(t *testing.T) {
	var log bytes.Buffer
	r := &told{err: errors.New("connection refused")}
	s := &Service{send: r.send, log: slog.New(slog.NewTextHandler(&log, nil))}
	s.Ready("1 uplink")
	if text := log.String(); !strings.Contains(text, "READY=1") || !strings.Contains(text, "connection refused") {
		t.Errorf("log: %s", text)
	}
}

// TestLongStatus: what the manager would drop for its length is cut, between two
// characters.
func TestLongStatus(t *testing.T) {
	s, r := newService(t)
	s.Ready(strings.Repeat("é", 3000))
	checkTold(t, r, "READY=1\nSTATUS="+strings.Repeat("é", maxStatus/2)+"… (all of it is in the log)")
	if have := statusLine("x" + strings.Repeat("é", 3000)); !utf8.ValidString(have) {
		t.Errorf("cut within a character: %q", have)
	}
}

// listen makes the socket that NOTIFY_SOCKET names until the test ends.
func listen(t *testing.T) *net.UnixConn {
	t.Helper()
	path := filepath.Join(t.TempDir(), "notify")
	l, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	t.Setenv("NOTIFY_SOCKET", path)
	return l
}

// TestFullQueue: a manager that reads nothing does not keep this process.
func TestFullQueue(t *testing.T) {
	listen(t)
	var err error
	for range 10000 { // net.unix.max_dgram_qlen is 10 to 512
		if err = send("WATCHDOG=1"); err != nil {
			break
		}
	}
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a full queue: %v", err)
	}
}

func TestNobodyListens(t *testing.T) {
	t.Setenv("NOTIFY_SOCKET", "")
	var log bytes.Buffer
	s := New(slog.New(slog.NewTextHandler(&log, nil)))
	s.Ready("1 uplink")
	s.Stopping()
	if log.Len() > 0 {
		t.Errorf("log: %s", &log)
	}
}

// TestSocket: messages are datagrams to NOTIFY_SOCKET, one a change of state.
func TestSocket(t *testing.T) {
	l := listen(t)
	New(slog.New(slog.DiscardHandler)).Ready("1 uplink")
	if err := l.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	datagram := make([]byte, 100)
	n, err := l.Read(datagram)
	if have := string(datagram[:n]); err != nil || have != "READY=1\nSTATUS=1 uplink" {
		t.Errorf("received %q, %v", have, err)
	}
}
