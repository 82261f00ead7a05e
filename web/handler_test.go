package web

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// options are those of a node that is ready.
func options() Options {
	return Options{
		Version:       "1.2.3",
		TelemetryPath: "/metrics",
		Metrics: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, "metrics "+r.URL.RawQuery)
		}),
		Summary: func() string { return "2 uplinks, 16 VF representors" },
		Ready:   func() bool { return true },
		Reload:  func() error { return nil },
	}
}

func handler(t *testing.T, o Options) http.Handler {
	t.Helper()
	h, err := Handler(o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func do(h http.Handler, method, target string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, target, nil))
	return w
}

func TestRoutes(t *testing.T) {
	broken := errors.New("fleet.yml:3: unknown key \"prboes\"")
	notReady := func(o *Options) { o.Ready = func() bool { return false } }
	lifecycle := func(o *Options) { o.EnableLifecycle = true }
	failing := func(o *Options) { lifecycle(o); o.Reload = func() error { return broken } }
	atRoot := func(o *Options) { o.TelemetryPath = "/" }
	below := func(o *Options) { o.TelemetryPath = "/a/b/" }
	const off = "Reload over HTTP is off; it is allowed by --web.enable-lifecycle. SIGHUP reloads too.\n"
	for _, c := range []struct {
		set            func(*Options)
		method, target string
		status         int
		body           string // "" is any
	}{
		{nil, "GET", "/metrics?collect[]=interface", 200, "metrics collect[]=interface"},
		{nil, "GET", "/metrics/", 404, ""},
		{nil, "GET", "/", 200, ""},
		{nil, "HEAD", "/", 200, ""},
		{nil, "POST", "/", 405, ""},
		{nil, "GET", "/favicon.ico", 404, "404 page not found\n"},
		{nil, "GET", "/-/", 404, "404 page not found\n"},
		{nil, "GET", "/-/healthy", 200, "dpu-exporter is healthy.\n"},
		{nil, "GET", "/-/ready", 200, "dpu-exporter is ready.\n"},
		{notReady, "GET", "/-/ready", 503, "dpu-exporter is not ready yet.\n"},
		{notReady, "GET", "/-/healthy", 200, "dpu-exporter is healthy.\n"},
		{nil, "POST", "/-/reload", 403, off},
		{nil, "PUT", "/-/reload", 403, off},
		{nil, "GET", "/-/reload", 405, ""},
		{lifecycle, "POST", "/-/reload", 200, "Configuration reloaded.\n"},
		{lifecycle, "PUT", "/-/reload", 200, "Configuration reloaded.\n"},
		{lifecycle, "GET", "/-/reload", 405, ""},
		{failing, "POST", "/-/reload", 500, "Not reloaded, the old configuration stays in force:\n" + broken.Error() + "\n"},
		{atRoot, "GET", "/", 200, "metrics "},
		{atRoot, "GET", "/metrics", 404, ""},
		{below, "GET", "/a/b/", 200, "metrics "},
		{below, "GET", "/a/b/c", 404, ""},
		{below, "GET", "/", 200, ""},
	} {
		o := options()
		if c.set != nil {
			c.set(&o)
		}
		w := do(handler(t, o), c.method, c.target)
		if w.Code != c.status || c.body != "" && w.Body.String() != c.body {
			t.Errorf("%s %s with telemetry path %s: %d %q; want %d %q",
				c.method, c.target, o.TelemetryPath, w.Code, w.Body, c.status, c.body)
		}
	}
}

func TestReloadFromAnotherSiteIsRefused(t *testing.T) {
	o := options()
	o.EnableLifecycle = true
	o.Reload = func() error { t.Error("reloaded"); return nil }
	r := httptest.NewRequest("POST", "/-/reload", nil)
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	w := httptest.NewRecorder()
	handler(t, o).ServeHTTP(w, r)
	if w.Code != http.StatusForbidden {
		t.Errorf("status %d; want 403", w.Code)
	}
}

func TestTelemetryPath(t *testing.T) {
	for _, p := range []string{"", "metrics", "/-", "/-/", "/-/healthy", "/-/metrics", "//m", "/a/../b", "/a/.", "/{x}", "/a b", "/a?b", "/%61", "/ä", "GET /m", "/a\n"} {
		o := options()
		o.TelemetryPath = p
		if _, err := Handler(o); err == nil || !strings.Contains(err.Error(), "telemetry path") {
			t.Errorf("Handler with telemetry path %q: error %v; want one that names it", p, err)
		}
	}
	for _, p := range []string{"/", "/metrics", "/-metrics", "/a.b/c_d~e", "/a/"} {
		o := options()
		o.TelemetryPath = p
		if w := do(handler(t, o), "GET", p); w.Body.String() != "metrics " {
			t.Errorf("GET %s: %d %q; want the metrics", p, w.Code, w.Body)
		}
	}
}

