package web

import (
	"net/http"
	"strings"
	"time"
)

// Note is what is off on this node, and why.
type Note struct {
	Source  string // what it is about: devlink, rtnl, ethtool…
	Outcome string // in a word or two: not permitted; may be empty
	Text    string // what is off, and what to do
}

// Collector is a collector and how its last run ended.
type Collector struct {
	Name    string
	Help    string // what it reads, in one line
	Enabled bool
	LastRun time.Time     // when it began; zero: it has not run yet
	Took    time.Duration // 0: not known
	Err     string        // why it failed; empty: it worked
	Devices string        // what became of the devices, in words; may be empty
}

// landing is the page on /.
type landing struct {
	page *page
	opts Options
}

func (l *landing) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	content := struct {
		Metrics    string
		Summary    string
		Notes      []Note
		Collectors []Collector
	}{
		// Relative, so that the page works under a prefix of a reverse proxy.
		Metrics: "./" + strings.TrimPrefix(l.opts.TelemetryPath, "/"),
		Summary: l.opts.Summary(),
	}
	if l.opts.Notes != nil {
		content.Notes = l.opts.Notes()
	}
	if l.opts.Collectors != nil {
		content.Collectors = l.opts.Collectors()
	}
	l.page.write(w, content)
}
