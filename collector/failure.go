package collector

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
)

// panicError is a panic of a collector.
type panicError struct {
	value any
	stack []byte
}

func (p *panicError) Error() string { return fmt.Sprintf("panic: %v", p.value) }

// protect turns a panic of f into an error.
func protect(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &panicError{value: v, stack: debug.Stack()}
		}
	}()
	return f()
}

// stateLog logs a failure when it begins or changes, and its end.
type stateLog struct {
	log *slog.Logger

	mu   sync.Mutex
	last string
}

func (s *stateLog) failed(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if text := err.Error(); text != s.last {
		s.last = text
		s.log.Warn("Collector fails", append([]any{"err", text}, stackOf(err)...)...)
	}
}

// stackOf returns the log attributes of a panic's stack.
func stackOf(err error) []any {
	var p *panicError
	if errors.As(err, &p) {
		return []any{"stack", string(p.stack)}
	}
	return nil
}

func (s *stateLog) worked() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last != "" {
		s.last = ""
		s.log.Info("Collector works again")
	}
}
