package metric

import (
	"net/http"
	"testing"
	"time"
)

func TestScrapeTimeout(t *testing.T) {
	const fallback = 7 * time.Second
	for header, want := range map[string]time.Duration{
		"":      fallback,
		"x":     fallback,
		"NaN":   fallback,
		"+Inf":  fallback,
		"-Inf":  fallback,
		"0":     fallback,
		"-1":    fallback,
		"1e300": fallback,
		"1e999": fallback,
		"3601":  fallback,
		"3600":  3599500 * time.Millisecond,
		"10":    9500 * time.Millisecond,
		"1":     800 * time.Millisecond,
		"0.01":  8 * time.Millisecond,
		"1e-9":  time.Millisecond,
		"1e-99": time.Millisecond,
	} {
		h := http.Header{"X-Prometheus-Scrape-Timeout-Seconds": {header}}
		if got := scrapeTimeout(h, fallback); got != want {
			t.Errorf("scrapeTimeout(%q) = %v, want %v", header, got, want)
		}
	}
	if got := scrapeTimeout(http.Header{}, fallback); got != fallback {
		t.Errorf("scrapeTimeout without header = %v, want %v", got, fallback)
	}
}

func TestAcceptsGzip(t *testing.T) {
	for _, c := range []struct {
		lines []string
		want  bool
	}{
		{nil, false},
		{[]string{""}, false},
		{[]string{"identity"}, false},
		{[]string{"gzip"}, true},
		{[]string{"GZip"}, true},
		{[]string{"x-gzip"}, true},
		{[]string{"zstd,gzip"}, true},
		{[]string{"deflate", "br;q=1.0, gzip;q=0.8"}, true},
		{[]string{"*"}, true},
		{[]string{"*;q=0"}, false},
		{[]string{"gzip;q=0"}, false},
		{[]string{"gzip;q=0.000"}, false},
		{[]string{"gzip ; Q=0"}, false},
		{[]string{"gzip;q=0, *"}, false},
		{[]string{"*;q=0, gzip"}, true},
		{[]string{"gzip;q=0.5, identity"}, false},
		{[]string{"gzip, identity;q=0.5"}, true},
		{[]string{"gzip;q=x"}, false},
		{[]string{"gzip;q="}, false},
		{[]string{"gzip;q=NaN"}, false},
		{[]string{"gzip;q=2"}, false},
		{[]string{"gzip;level=1"}, true},
		{[]string{"gzipped, notgzip"}, false},
	} {
		if got := acceptsGzip(http.Header{"Accept-Encoding": c.lines}); got != c.want {
			t.Errorf("acceptsGzip(%q) = %v, want %v", c.lines, got, c.want)
		}
	}
}