func TestLandingPage(t *testing.T) {
	o := options()
	o.Notes = func() []Note {
		return []Note{{"devlink", "not permitted", "switchdev mode is not known; add CAP_NET_ADMIN"}, {Source: "ports", Text: "none"}}
	}
	o.Collectors = func() []Collector {
		at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600))
		return []Collector{
			{Name: "interface", Help: "Counters.", Enabled: true, LastRun: at, Took: 1500 * time.Microsecond, Devices: "18 ok"},
			{Name: "exporter", Help: "Ourselves.", Enabled: true, LastRun: at, Err: "no luck"},
			{Name: "tc", Help: "Filters."},
			{Name: "ovs", Help: "Flows.", Enabled: true},
		}
	}
	body := do(handler(t, o), "GET", "/").Body.String()
	for _, want := range []string{
		"<p class=\"muted\">1.2.3</p>",
		`<a href="./metrics">`, `<a href="./-/healthy">`, `<a href="./-/ready">`,
		"2 uplinks, 16 VF representors",
		"<dt><bdi>devlink</bdi> <span class=\"muted\">not permitted</span></dt>\n<dd><bdi>switchdev mode is not known; add CAP_NET_ADMIN</bdi></dd>",
		"<dt><bdi>ports</bdi></dt>",
		"<dt>interface</dt>\n<dd>Counters.<br>Works. <span class=\"muted\">Last run 2026-01-02 02:04:05 UTC, took 1.5ms.</span><br><bdi>18 ok</bdi></dd>",
		"<dd>Ourselves.<br><span class=\"bad\">Fails: <bdi>no luck</bdi></span> <span class=\"muted\">Last run 2026-01-02 02:04:05 UTC.</span></dd>",
		"<dd>Filters.<br><span class=\"muted\">Off.</span></dd>",
		"<dd>Flows.<br><span class=\"muted\">Has not run yet.</span></dd>",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %q:\n%s", want, body)
		}
	}
	plain := do(handler(t, options()), "GET", "/").Body.String()
	if strings.Contains(plain, "What is off") || strings.Contains(plain, "Collectors</h2>") {
		t.Errorf("the page has headings over nothing:\n%s", plain)
	}
}

// Linux takes anything but / and white space in the name of an interface.
func TestHostileStringsAreEscaped(t *testing.T) {
	const hostile = "\"'><script>alert(1)</script>\xff\x00\x1b[31m{{.}}"
	o := options()
	o.Version = hostile
	o.Summary = func() string { return hostile }
	o.Notes = func() []Note { return []Note{{hostile, hostile, hostile}} }
	o.Collectors = func() []Collector {
		return []Collector{{Name: hostile, Help: hostile, Enabled: true, LastRun: time.Unix(1, 0), Err: hostile, Devices: hostile}}
	}
	w := do(handler(t, o), "GET", "/")
	body := w.Body.String()
	if w.Code != http.StatusOK || !utf8.ValidString(body) || strings.ContainsAny(body, "\x00\x1b") {
		t.Errorf("status %d, valid UTF-8 %v:\n%q", w.Code, utf8.ValidString(body), body)
	}
	if strings.Contains(body, "<script") {
		t.Errorf("a script got through:\n%s", body)
	}
	const want = "&#34;&#39;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"
	if n := strings.Count(body, want); n != 9 {
		t.Errorf("%d escaped strings, want 9:\n%s", n, body)
	}
}

func TestPageHeaders(t *testing.T) {
	w := do(handler(t, options()), "GET", "/")
	style := regexp.MustCompile(`(?s)<style>(.*)</style>`).FindStringSubmatch(w.Body.String())
	if style == nil {
		t.Fatalf("no style in the page:\n%s", w.Body)
	}
	sum := sha256.Sum256([]byte(style[1]))
	for name, want := range map[string]string{
		"Content-Type": "text/html; charset=utf-8",
		"Content-Security-Policy": "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
			"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
		"X-Content-Type-Options": "nosniff",
		"Referrer-Policy":        "no-referrer",
		"Cache-Control":          "no-store",
	} {
		if got := w.Header().Values(name); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	own := httptest.NewRecorder()
	own.Header().Set("Content-Security-Policy", "default-src 'self'") // as --web.config.file does
	handler(t, options()).ServeHTTP(own, httptest.NewRequest("GET", "/", nil))
	if got := own.Header().Get("Content-Security-Policy"); got != "default-src 'self'" {
		t.Errorf("the page replaced the operator's policy by %q", got)
	}
}
