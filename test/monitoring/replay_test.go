package monitoring

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// A replay serves expositions on paths of their names. Each answer to a scrape
// has counters that are larger than those of the one before.
type replay struct {
	expositions map[string]string
	scrapes     map[string]*atomic.Int64
}

// loadReplay reads what the collectors' golden cases expose, cases of one name
// together, and the files of testdata/targets.
func loadReplay(t *testing.T) *replay {
	t.Helper()
	r := &replay{expositions: map[string]string{}, scrapes: map[string]*atomic.Int64{}}
	golden, err := filepath.Glob(root + "/collector/testdata/*/*/want.prom")
	if err != nil || len(golden) == 0 {
		t.Fatalf("%d golden cases, %v", len(golden), err)
	}
	for _, path := range golden {
		r.add(t, filepath.Base(filepath.Dir(path)), path)
	}
	written, err := filepath.Glob("testdata/targets/*.prom")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range written {
		r.add(t, strings.TrimSuffix(filepath.Base(path), ".prom"), path)
	}
	return r
}

func (r *replay) add(t *testing.T, name, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r.expositions[name] += string(text)
	r.scrapes[name] = new(atomic.Int64)
}

// serve answers on a socket of the caller's network namespace until the test
// ends, and returns the address.
func (r *replay) serve(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: r, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
	return l.Addr().String()
}

// ServeHTTP answers a scrape of /NAME.
func (r *replay) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	name := strings.TrimPrefix(request.URL.Path, "/")
	text, ok := r.expositions[name]
	if !ok {
		http.NotFound(w, request)
		return
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4")
	fmt.Fprint(w, grown(text, r.scrapes[name].Add(1)))
}

// grown is an exposition with the values of its counters times n.
func grown(text string, n int64) string {
	var b strings.Builder
	counter := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "# TYPE ") {
			counter = strings.HasSuffix(line, " counter\n")
		}
		at := strings.LastIndexByte(line, ' ')
		value, err := strconv.ParseFloat(strings.TrimSpace(line[at+1:]), 64)
		if !counter || strings.HasPrefix(line, "#") || err != nil {
			b.WriteString(line)
			continue
		}
		fmt.Fprintf(&b, "%s %s\n", line[:at], strconv.FormatFloat(value*float64(n), 'f', -1, 64))
	}
	return b.String()
}

func TestGrownCounters(t *testing.T) {
	const text = "# HELP a_total Of 2 kinds\n# TYPE a_total counter\na_total{b=\"c d\"} 2\na_total 0.5\n# TYPE e gauge\ne 7\n"
	const want = "# HELP a_total Of 2 kinds\n# TYPE a_total counter\na_total{b=\"c d\"} 6\na_total 1.5\n# TYPE e gauge\ne 7\n"
	if diff := cmp.Diff(want, grown(text, 3)); diff != "" {
		t.Errorf("exposition (-want +have):\n%s", diff)
	}
}

// TestReplayedSeriesAreInTheTable: what is served beside the real program has
// the names, kinds and labels that the real program has.
func TestReplayedSeriesAreInTheTable(t *testing.T) {
	known := knownMetrics(t)
	for name, text := range loadReplay(t).expositions {
		parser := expfmt.NewTextParser(model.UTF8Validation)
		families, err := parser.TextToMetricFamilies(strings.NewReader(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, family := range families {
			row := known[family.GetName()]
			if kind := strings.ToLower(family.GetType().String()); row.Kind != kind {
				t.Errorf("%s: %s is a %s, in the table a %q", name, family.GetName(), kind, row.Kind)
			}
			for _, series := range family.GetMetric() {
				var labels []string
				for _, l := range series.GetLabel() {
					labels = append(labels, l.GetName())
				}
				if diff := cmp.Diff(row.Labels, labels); diff != "" {
					t.Errorf("%s: %s, labels (-table +have):\n%s", name, family.GetName(), diff)
				}
			}
		}
	}
}
