// Package notify tells the service manager how this process is doing: that it
// serves, what it found, that it reloads, that it stops and that it is alive
// (sd_notify(3)). Where there is no manager, that is without NOTIFY_SOCKET in
// the environment, nothing of it happens.
package notify

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"golang.org/x/sys/unix"
)

// Service is the connection to the service manager. Its methods may be called
// from any goroutine.
type Service struct {
	// send delivers lines like READY=1; where nobody listens it does nothing.
	send func(state string) error
	log  *slog.Logger

	mu    sync.Mutex // one change of state at a time, so that none overtakes another
	ready bool
}

// New returns the Service of this process. What cannot be delivered is logged:
// it is the manager that acts on it.
func New(log *slog.Logger) *Service {
	return &Service{send: send, log: log}
}

// patience is how long a message may wait in the manager's queue for its turn.
const patience = time.Second

// send is sd_notify(3) with a deadline: a manager that reads nothing, and has a
// full queue, keeps nothing of this process waiting for long.
func send(state string) error {
	name := os.Getenv("NOTIFY_SOCKET")
	if name == "" {
		return nil
	}
	socket, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: name, Net: "unixgram"})
	if errors.Is(err, unix.EAFNOSUPPORT) {
		return fmt.Errorf("%w (add AF_UNIX to RestrictAddressFamilies=)", err)
	}
	if err != nil {
		return err
	}
	defer socket.Close()
	if err := socket.SetWriteDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	_, err = socket.Write([]byte(state))
	return err
}

// Ready says that everything listens, and what there is to know of this node in
// words, for systemctl status.
func (s *Service) Ready(status string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ready = true
	s.tell(daemon.SdNotifyReady, statusLine(status))
}

// Reload runs reload between the two messages that the manager expects around
// it, and returns its error. found is called after a success and says what there
// is to know of this node. Before Ready it only runs reload: the second message
// would say that everything listens.
func (s *Service) Reload(reload func() error, found func() string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ready {
		return reload()
	}
	s.tell(daemon.SdNotifyReloading, daemon.SdNotifyMonotonicUsec())
	err := reload()
	status := ""
	if err == nil {
		status = found()
	} else {
		status = "Configuration not reloaded, the old one stays in force: " + err.Error()
	}
	s.tell(daemon.SdNotifyReady, statusLine(status))
	return err
}

// Stopping says that this process was told to stop. It waits for nobody.
func (s *Service) Stopping() { s.tell(daemon.SdNotifyStopping) }

// tell sends lines as one message.
func (s *Service) tell(lines ...string) {
	if err := s.send(strings.TrimSpace(strings.Join(lines, "\n"))); err != nil {
		s.log.Warn("Service manager not told", "message", lines[0], "err", err)
	}
}

// maxStatus is how many bytes of a status are told. systemd drops a whole message
// above 4096 (NOTIFY_BUFFER_MAX of src/core/manager.c), READY=1 in it included.
const maxStatus = 1024

// statusLine is STATUS=; a line break would begin another assignment.
func statusLine(text string) string {
	text = strings.ReplaceAll(text, "\n", "; ")
	if len(text) > maxStatus {
		text = strings.ToValidUTF8(text[:maxStatus], "") + "… (all of it is in the log)"
	}
	return "STATUS=" + text
}
