package monitoring

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRulesAreComplete: every rule is tested, and every alert tells whoever is
// woken by it what to do.
func TestRulesAreComplete(t *testing.T) {
	for _, f := range shippedSuite(t).faults() {
		t.Error(f)
	}
}

// TestIncompleteRulesAreFound shows that each fault is.
func TestIncompleteRulesAreFound(t *testing.T) {
	bad := loadSuite(t, "testdata/rules/rules.yml", "testdata/rules/tests.yml", "testdata/rules/document.md")
	found := bad.faults()
	slices.Sort(found)
	want := []string{
		`DpuUntested: no annotation action`,
		`DpuUntested: no annotation impact`,
		`DpuUntested: no label layer`,
		`DpuUntested: no test in which it finds its series absent`,
		`DpuUntested: no test in which it fires`,
		`DpuUntested: no test in which it resolves`,
		`DpuUntested: no test in which it stays silent`,
		`DpuUntested: runbook_url is not https://github.com/dpu-exporter/dpu-exporter/blob/main/docs/monitoring.md#dpuuntested`,
		`DpuUntested: severity "page" is none of ["critical" "warning" "info"]`,
		`DpuUntested: the document has no heading of this name`,
		`LinkDown: description prints $labels.direction, which the expression does not have`,
		`LinkDown: no test in which it finds its series absent`,
		`LinkDown: no test in which it resolves`,
		`LinkDown: summary prints $labels.port, which the expression does not have`,
		`LinkDown: the name does not begin with Dpu`,
		`instance:never:tested: no test evaluates it`,
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Error(diff)
	}
}
