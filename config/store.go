package config

import (
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// Store holds the configuration in force and replaces it on reload. It may be
// used from any goroutine.
type Store struct {
	paths []string
	log   *slog.Logger
	load  func(paths []string) (*Config, error)
	now   func() time.Time

	reloading sync.Mutex // one reload at a time
	state     atomic.Pointer[state]
}

// state is the configuration in force and how the last load went.
type state struct {
	config      *Config
	ok          bool
	lastSuccess time.Time
}

// NewStore loads the files at paths. Its error is that of Load.
func NewStore(paths []string, log *slog.Logger) (*Store, error) {
	return newStore(&Store{paths: paths, log: log, load: Load, now: time.Now})
}

func newStore(s *Store) (*Store, error) {
	c, err := s.load(s.paths)
	if err != nil {
		return nil, err
	}
	s.state.Store(&state{c, true, s.now()})
	return s, nil
}

// Current returns the configuration in force.
func (s *Store) Current() *Config { return s.state.Load().config }

// Status says whether the last load worked, and when one last did.
func (s *Store) Status() (ok bool, lastSuccess time.Time) {
	now := s.state.Load()
	return now.ok, now.lastSuccess
}

// Reload reads the files again. Where anything in them is wrong the old
// configuration stays in force, and the error, which is that of Load, says what.
// Either way it is logged once.
func (s *Store) Reload() error {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	c, err := s.load(s.paths)
	if err != nil {
		old := s.state.Load()
		s.state.Store(&state{old.config, false, old.lastSuccess})
		s.log.Error("Configuration not reloaded, the old one stays in force", "err", err)
		return err
	}
	s.state.Store(&state{c, true, s.now()})
	s.log.Info("Configuration reloaded", "files", len(s.paths))
	return nil
}
