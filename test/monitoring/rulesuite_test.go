package monitoring

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A ruleTest is one group of a file for promtool test rules.
type ruleTest struct {
	Name   string `yaml:"name"`
	Alerts []struct {
		Name   string `yaml:"alertname"`
		Firing []struct {
			Labels map[string]string `yaml:"exp_labels"`
		} `yaml:"exp_alerts"`
	} `yaml:"alert_rule_test"`
	Expressions []struct {
		Expr string `yaml:"expr"`
	} `yaml:"promql_expr_test"`
}

// A ruleSuite is what belongs together: rules, the tests of them, and the
// document that their runbook links lead to.
type ruleSuite struct {
	rules    []rule
	tests    []ruleTest
	document string
}

// shippedSuite is that of deploy/prometheus.
func shippedSuite(t *testing.T) ruleSuite {
	t.Helper()
	return loadSuite(t, shippedRules, prometheusFolder+"/tests/*.yml", root+"/docs/monitoring.md")
}

// loadSuite reads the files that match the patterns, and the document.
func loadSuite(t *testing.T, rules, tests, document string) (s ruleSuite) {
	t.Helper()
	for _, path := range matches(t, rules) {
		more, err := rulesOf(path)
		if err != nil {
			t.Fatal(err)
		}
		s.rules = append(s.rules, more...)
	}
	for _, path := range matches(t, tests) {
		var file struct {
			Tests []ruleTest `yaml:"tests"`
		}
		readYAML(t, path, &file)
		s.tests = append(s.tests, file.Tests...)
	}
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	s.document = string(text)
	return s
}

// labelInText is a label that an annotation prints: {{ $labels.device }}.
var labelInText = regexp.MustCompile(`\$labels\.(\w+)`)

// runbooks is where the documents of this repository are read.
const runbooks = "https://github.com/dpu-exporter/dpu-exporter/blob/main/docs/monitoring.md#"

var (
	severities  = []string{"critical", "warning", "info"} // what deploy/alertmanager routes by
	annotations = []string{"summary", "description", "impact", "action", "runbook_url"}
)

// faults are what is missing to the rules of s.
func (s ruleSuite) faults() (faults []string) {
	for _, r := range s.rules {
		if r.Record != "" {
			faults = append(faults, s.faultsOfRecord(r.Record)...)
			continue
		}
		for _, f := range append(s.faultsOfText(r), s.faultsOfTests(r)...) {
			faults = append(faults, r.Alert+": "+f)
		}
	}
	return faults
}

func (s ruleSuite) faultsOfRecord(name string) []string {
	for _, test := range s.tests {
		for _, e := range test.Expressions {
			if strings.Contains(e.Expr, name) {
				return nil
			}
		}
	}
	return []string{name + ": no test evaluates it"}
}

func (s ruleSuite) faultsOfText(r rule) (faults []string) {
	if !strings.HasPrefix(r.Alert, "Dpu") {
		faults = append(faults, "the name does not begin with Dpu")
	}
	if severity := r.Labels["severity"]; !slices.Contains(severities, severity) {
		faults = append(faults, fmt.Sprintf("severity %q is none of %q", severity, severities))
	}
	if r.Labels["layer"] == "" {
		faults = append(faults, "no label layer")
	}
	for _, name := range annotations {
		if r.Annotations[name] == "" {
			faults = append(faults, "no annotation "+name)
		}
	}
	anchor := strings.ToLower(r.Alert)
	if url := r.Annotations["runbook_url"]; url != "" && url != runbooks+anchor {
		faults = append(faults, fmt.Sprintf("runbook_url is not %s%s", runbooks, anchor))
	}
	if !strings.Contains(s.document, "\n### "+r.Alert+"\n") {
		faults = append(faults, "the document has no heading of this name")
	}
	return faults
}

// faultsOfTests: an alert must be seen firing, resolving and silent, and it
// must be said what becomes of it when what it reads is absent. Since promtool
// compares the labels of what fires, they are those that an annotation may print.
func (s ruleSuite) faultsOfTests(r rule) (faults []string) {
	var fires, resolves, silent, absent bool
	for _, test := range s.tests {
		asked, fired := false, false
		for _, a := range test.Alerts {
			if a.Name != r.Alert {
				continue
			}
			asked = true
			resolves = resolves || fired && len(a.Firing) == 0
			fired = fired || len(a.Firing) > 0
			for _, f := range a.Firing {
				faults = append(faults, faultsOfLabels(r, f.Labels)...)
			}
		}
		fires = fires || fired
		silent = silent || asked && !fired
		absent = absent || asked && strings.Contains(test.Name, "absent")
	}
	for what, there := range map[string]bool{"fires": fires, "resolves": resolves, "stays silent": silent, "finds its series absent": absent} {
		if !there {
			faults = append(faults, "no test in which it "+what)
		}
	}
	return faults
}

// faultsOfLabels: an annotation sees the labels of the expression, not those
// that the rule adds.
func faultsOfLabels(r rule, firing map[string]string) (faults []string) {
	for name, text := range r.Annotations {
		for _, m := range labelInText.FindAllStringSubmatch(text, -1) {
			if _, added := r.Labels[m[1]]; added || firing[m[1]] == "" {
				faults = append(faults, fmt.Sprintf("%s prints $labels.%s, which the expression does not have", name, m[1]))
			}
		}
	}
	return faults
}
