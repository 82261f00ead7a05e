package monitoring

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/prometheus/prometheus/promql/parser"
)

// expectRules asks whether every rule is evaluated without error, what every
// recording rule makes, and whether the series that alerts ask for exist: an
// alert on series that nobody has never fires.
func (s *server) expectRules(t *testing.T, files []string) []expectation {
	t.Helper()
	rules := 0
	var all []expectation
	for _, file := range files {
		defined, err := rulesOf(file)
		if err != nil {
			t.Fatal(err)
		}
		rules += len(defined)
		for _, r := range defined {
			queries := []string{r.Record}
			if r.Alert != "" {
				queries = selectorsOf(t, r.Expr)
			}
			for _, query := range queries {
				all = append(all, expectation{"rule " + r.Record + r.Alert, func() error {
					answer, err := s.instant(query)
					return numbers(query, answer, err)
				}})
			}
		}
	}
	return append(all, expectation{"rules", func() error { return s.expectHealthy(rules) }})
}

// expectHealthy asks whether Prometheus has evaluated all rules without error.
func (s *server) expectHealthy(rules int) error {
	var data struct {
		Groups []struct {
			Rules []struct{ Name, Health, LastError string }
		}
	}
	if err := s.get("rules", nil, &data); err != nil {
		return err
	}
	for _, g := range data.Groups {
		for _, r := range g.Rules {
			rules--
			if r.Health != "ok" {
				return fmt.Errorf("%s is %s: %s", r.Name, r.Health, r.LastError)
			}
		}
	}
	if rules != 0 {
		return fmt.Errorf("%d more rules in the files than Prometheus has", rules)
	}
	return nil
}

// selectorsOf are the selectors of an expression, of now, but for those that
// absent() hopes to find without series.
func selectorsOf(t *testing.T, text string) (all []string) {
	t.Helper()
	e, err := parser.ParseExpr(text)
	if err != nil {
		t.Fatal(err)
	}
	parser.Inspect(e, func(node parser.Node, above []parser.Node) error {
		selector, ok := node.(*parser.VectorSelector)
		if !ok || slices.ContainsFunc(above, isAbsent) {
			return nil
		}
		now := *selector
		now.OriginalOffset, now.Timestamp, now.StartOrEnd = 0, nil, 0
		all = append(all, now.String())
		return nil
	})
	return all
}

func isAbsent(node parser.Node) bool {
	call, ok := node.(*parser.Call)
	return ok && strings.HasPrefix(call.Func.Name, "absent")
}

// selections are two that a reader may make: All wherever there is All, and
// every value by itself; the windows are what Grafana makes of a scrape
// interval of a second. A variable without values fails.
func (s *server) selections(t *testing.T, d classic) (all, chosen selection) {
	t.Helper()
	all = selection{"__rate_interval": {"10s"}, "__interval": {"1s"}}
	chosen = selection{}
	for name, window := range all {
		chosen[name] = window
	}
	for _, v := range d.Templating.List {
		if v.Type != dashboard.VariableTypeQuery {
			continue
		}
		values, err := s.valuesOf(v, chosen)
		if err != nil || len(values) == 0 {
			t.Fatalf("variable %s has %d values, %v", v.Name, len(values), err)
		}
		t.Logf("variable %s: %s", v.Name, strings.Join(values, " "))
		if !orEmpty(v.Multi) {
			values = values[:1]
		}
		chosen[v.Name], all[v.Name] = values, values
		if orEmpty(v.IncludeAll) && orEmpty(v.AllValue) != "" {
			all[v.Name] = []string{*v.AllValue}
		}
	}
	return all, chosen
}

// valuesOf asks for the values of a variable under what is chosen so far.
func (s *server) valuesOf(v dashboard.VariableModel, chosen selection) ([]string, error) {
	m := labelValues.FindStringSubmatch(variableQuery(v))
	if m == nil {
		return nil, fmt.Errorf("query %q", variableQuery(v))
	}
	selector, err := chosen.in(m[1])
	if err != nil {
		return nil, err
	}
	return s.labelValues(selector, m[2])
}
