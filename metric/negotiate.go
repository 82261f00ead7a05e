package metric

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/common/expfmt"
)

// Limits of what X-Prometheus-Scrape-Timeout-Seconds may ask for, and what is
// kept back of it for rendering and the way to the scraper.
const (
	longestTimeout  = time.Hour
	shortestTimeout = time.Millisecond
	largestOffset   = 500 * time.Millisecond
)

// scrapeTimeout returns how long a collection may take: what the scraper says
// in X-Prometheus-Scrape-Timeout-Seconds, less half a second or a fifth,
// whichever is less. Anything but a number above 0 and up to an hour is
// ignored, and fallback returned. The answer is always above 0.
func scrapeTimeout(h http.Header, fallback time.Duration) time.Duration {
	seconds, err := strconv.ParseFloat(h.Get("X-Prometheus-Scrape-Timeout-Seconds"), 64)
	if err != nil || !(seconds > 0 && seconds <= longestTimeout.Seconds()) {
		return fallback
	}
	d := time.Duration(seconds * float64(time.Second))
	return max(d-min(largestOffset, d/5), shortestTimeout)
}

// format chooses between delimited protobuf and text 0.0.4, by the Accept
// header. OpenMetrics, which Prometheus asks for first, is not spoken; its next
// choice is then taken.
func format(h http.Header) expfmt.Format {
	f := expfmt.NegotiateAccept(h, expfmt.FmtProtoDelim, expfmt.FmtText)
	if f.FormatType() == expfmt.TypeProtoDelim {
		return expfmt.FmtProtoDelim
	}
	return expfmt.FmtText
}

// acceptsGzip reports whether Accept-Encoding allows gzip and does not prefer
// the body as it is (RFC 9110, 12.5.3). Weights that cannot be read count as 0.
func acceptsGzip(h http.Header) bool {
	weights := map[string]float64{}
	for _, line := range h.Values("Accept-Encoding") {
		for item := range strings.SplitSeq(line, ",") {
			coding, params, _ := strings.Cut(item, ";")
			weights[strings.ToLower(strings.TrimSpace(coding))] = weight(params)
		}
	}
	gzip, named := weights["gzip"]
	if !named {
		gzip, named = weights["x-gzip"]
	}
	if !named {
		gzip = weights["*"]
	}
	return gzip > 0 && gzip >= weights["identity"]
}

// weight returns the q parameter of one element, 1 where there is none.
func weight(params string) float64 {
	for p := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(p, "=")
		if !strings.EqualFold(strings.TrimSpace(name), "q") {
			continue
		}
		q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil || !(q >= 0 && q <= 1) {
			return 0
		}
		return q
	}
	return 1
}
