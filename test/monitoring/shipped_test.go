package monitoring

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/test/program"
)

// root is the top of the tree, seen from this folder, and what is shipped in it.
const (
	root              = "../.."
	prometheusFolder  = root + "/deploy/prometheus"
	shippedRules      = prometheusFolder + "/rules/*.yml"
	shippedDashboards = root + "/grafana/*.json"
)

// exporter is the path of the program, built once for all tests.
var exporter string

func TestMain(m *testing.M) {
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	folder, err := os.MkdirTemp("", "monitoring")
	if err == nil {
		defer os.RemoveAll(folder)
		exporter, err = program.BuildIn(folder)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// knownMetrics is the program's table.
func knownMetrics(t *testing.T) metrics {
	t.Helper()
	text, err := exec.CommandContext(t.Context(), exporter, "metrics", "--describe=json").Output()
	if err != nil {
		t.Fatalf("describe metrics: %v", err)
	}
	known, err := parseTable(text)
	if err != nil {
		t.Fatal(err)
	}
	if known["dpu_interface_receive_bytes_total"].Kind != "counter" || len(known) < 50 {
		t.Fatalf("the table has %d metrics", len(known))
	}
	return known
}

// matches are the files of a pattern; there is one at least.
func matches(t *testing.T, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: %d files, %v", pattern, len(paths), err)
	}
	return paths
}
