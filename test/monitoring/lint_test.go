package monitoring

import (
	"path/filepath"
	"testing"
)

// TestShippedFilesHaveNoFaults: every dashboard and every file of rules uses
// the metrics of the real program, each according to its kind, unit and labels.
func TestShippedFilesHaveNoFaults(t *testing.T) {
	known := knownMetrics(t)
	rules := matches(t, shippedRules)
	recorded, err := recordedIn(rules)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(matches(t, shippedDashboards), rules...) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			findings, err := lint(path, known, recorded)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range findings {
				t.Error(f)
			}
		})
	}
}
