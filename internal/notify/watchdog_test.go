package notify

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// watched starts Watch under a manager that allows 30 seconds, in a bubble of
// synctest.
func watched(t *testing.T, alive func() error) (*told, context.CancelFunc) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	s, r := newService(t)
	go s.Watch(ctx, alive)
	return r, cancel
}

func allow(t *testing.T, usec string) {
	t.Setenv("NOTIFY_SOCKET", "/nowhere")
	t.Setenv("WATCHDOG_USEC", usec)
	t.Setenv("WATCHDOG_PID", "")
}

// settled is checkPings once all that is due now was done.
func settled(t *testing.T, r *told, want int) {
	t.Helper()
	synctest.Wait()
	checkPings(t, r, want)
}

func checkPings(t *testing.T, r *told, want int) {
	t.Helper()
	n := 0
	for _, message := range r.all() {
		if message == "WATCHDOG=1" {
			n++
		}
	}
	if n != want {
		t.Errorf("%d pings, want %d", n, want)
	}
}

// TestDeadlockStopsThePings: an answer that never comes is none.
func TestDeadlockStopsThePings(t *testing.T) {
	allow(t, "30000000")
	synctest.Test(t, func(t *testing.T) {
		var deadlock atomic.Bool
		unlocked := make(chan struct{})
		r, cancel := watched(t, func() error {
			if deadlock.Load() {
				<-unlocked
			}
			return nil
		})
		settled(t, r, 1)
		time.Sleep(15 * time.Second)
		settled(t, r, 2)
		deadlock.Store(true)
		time.Sleep(time.Hour)
		settled(t, r, 2)
		close(unlocked) // it was only slow, and the manager was patient
		settled(t, r, 4)
		cancel()
	})
}

func TestWrongAnswerIsNoPing(t *testing.T) {
	allow(t, "30000000")
	synctest.Test(t, func(t *testing.T) {
		var well atomic.Bool
		r, cancel := watched(t, func() error {
			if !well.Load() {
				return errors.New("500")
			}
			return nil
		})
		settled(t, r, 0)
		time.Sleep(time.Minute)
		settled(t, r, 0)
		well.Store(true)
		time.Sleep(15 * time.Second)
		settled(t, r, 1)
		cancel()
		time.Sleep(time.Hour)
		settled(t, r, 1)
	})
}

func TestNobodyWatches(t *testing.T) {
	question := func() error {
		t.Error("asked for nobody")
		return nil
	}
	for _, env := range []map[string]string{
		{"NOTIFY_SOCKET": "", "WATCHDOG_USEC": "30000000", "WATCHDOG_PID": ""},
		{"NOTIFY_SOCKET": "/nowhere", "WATCHDOG_USEC": "", "WATCHDOG_PID": ""},
		{"NOTIFY_SOCKET": "/nowhere", "WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"},
	} {
		for name, value := range env {
			t.Setenv(name, value)
		}
		s, _ := newService(t)
		s.Watch(t.Context(), question)
	}
}

func TestWatchdogTimeThatIsNoNumber(t *testing.T) {
	for _, usec := range []string{"soon", "0", "-1"} {
		allow(t, usec)
		s, r := newService(t)
		var log bytes.Buffer
		s.log = slog.New(slog.NewTextHandler(&log, nil))
		s.Watch(t.Context(), func() error { return nil })
		if checkPings(t, r, 0); !strings.Contains(log.String(), "WATCHDOG_USEC") {
			t.Errorf("WATCHDOG_USEC=%s: log %q", usec, &log)
		}
	}
}
