package config

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// clock is a clock that a test sets.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func openStore(t *testing.T, path string, c *clock) (*Store, *bytes.Buffer) {
	t.Helper()
	var out bytes.Buffer
	s, err := newStore(&Store{paths: []string{path}, log: slog.New(slog.NewTextHandler(&out, nil)), load: Load, now: c.now})
	if err != nil {
		t.Fatal(err)
	}
	return s, &out
}

func status(t *testing.T, s *Store, wantOK bool, wantAt time.Time) {
	t.Helper()
	if ok, at := s.Status(); ok != wantOK || !at.Equal(wantAt) {
		t.Errorf("Status = %v, %v; want %v, %v", ok, at, wantOK, wantAt)
	}
}

func TestNewStoreFailsOnABadFile(t *testing.T) {
	write(t, map[string]string{"fleet.yml": "x: 1\n"})
	s, err := NewStore([]string{"fleet.yml"}, slog.New(slog.DiscardHandler))
	want := `fleet.yml:1: unknown key "x"; this version knows no sections yet`
	if s != nil || err == nil || err.Error() != want {
		t.Fatalf("NewStore = %v, %v; want nil and %s", s, err, want)
	}
}

func TestReload(t *testing.T) {
	write(t, map[string]string{"fleet.yml": "# first\n"})
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	c := &clock{start}
	s, out := openStore(t, "fleet.yml", c)
	old := s.Current()
	status(t, s, true, start)

	c.at = start.Add(time.Minute)
	if err := os.WriteFile("fleet.yml", []byte("x: 1\ny: 2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := s.Reload()
	want := "fleet.yml:1: unknown key \"x\"; this version knows no sections yet\n" +
		"fleet.yml:2: unknown key \"y\"; this version knows no sections yet"
	if err == nil || err.Error() != want {
		t.Errorf("Reload error %v; want %s", err, want)
	}
	if s.Current() != old {
		t.Error("a bad file replaced the configuration")
	}
	status(t, s, false, start)
	if log := out.String(); strings.Count(log, "\n") != 1 || !strings.Contains(log, "unknown key") {
		t.Errorf("log of a failed reload:\n%s\nwant one line that says why", log)
	}

	out.Reset()
	if err := os.WriteFile("fleet.yml", []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Reload(); err != nil {
		t.Errorf("Reload error %v", err)
	}
	status(t, s, true, start.Add(time.Minute))
	if log := out.String(); strings.Count(log, "\n") != 1 || !strings.Contains(log, "Configuration reloaded") {
		t.Errorf("log of a reload:\n%s\nwant one line", log)
	}
}

func TestReloadsAreSerialised(t *testing.T) {
	loading := make(chan struct{}, 1) // holds a token while a load runs
	load := func([]string) (*Config, error) {
		select {
		case loading <- struct{}{}:
		default:
			t.Error("two loads at a time")
			return &Config{}, nil
		}
		defer func() { <-loading }()
		return &Config{}, errors.New("always")
	}
	s, err := newStore(&Store{
		log: slog.New(slog.DiscardHandler), now: time.Now,
		load: func([]string) (*Config, error) { return &Config{}, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	s.load = load
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 100 {
				if err := s.Reload(); err == nil {
					t.Error("Reload worked")
				}
				if s.Current() == nil {
					t.Error("no configuration in force")
				}
				s.Status()
			}
		})
	}
	wait.Wait()
}
