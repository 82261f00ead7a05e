package notify

import (
	"context"
	"os"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
)

// Watch keeps the service manager's watchdog quiet until ctx ends: at half of
// the time that the manager allows (WATCHDOG_USEC, sd_watchdog_enabled(3)) it
// asks alive, and says so only when the answer is nil. An alive that never
// returns ends the pings, and with them, soon, the process: that is its purpose.
// Where no watchdog waits it returns at once; where WATCHDOG_USEC is no number, so
// that nobody can wait for it, that is logged.
func (s *Service) Watch(ctx context.Context, alive func() error) {
	if os.Getenv("NOTIFY_SOCKET") == "" {
		return
	}
	allowed, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		s.log.Warn("Watchdog not told anything: WATCHDOG_USEC or WATCHDOG_PID is wrong", "err", err)
	}
	if err == nil && allowed > 0 {
		s.ping(ctx, allowed/2, alive)
	}
}

func (s *Service) ping(ctx context.Context, every time.Duration, alive func() error) {
	clock := time.NewTicker(every)
	defer clock.Stop()
	for {
		if err := alive(); err != nil {
			s.log.Error("Watchdog not told that this process is alive", "err", err)
		} else {
			s.tell(daemon.SdNotifyWatchdog)
		}
		select {
		case <-ctx.Done():
			return
		case <-clock.C:
		}
	}
}
