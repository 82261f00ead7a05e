package metric

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
)

// fakeSource has two collectors, a and b, and remembers what it was asked.
type fakeSource struct {
	sets    map[string]*Set
	gather  func(ctx context.Context) // called by Gather, when set
	mu      sync.Mutex
	collect []string
	exclude []string
}

func newFakeSource(t testing.TB) *fakeSource {
	a, b := NewSet([]*Row{rowBytes}), NewSet([]*Row{rowUp})
	fill(t, a, func(e *Emitter) { e.Add(rowBytes, 7, "eth0") })
	fill(t, b, func(e *Emitter) { e.Add(rowUp, 1) })
	return &fakeSource{sets: map[string]*Set{"a": a, "b": b}}
}

func (s *fakeSource) Select(collect, exclude []string) ([]string, error) {
	s.mu.Lock()
	s.collect, s.exclude = collect, exclude
	s.mu.Unlock()
	var names []string
	for _, n := range []string{"a", "b"} {
		if (collect == nil || slices.Contains(collect, n)) && !slices.Contains(exclude, n) {
			names = append(names, n)
		}
	}
	if slices.Contains(collect, "x") {
		return nil, errors.New("no collector x, there are a, b")
	}
	return names, nil
}

func (s *fakeSource) Gather(ctx context.Context, names []string) []*Set {
	if s.gather != nil {
		s.gather(ctx)
	}
	var sets []*Set
	for _, n := range names {
		sets = append(sets, s.sets[n])
	}
	return sets
}

const (
	textA = "# HELP dpu_interface_receive_bytes_total Bytes received.\n# TYPE dpu_interface_receive_bytes_total counter\n" +
		"dpu_interface_receive_bytes_total{device=\"eth0\"} 7\n"
	textB = "# HELP dpu_exporter_up Always 1.\n# TYPE dpu_exporter_up gauge\ndpu_exporter_up 1\n"
)

// scrape makes one request; header is pairs of name and value.
func scrape(h http.Handler, method, target string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestHandlerRefusals(t *testing.T) {
	h := NewHandler(newFakeSource(t), nil, HandlerOptions{})
	for _, c := range []struct {
		method, target string
		code           int
		body           string
	}{
		{"POST", "/metrics", 405, "only GET and HEAD are answered here\n"},
		{"DELETE", "/metrics?collect[]=x", 405, "only GET and HEAD are answered here\n"},
		{"GET", "/metrics?collect[]=x", 400, "no collector x, there are a, b\n"},
		{"GET", "/metrics?collect[]=a;b", 400, "read query: invalid semicolon separator in query\n"},
		{"GET", "/metrics?collect[]=%zz", 400, "read query: invalid URL escape \"%zz\"\n"},
	} {
		w := scrape(h, c.method, c.target)
		if w.Code != c.code || w.Body.String() != c.body {
			t.Errorf("%s %s = %d %q, want %d %q", c.method, c.target, w.Code, w.Body, c.code, c.body)
		}
		if allow := w.Header().Get("Allow"); (c.code == 405) != (allow == "GET, HEAD") {
			t.Errorf("%s %s: Allow is %q", c.method, c.target, allow)
		}
	}
}

func TestHandlerSelection(t *testing.T) {
	s := newFakeSource(t)
	h := NewHandler(s, nil, HandlerOptions{})
	for query, want := range map[string]string{
		"":                         textA + textB,
		"?unknown=1":               textA + textB,
		"?collect[]=b":             textB,
		"?collect[]=a&collect[]=b": textA + textB,
		"?" + url.QueryEscape("exclude[]") + "=b": textA,
		"?exclude[]=a&exclude[]=b":                "",
	} {
		if w := scrape(h, "GET", "/metrics"+query); w.Code != 200 || w.Body.String() != want {
			t.Errorf("%q = %d %q, want %q", query, w.Code, w.Body, want)
		}
	}
	scrape(h, "GET", "/metrics?collect[]=a&collect[]=b&exclude[]=c")
	if !slices.Equal(s.collect, []string{"a", "b"}) || !slices.Equal(s.exclude, []string{"c"}) {
		t.Errorf("Select got %q and %q", s.collect, s.exclude)
	}
}

func TestHandlerHead(t *testing.T) {
	h := NewHandler(newFakeSource(t), nil, HandlerOptions{})
	w := scrape(h, "HEAD", "/metrics")
	if w.Code != 200 || w.Body.Len() != 0 || w.Header().Get("Content-Length") != strconv.Itoa(len(textA+textB)) {
		t.Errorf("HEAD = %d, %d bytes, %v", w.Code, w.Body.Len(), w.Header())
	}
}

// What Prometheus really sends in Accept: 2.42, 3.x, and 3.x with native histograms.
const (
	accept242 = `application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,` +
		`text/plain;version=0.0.4;q=0.5,*/*;q=0.1`
	accept3 = `application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,` +
		`text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2`
	accept3Native = `application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.7,` + accept3
)

func TestHandlerFormats(t *testing.T) {
	h := NewHandler(newFakeSource(t), NewRuntime(), HandlerOptions{})
	const (
		plain    = "text/plain; version=0.0.4; charset=utf-8"
		protobuf = "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited"
	)
	for accept, want := range map[string]string{
		"":                        plain,
		"*/*":                     plain,
		"text/html":               plain,
		accept242:                 plain,
		accept3:                   plain,
		accept3Native:             protobuf,
		"application/json, bogus": plain,
		"application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=text": plain,
	} {
		w := scrape(h, "GET", "/metrics", "Accept", accept)
		if got := w.Header().Get("Content-Type"); got != want {
			t.Errorf("Accept %q: Content-Type %q, want %q", accept, got, want)
		}
		families := decode(t, w.Body, expfmt.Format(want))
		want := []string{`COUNTER dpu_interface_receive_bytes_total "Bytes received." device="eth0" 7`, `GAUGE dpu_exporter_up "Always 1." 1`}
		got := append(flat(families["dpu_interface_receive_bytes_total"]), flat(families["dpu_exporter_up"])...)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Accept %q (-want +got):\n%s", accept, diff)
		}
		if families["go_goroutines"] == nil || families["process_start_time_seconds"] == nil {
			t.Errorf("Accept %q: runtime metrics are missing", accept)
		}
		if got := w.Header().Get("Vary"); got != "Accept, Accept-Encoding" {
			t.Errorf("Vary = %q", got)
		}
	}
}

