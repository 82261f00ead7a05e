package monitoring

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
)

// patience is how long a Prometheus that does everything each second may take
// to answer everything.
const patience = 30 * time.Second

// An expectation is something that a running Prometheus answers sooner or later.
type expectation struct {
	name string
	ask  func() error
}

// await asks until nothing fails, and reports what still fails at the end.
func await(t *testing.T, all []expectation) {
	t.Helper()
	deadline := time.After(patience)
	again := time.NewTicker(500 * time.Millisecond)
	defer again.Stop()
	for {
		var failures []error
		all = slices.DeleteFunc(all, func(e expectation) bool {
			err := e.ask()
			if err != nil {
				failures = append(failures, fmt.Errorf("%s: %w", e.name, err))
			}
			return err == nil
		})
		if len(all) == 0 {
			return
		}
		select {
		case <-again.C:
		case <-deadline:
			t.Fatal(errors.Join(failures...))
		}
	}
}

// TestPrometheusAnswers: a real Prometheus that scrapes the real program and
// what is replayed beside it evaluates every rule and answers every query of
// every dashboard, none with nothing. What no target is known to have fails.
func TestPrometheusAnswers(t *testing.T) {
	rules := matches(t, shippedRules)
	s, targets := startWorld(t, rules)
	await(t, []expectation{{"targets", func() error { return s.expectUp(targets) }}})
	await(t, s.expectRules(t, rules))
	for _, path := range matches(t, shippedDashboards) {
		d, err := loadDashboard(path)
		if err != nil {
			t.Fatal(err)
		}
		all, chosen := s.selections(t, d)
		await(t, append(s.expectPanels(t, d, all), s.expectPanels(t, d, chosen)...))
		s.reportSources(t, filepath.Base(path), d, all)
	}
}

// expectUp asks whether all targets were scraped.
func (s *server) expectUp(targets int) error {
	answer, err := s.instant("up == 1")
	if err == nil && len(answer) != targets {
		err = fmt.Errorf("%d of %d are up", len(answer), targets)
	}
	return err
}

// expectPanels asks all queries of a dashboard.
func (s *server) expectPanels(t *testing.T, d classic, chosen selection) (all []expectation) {
	t.Helper()
	for _, p := range panelsOf(d) {
		queries, err := queriesOf(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range queries {
			all = append(all, expectation{
				fmt.Sprintf("%s, query %s", nameOf(p), orEmpty(q.RefId)),
				func() error { return s.askPanel(q, chosen) },
			})
		}
	}
	return all
}

// askPanel asks a query of a panel as Grafana does.
func (s *server) askPanel(q prometheus.Dataquery, chosen selection) error {
	query, err := chosen.in(q.Expr)
	if err != nil {
		return err
	}
	ask := s.overTime
	if orEmpty(q.Instant) {
		ask = s.instant
	}
	answer, err := ask(query)
	return numbers(query, answer, err)
}

// reportSources prints which panels the real program alone fills, and which
// need what is replayed.
func (s *server) reportSources(t *testing.T, file string, d classic, all selection) {
	t.Helper()
	alone := selection{}
	for name, values := range all {
		alone[name] = values
	}
	alone["instance"] = []string{live}
	for _, p := range panelsOf(d) {
		queries, err := queriesOf(p)
		if err != nil {
			t.Fatal(err)
		}
		source := live
		for _, q := range queries {
			if s.askPanel(q, alone) != nil {
				source = "replayed"
			}
		}
		t.Logf("%s: %-8s %s", file, source, nameOf(p))
	}
}
