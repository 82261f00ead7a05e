// Package web serves the pages for people, the lifecycle of the process
// (/-/healthy, /-/ready, /-/reload) and the metrics, and keeps no state of its
// own.
package web

import (
	"fmt"
	"net/http"
	"path"
	"strings"
)

// Options say what Handler serves. Its functions are called at every request,
// from any goroutine.
type Options struct {
	Version       string
	TelemetryPath string // of Metrics: /metrics; with / there is no landing page
	Metrics       http.Handler

	// For the landing page. Notes and Collectors may be nil.
	Summary    func() string // the devices of this node, counted by role, in words
	Notes      func() []Note
	Collectors func() []Collector

	Ready func() bool // for /-/ready

	EnableLifecycle bool         // POST and PUT on /-/reload are allowed
	Reload          func() error // of the configuration files
}

// reserved is the beginning of the paths that belong to the lifecycle.
const reserved = "/-/"

// Handler returns the handler of everything this process serves on its web
// addresses. It fails if TelemetryPath cannot be served.
func Handler(o Options) (http.Handler, error) {
	if err := CheckTelemetryPath(o.TelemetryPath); err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /-/healthy", healthy)
	mux.HandleFunc("GET /-/ready", o.ready)
	reload := http.NewCrossOriginProtection().Handler(http.HandlerFunc(o.reload))
	mux.Handle("POST /-/reload", reload)
	mux.Handle("PUT /-/reload", reload)
	mux.Handle(exactly(o.TelemetryPath), o.Metrics)
	if o.TelemetryPath != "/" {
		p, err := newPage("landing.html", o.Version)
		if err != nil {
			return nil, err
		}
		mux.Handle("GET "+exactly("/"), &landing{page: p, opts: o})
	}
	return mux, nil
}

// exactly is the pattern that matches p and nothing below it.
func exactly(p string) string {
	if strings.HasSuffix(p, "/") {
		return p + "{$}"
	}
	return p
}

// CheckTelemetryPath says why metrics cannot be served at a path; nil if they
// can.
func CheckTelemetryPath(p string) error {
	clean := path.Clean(p)
	if clean != "/" && strings.HasSuffix(p, "/") {
		clean += "/"
	}
	switch {
	case !strings.HasPrefix(p, "/"):
		return fmt.Errorf("telemetry path %q: it must begin with /", p)
	case p != clean:
		return fmt.Errorf("telemetry path %q: no request can have it; write %q", p, clean)
	case strings.ContainsFunc(p, notInPath):
		return fmt.Errorf("telemetry path %q: only letters, digits and / - . _ ~ are allowed", p)
	case strings.HasPrefix(p+"/", reserved):
		return fmt.Errorf("telemetry path %q: what begins with %s is reserved", p, reserved)
	}
	return nil
}

// notInPath is true for all but / and the characters that no URL escapes
// (RFC 3986, section 2.3).
func notInPath(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return false
	}
	return !strings.ContainsRune("/-._~", r)
}