func decode(t *testing.T, body io.Reader, f expfmt.Format) map[string]*dto.MetricFamily {
	t.Helper()
	families := map[string]*dto.MetricFamily{}
	d := expfmt.NewDecoder(body, f)
	for {
		family := &dto.MetricFamily{}
		err := d.Decode(family)
		if errors.Is(err, io.EOF) {
			return families
		}
		if err != nil {
			t.Fatalf("decode own %s: %v", f, err)
		}
		families[family.GetName()] = family
	}
}

func TestHandlerGzip(t *testing.T) {
	h := NewHandler(newFakeSource(t), nil, HandlerOptions{})
	for range 3 { // the pooled writer and buffers are used again
		w := scrape(h, "GET", "/metrics", "Accept-Encoding", "gzip")
		if w.Header().Get("Content-Encoding") != "gzip" || w.Header().Get("Content-Length") != strconv.Itoa(w.Body.Len()) {
			t.Errorf("header %v for %d bytes", w.Header(), w.Body.Len())
		}
		z, err := gzip.NewReader(w.Body)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(z); err != nil || string(got) != textA+textB {
			t.Errorf("body %q, %v", got, err)
		}
	}
	if w := scrape(h, "GET", "/metrics"); w.Header().Get("Content-Encoding") != "" || w.Body.String() != textA+textB {
		t.Errorf("not asked for gzip: %v %q", w.Header(), w.Body)
	}
}

func TestHandlerBusy(t *testing.T) {
	s := newFakeSource(t)
	inside, leave := make(chan struct{}), make(chan struct{})
	s.gather = func(context.Context) { inside <- struct{}{}; <-leave }
	h := NewHandler(s, nil, HandlerOptions{MaxRequests: 2})
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if w := scrape(h, "GET", "/metrics"); w.Code != 200 {
				t.Errorf("scrape within the limit = %d", w.Code)
			}
		})
		<-inside
	}
	if w := scrape(h, "GET", "/metrics"); w.Code != 503 || w.Body.String() != "too many scrapes at once, try again later (limit 2)\n" {
		t.Errorf("scrape beyond the limit = %d %q", w.Code, w.Body)
	}
	close(leave)
	wg.Wait()
	s.gather = nil
	for range 5 { // slots came back
		if w := scrape(h, "GET", "/metrics"); w.Code != 200 {
			t.Errorf("scrape afterwards = %d", w.Code)
		}
	}
}

