package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"go.uber.org/goleak"

	"github.com/dpu-exporter/dpu-exporter/metric"
	"github.com/dpu-exporter/dpu-exporter/test/need"
	"github.com/dpu-exporter/dpu-exporter/test/worlds"
)

// How hard the churn is: each tick adds a group of veth pairs and removes the
// oldest group, so 200 links come and 200 go every second.
const (
	churnFor    = 60 * time.Second
	churnTick   = 100 * time.Millisecond
	churnPairs  = 10 // of a group
	churnGroups = 5  // that live at a time
)

// TestChurn scrapes in parallel while 200 links a second come and go, and
// afterwards looks for what should be gone.
func TestChurn(t *testing.T) {
	need.Long(t)
	worlds.Enter(t)
	before := openFiles(t)
	leaks := goleak.IgnoreCurrent()
	n, end := runNode(t)
	handler := metric.NewHandler(n.runner, metric.NewRuntime(), metric.HandlerOptions{Log: slog.New(slog.DiscardHandler)})

	stop := make(chan struct{})
	var scrapers sync.WaitGroup
	for _, query := range []string{"", "?collect[]=interface", "?exclude[]=exporter"} {
		scrapers.Go(func() { scrapeUntil(t, stop, handler.ServeHTTP, "/metrics"+query) })
	}
	began := time.Now()
	links := churn(t)
	t.Logf("%.0f links a second came and went", float64(links)/time.Since(began).Seconds())
	close(stop)
	scrapers.Wait()

	awaitDevices(t, n, "lo")
	text := scrapeText(t, handler.ServeHTTP, "/metrics")
	if strings.Contains(text, `device="ch`) {
		t.Errorf("a device that is gone is still exported:\n%s", text)
	}
	for _, name := range []string{"interface", "exporter"} {
		if line := fmt.Sprintf("dpu_collector_errors_total{collector=%q} 0\n", name); !strings.Contains(text, line) {
			t.Errorf("no line %q in:\n%s", line, text)
		}
	}
	end()
	if after := openFiles(t); after > before {
		t.Errorf("%d files were open before and %d after", before, after)
	}
	goleak.VerifyNone(t, leaks)
}

// runNode opens a node in the current namespace and keeps it fresh until end.
func runNode(t *testing.T) (n *node, end func()) {
	t.Helper()
	o, _, err := parse([]string{"serve", "--interface.fields=all"}, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	n, err = openNode(t.Context(), o, slog.New(slog.NewTextHandler(t.Output(), nil)))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	for _, run := range []func(context.Context) error{n.inventory.Run, n.runner.Run} {
		running.Go(func() {
			if err := run(ctx); err != nil && ctx.Err() == nil {
				t.Errorf("run: %v", err)
			}
		})
	}
	return n, func() {
		cancel()
		running.Wait()
		if err := n.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
}

// churn adds, renames and removes links and returns how many came and went.
func churn(t *testing.T) (links int) {
	t.Helper()
	ticker := time.NewTicker(churnTick)
	defer ticker.Stop()
	last := int(churnFor / churnTick)
	for i := 1; i <= last+churnGroups; i++ {
		if i <= last {
			<-ticker.C
			addGroup(t, i)
			links += 2 * churnPairs
		}
		if gone := i - churnGroups; gone > 0 {
			worlds.DeleteGroup(t, gone)
		}
	}
	return links
}

// addGroup adds veth pairs, one end with a hostile name, and renames one of them.
func addGroup(t *testing.T, group int) {
	t.Helper()
	for j := range churnPairs {
		worlds.AddVethInGroup(t, fmt.Sprintf("ch%d_%d", group, j), fmt.Sprintf("ch%d_%d\"\xff}", group, j), group)
	}
	worlds.Rename(t, fmt.Sprintf("ch%d_0", group), fmt.Sprintf("chr%d", group))
}

func awaitDevices(t *testing.T, n *node, want string) {
	t.Helper()
	deadline := time.After(10 * time.Second)
	for {
		changed := n.inventory.Changed()
		var names []string
		for _, d := range n.inventory.Snapshot().Devices {
			names = append(names, d.Name)
		}
		if strings.Join(names, " ") == want {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			t.Fatalf("devices are %q, want %q", names, want)
		}
	}
}

// scrapeUntil scrapes and parses until stop is closed.
func scrapeUntil(t *testing.T, stop <-chan struct{}, serve http.HandlerFunc, target string) {
	for {
		select {
		case <-stop:
			return
		default:
		}
		text := scrapeText(t, serve, target)
		parser := expfmt.NewTextParser(model.UTF8Validation)
		families, err := parser.TextToMetricFamilies(strings.NewReader(text))
		if err != nil {
			t.Errorf("%s does not parse: %v", target, err)
			return
		}
		for _, m := range families["dpu_collector_success"].GetMetric() {
			if m.GetGauge().GetValue() != 1 {
				t.Errorf("a collector failed during the churn: %v", m)
			}
		}
	}
}

func scrapeText(t *testing.T, serve http.HandlerFunc, target string) string {
	w := httptest.NewRecorder()
	serve(w, httptest.NewRequest("GET", target, nil))
	if w.Code != 200 {
		t.Errorf("%s: %d\n%s", target, w.Code, w.Body)
	}
	return w.Body.String()
}

func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}
