//go:build lab

package lab

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// tally is how operations of a storm have ended, by name.
type tally struct {
	mu   sync.Mutex
	of   map[string]*outcomes
	busy map[string]int // those under way
}

type outcomes struct {
	succeeded int
	failed    map[string]int // by the kind of error
	took      time.Duration  // all of them together
	longest   time.Duration
}

func newTally() *tally { return &tally{of: map[string]*outcomes{}, busy: map[string]int{}} }

// begin notes that an operation has begun, and returns what notes its end.
func (a *tally) begin(name string) (ended func(error)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.of[name] == nil {
		a.of[name] = &outcomes{failed: map[string]int{}}
	}
	a.busy[name]++
	began := time.Now()
	return func(err error) {
		a.mu.Lock()
		defer a.mu.Unlock()
		o := a.of[name]
		took := time.Since(began)
		o.took += took
		o.longest = max(o.longest, took)
		if a.busy[name]--; a.busy[name] == 0 {
			delete(a.busy, name)
		}
		if err == nil {
			o.succeeded++
		} else {
			o.failed[kindOf(err)]++
		}
	}
}

// kindOf is the name of an error's number, or else its words.
func kindOf(err error) string {
	var number syscall.Errno
	var missing netlink.LinkNotFoundError
	switch {
	case errors.As(err, &number):
		return cmp.Or(unix.ErrnoName(number), number.Error())
	case errors.As(err, &missing):
		return "ENODEV"
	}
	return err.Error()
}

// underWay are the operations that have not ended.
func (a *tally) underWay() map[string]int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return maps.Clone(a.busy)
}

// lacking are the operations that have never succeeded.
func (a *tally) lacking(actors ...actor) (left []operation) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, actor := range actors {
		for _, o := range actor.operations {
			if a.of[o.name] == nil || a.of[o.name].succeeded == 0 {
				left = append(left, o)
			}
		}
	}
	return left
}

// tellAll logs how often each operation has succeeded and failed, and how.
func (a *tally) tellAll(t *testing.T) {
	t.Helper()
	a.mu.Lock()
	defer a.mu.Unlock()
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(a.of)) {
		o := a.of[name]
		fmt.Fprintf(&b, "\n%-22s %6.1f s, longest %5.2f s: %d succeeded", name, o.took.Seconds(), o.longest.Seconds(), o.succeeded)
		for _, kind := range slices.Sorted(maps.Keys(o.failed)) {
			fmt.Fprintf(&b, ", %d × %s", o.failed[kind], kind)
		}
	}
	t.Log(b.String())
}
