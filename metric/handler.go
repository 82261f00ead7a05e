package metric

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
)

// A Source is what a Handler exposes: collectors that can be chosen by name.
type Source interface {
	// Select turns the collect[] and exclude[] of a request into the names to
	// gather. An error is answered with 400 and its text.
	Select(collect, exclude []string) (names []string, err error)
	// Gather runs those collectors and returns the sets that may be shown. ctx
	// ends when the scraper would give up; Gather returns by then with what is
	// complete.
	Gather(ctx context.Context, names []string) []*Set
}

// HandlerOptions are the settings of a Handler. The zero value of each field
// stands for its default.
type HandlerOptions struct {
	MaxRequests   int           // scrapes collected at once; more are answered 503; 0 is no limit
	Timeout       time.Duration // of a collection when the scraper names none; default 10 s
	WriteDeadline time.Duration // for the reader to take the whole answer; default 30 s
	Log           *slog.Logger  // default: nothing is logged
}

type handler struct {
	source  Source
	runtime prometheus.Gatherer
	options HandlerOptions
	slots   chan struct{} // nil without a limit
	pool    pool
}

// errBusy is answered with 503.
var errBusy = errors.New("too many scrapes at once, try again later")

// NewHandler returns the handler of /metrics. It answers GET and HEAD with the
// sets of source, then the families of runtime (which may be nil), as text
// 0.0.4 or delimited protobuf, compressed by gzip where that is accepted.
//
// The limit of opts covers collecting and rendering; a body is compressed and
// written after that, so a slow reader holds up nobody, and is cut off after
// opts.WriteDeadline.
func NewHandler(source Source, runtime prometheus.Gatherer, opts HandlerOptions) http.Handler {
	if opts.Timeout <= 0 {
		opts.Timeout = 10 * time.Second
	}
	if opts.WriteDeadline <= 0 {
		opts.WriteDeadline = 30 * time.Second
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	h := &handler{source: source, runtime: runtime, options: opts}
	if opts.MaxRequests > 0 {
		h.slots = make(chan struct{}, opts.MaxRequests)
	}
	return h
}

// ServeHTTP answers one scrape.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		h.refuse(w, r, http.StatusMethodNotAllowed, "only GET and HEAD are answered here")
		return
	}
	names, err := h.selection(r)
	if err != nil {
		h.refuse(w, r, http.StatusBadRequest, err.Error())
		return
	}
	body, err := h.collect(r, names)
	switch {
	case errors.Is(err, errBusy):
		h.refuse(w, r, http.StatusServiceUnavailable, err.Error())
	case err != nil:
		h.refuse(w, r, http.StatusInternalServerError, err.Error())
	default:
		h.respond(w, r, body)
	}
}

// selection returns the names that the query asks for. A query that cannot be
// read is an error: to ignore a part of it could mean to collect everything.
func (h *handler) selection(r *http.Request) ([]string, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, fmt.Errorf("read query: %w", err)
	}
	return h.source.Select(query["collect[]"], query["exclude[]"])
}

// collect gathers and renders within the limit of scrapes at once. A panic ends
// this scrape alone: its stack goes to the log, its answer is an error.
func (h *handler) collect(r *http.Request, names []string) (body *buffer, err error) {
	if h.slots != nil {
		select {
		case h.slots <- struct{}{}:
			defer func() { <-h.slots }()
		default:
			return nil, fmt.Errorf("%w (limit %d)", errBusy, cap(h.slots))
		}
	}
	defer func() {
		if p := recover(); p != nil {
			h.options.Log.Error("Collection panicked", "panic", p, "stack", string(debug.Stack()))
			body, err = nil, errors.New("collection panicked, the log has the stack")
		}
	}()
	ctx, cancel := context.WithTimeout(r.Context(), scrapeTimeout(r.Header, h.options.Timeout))
	defer cancel()
	sets := h.source.Gather(ctx, names)
	body = h.pool.take()
	f := format(r.Header)
	for _, s := range sets {
		if f == expfmt.FmtText {
			body.b = s.AppendText(body.b)
			continue
		}
		h.appendFamilies(body, f, s.Families())
	}
	h.appendRuntime(body, f)
	return body, nil
}

// appendRuntime adds what the runtime gatherer has; its errors and panics are
// logged and hide nothing else.
func (h *handler) appendRuntime(body *buffer, f expfmt.Format) {
	if h.runtime == nil {
		return
	}
	start := len(body.b)
	defer func() {
		if p := recover(); p != nil {
			body.b = body.b[:start]
			h.options.Log.Error("Runtime metrics panicked", "panic", p, "stack", string(debug.Stack()))
		}
	}()
	families, err := h.runtime.Gather()
	if err != nil {
		h.options.Log.Warn("Runtime metrics are incomplete", "err", err)
	}
	h.appendFamilies(body, f, families)
}

// appendFamilies encodes families in format f; one that cannot be encoded is
// left out whole and logged.
func (h *handler) appendFamilies(body *buffer, f expfmt.Format, families []*dto.MetricFamily) {
	encoder := expfmt.NewEncoder(body, f)
	for _, family := range families {
		start := len(body.b)
		if err := encoder.Encode(family); err != nil {
			body.b = body.b[:start]
			h.options.Log.Error("Family left out", "name", family.GetName(), "err", err)
		}
	}
}

// respond compresses and writes body, and gives it back to the pool.
func (h *handler) respond(w http.ResponseWriter, r *http.Request, body *buffer) {
	defer func() { h.pool.give(body) }()
	header := w.Header()
	header.Set("Content-Type", string(format(r.Header)))
	header.Set("Vary", "Accept, Accept-Encoding")
	if acceptsGzip(r.Header) {
		zipped, err := h.pool.compress(body)
		if err != nil {
			h.refuse(w, r, http.StatusInternalServerError, "compress: "+err.Error())
			return
		}
		h.pool.give(body)
		body = zipped
		header.Set("Content-Encoding", "gzip")
	}
	h.write(w, r, http.StatusOK, body.b)
}

// refuse answers with an error that a person can read.
func (h *handler) refuse(w http.ResponseWriter, r *http.Request, code int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	h.write(w, r, code, []byte(text+"\n"))
}

// write sends an answer within the write deadline. The deadline belongs to this
// answer only: it is taken off again, for the connection may serve other
// requests. Writers that know neither deadlines nor flushing are none of a
// server's, and do without.
func (h *handler) write(w http.ResponseWriter, r *http.Request, code int, b []byte) {
	control := http.NewResponseController(w)
	_ = control.SetWriteDeadline(time.Now().Add(h.options.WriteDeadline))
	w.Header().Set("Content-Length", strconv.Itoa(len(b)))
	w.WriteHeader(code)
	var err error
	if r.Method != http.MethodHead {
		_, err = w.Write(b)
	}
	if err == nil {
		err = control.Flush()
	}
	if err != nil && !errors.Is(err, http.ErrNotSupported) {
		h.options.Log.Debug("Scraper did not take the answer", "remote", r.RemoteAddr, "err", err)
		return
	}
	_ = control.SetWriteDeadline(time.Time{})
}
