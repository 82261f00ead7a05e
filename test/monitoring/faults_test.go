package monitoring

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/prometheus/promql/parser"
)

// TestLintFindsFaults: each file of testdata/faults has the faults that the file
// beside it (.want) says, one a line in any order, and no other.
func TestLintFindsFaults(t *testing.T) {
	known := knownMetrics(t)
	files, err := filepath.Glob("testdata/faults/*.want")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, want := range files {
		path := strings.TrimSuffix(want, ".want")
		t.Run(filepath.Base(path), func(t *testing.T) {
			if diff := cmp.Diff(lines(t, want), findings(path, known)); diff != "" {
				t.Errorf("faults (-want +have):\n%s", diff)
			}
		})
	}
}

// findings are those of lint, or the faults for which it cannot read the file.
func findings(path string, known metrics) []string {
	recorded := map[string]parser.Expr{}
	if filepath.Ext(path) == ".yml" {
		var err error
		if recorded, err = recordedIn([]string{path}); err != nil {
			return []string{err.Error()}
		}
	}
	have, err := lint(path, known, recorded)
	if err != nil {
		have = strings.Split(strings.TrimPrefix(err.Error(), path+": "), "\n")
	}
	slices.Sort(have)
	return have
}

// lines are the lines of a file, sorted.
func lines(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Split(strings.TrimSpace(string(text)), "\n")
	slices.Sort(all)
	return all
}
