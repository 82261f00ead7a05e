package house

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// readers are the tests that read what an operator installs: a pattern of files
// (path.Match) and the folder of the tests, whose code names the pattern's end.
var readers = map[string]string{
	"deploy/alertmanager/alertmanager.yml":            "test/monitoring",
	"deploy/container/compose.yaml":                   "test/image",
	"deploy/container/compose.probes.yaml":            "test/image",
	"deploy/prometheus/prometheus.yml":                "test/monitoring",
	"deploy/prometheus/rules/*.yml":                   "test/monitoring",
	"deploy/prometheus/tests/*.yml":                   "test/monitoring",
	"deploy/systemd/dpu-exporter.default":             "test/systemd",
	"deploy/systemd/dpu-exporter.service":             "test/systemd",
	"deploy/systemd/probes.conf":                      "test/systemd",
	"grafana/*.json":                                  "test/monitoring",
	"grafana/provisioning/dashboards/dpu.yml":         "test/monitoring",
	"grafana/provisioning/datasources/prometheus.yml": "test/monitoring",
}

// unread are the files below deploy and grafana that no pattern claims.
func unread(tree fs.FS) (files []string, err error) {
	for _, folder := range []string{"deploy", "grafana"} {
		err = errors.Join(err, fs.WalkDir(tree, folder, func(file string, d fs.DirEntry, err error) error {
			claims := func(pattern string) bool {
				matches, wrong := path.Match(pattern, file)
				err = errors.Join(err, wrong)
				return matches
			}
			if err == nil && !d.IsDir() && !slices.ContainsFunc(slices.Collect(maps.Keys(readers)), claims) {
				files = append(files, file)
			}
			return err
		}))
	}
	return files, err
}

func TestUnreadFilesAreFound(t *testing.T) {
	tree := fstest.MapFS{}
	want := []string{"deploy/prometheus/rules/node.yaml", "deploy/prometheus/rules/old/node.yml", "deploy/systemd/dpu-exporter.socket", "grafana/alerts/node.json"}
	for _, file := range append([]string{"deploy/prometheus/rules/node.yml", "grafana/node.json", "metric/row.go"}, want...) {
		tree[file] = &fstest.MapFile{}
	}
	if have, err := unread(tree); err != nil || !slices.Equal(have, want) {
		t.Errorf("unread are %q, not %q; %v", have, want, err)
	}
	if _, err := unread(fstest.MapFS{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a folder: %v", err)
	}
}

// TestShippedFilesAreRead: every file that an operator installs has a reader, and
// every reader still names what it is said to read.
func TestShippedFilesAreRead(t *testing.T) {
	files, err := unread(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		t.Errorf("%s: no test reads it; write one, and name it in readers", file)
	}
	code := map[string]string{}
	goFiles(t, func(file string, source []byte) {
		code[path.Dir(file)] += string(source)
	})
	for pattern, reader := range readers {
		if !strings.Contains(code[reader], path.Base(pattern)+`"`) {
			t.Errorf("%s does not name %s", reader, pattern)
		}
		if found, err := fs.Glob(os.DirFS(root), pattern); err != nil || len(found) == 0 {
			t.Errorf("%s: %d files, %v", pattern, len(found), err)
		}
	}
}
