package main

import (
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dpu-exporter/dpu-exporter/web"
)

// answering is a handler that always answers with one status.
type answering int

func (a answering) ServeHTTP(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(int(a)) }

func TestLivenessByStatus(t *testing.T) {
	for status, alive := range map[int]bool{200: true, 503: true, 400: false, 404: false, 500: false} {
		err := liveness{handler: answering(status), target: "/metrics"}.ask()
		if (err == nil) != alive {
			t.Errorf("%d: %v", status, err)
		}
		if !alive && !strings.Contains(err.Error(), "/metrics answers ") {
			t.Errorf("%d: %v", status, err)
		}
	}
}

// TestLivenessHangsWhereAScrapeWould: a lock that is never let go of, or a handler
// that never answers, leaves the question open.
func TestLivenessHangsWhereAScrapeWould(t *testing.T) {
	block := make(chan struct{})
	hang := func() { <-block }
	for name, l := range map[string]liveness{
		"lock":    {locks: []func(){hang}, handler: answering(200), target: "/metrics"},
		"handler": {handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hang() }), target: "/metrics"},
	} {
		synctest.Test(t, func(t *testing.T) {
			unlocked := make(chan struct{})
			block = unlocked
			answered := false
			var asking sync.WaitGroup
			asking.Go(func() {
				if err := l.ask(); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				answered = true
			})
			time.Sleep(time.Hour)
			synctest.Wait()
			if answered {
				t.Errorf("%s: answered while it hangs", name)
			}
			close(unlocked)
			asking.Wait()
		})
	}
}

// TestLivenessCollectsNothing: the question of a real node is answered, and no
// collector has run.
func TestLivenessCollectsNothing(t *testing.T) {
	for _, flags := range []string{"--web.telemetry-path=/m", "--collector.disable-defaults"} {
		o, _, err := parse([]string{"serve", flags}, t.Output())
		if err != nil {
			t.Fatal(err)
		}
		n, err := openNode(t.Context(), o, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		handler, err := web.Handler(n.pages(slog.New(slog.DiscardHandler), new(atomic.Bool)))
		if err != nil {
			t.Fatal(err)
		}
		l := n.liveness(handler)
		if err := l.ask(); err != nil {
			t.Errorf("%s: %v", flags, err)
		}
		if len(l.locks) != 2 {
			t.Errorf("%d locks are taken, want those of the inventory and of the runner", len(l.locks))
		}
		for _, r := range n.runner.Latest() {
			if !r.Began.IsZero() {
				t.Errorf("%s: collector %s ran", flags, r.Collector)
			}
		}
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	}
}