func TestHandlerDeadline(t *testing.T) {
	s := newFakeSource(t)
	var left time.Duration
	s.gather = func(ctx context.Context) {
		deadline, ok := ctx.Deadline()
		if !ok {
			t.Error("no deadline")
		}
		left = time.Until(deadline)
	}
	h := NewHandler(s, nil, HandlerOptions{Timeout: time.Minute})
	for header, want := range map[string]time.Duration{"": time.Minute, "20": 19500 * time.Millisecond, "NaN": time.Minute} {
		scrape(h, "GET", "/metrics", "X-Prometheus-Scrape-Timeout-Seconds", header)
		if left > want || left < want-10*time.Second {
			t.Errorf("timeout %q leaves %v, want %v", header, left, want)
		}
	}
}

type gathererFunc func() ([]*dto.MetricFamily, error)

func (f gathererFunc) Gather() ([]*dto.MetricFamily, error) { return f() }

func TestHandlerRuntimeFaultsHideNothing(t *testing.T) {
	name, value := "go_x", 1.0
	x := &dto.MetricFamily{Name: &name, Type: dto.MetricType_GAUGE.Enum(), Metric: []*dto.Metric{{Gauge: &dto.Gauge{Value: &value}}}}
	noMetrics := &dto.MetricFamily{Name: &name} // expfmt refuses it
	for _, c := range []struct {
		gather prometheus.Gatherer
		extra  string
		log    string
	}{
		{gathererFunc(func() ([]*dto.MetricFamily, error) { panic("boom") }), "", "Runtime metrics panicked"},
		{gathererFunc(func() ([]*dto.MetricFamily, error) { return nil, errors.New("no proc") }), "", "no proc"},
		{gathererFunc(func() ([]*dto.MetricFamily, error) { return []*dto.MetricFamily{noMetrics, x}, nil }), "# TYPE go_x gauge\ngo_x 1\n", "Family left out"},
		{gathererFunc(func() ([]*dto.MetricFamily, error) { return []*dto.MetricFamily{x}, errors.New("half") }), "# TYPE go_x gauge\ngo_x 1\n", "half"},
	} {
		var log bytes.Buffer
		h := NewHandler(newFakeSource(t), c.gather, HandlerOptions{Log: slog.New(slog.NewTextHandler(&log, nil))})
		if w := scrape(h, "GET", "/metrics"); w.Code != 200 || w.Body.String() != textA+textB+c.extra {
			t.Errorf("%s: %d %q", c.log, w.Code, w.Body)
		}
		if !strings.Contains(log.String(), c.log) {
			t.Errorf("log %q lacks %q", &log, c.log)
		}
	}
}

func TestHandlerPanicInGather(t *testing.T) {
	s := newFakeSource(t)
	s.gather = func(context.Context) { panic("boom") }
	var log bytes.Buffer
	h := NewHandler(s, nil, HandlerOptions{MaxRequests: 1, Log: slog.New(slog.NewTextHandler(&log, nil))})
	w := scrape(h, "GET", "/metrics")
	if w.Code != 500 || w.Body.String() != "collection panicked, the log has the stack\n" {
		t.Errorf("answer = %d %q", w.Code, w.Body)
	}
	if got := log.String(); strings.Count(got, "panic=boom") != 1 || !strings.Contains(got, "handler_test.go") {
		t.Errorf("log = %q, want one entry with the stack", got)
	}
	s.gather = nil
	if w := scrape(h, "GET", "/metrics"); w.Code != 200 {
		t.Errorf("scrape after a panic = %d, the slot was not given back", w.Code)
	}
}

func TestLargeBuffersAreNotKept(t *testing.T) {
	var p pool
	p.give(&buffer{b: make([]byte, 0, maxKept+1)})
	for range 100 {
		if b := p.take(); cap(b.b) > maxKept {
			t.Fatalf("a buffer of %d bytes was kept", cap(b.b))
		}
	}
}
