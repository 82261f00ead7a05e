package metric

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	dto "github.com/prometheus/client_model/go"
)

// pipeListener hands out connections without any buffer in between, so that a
// client that does not read stops the server's write at once.
type pipeListener struct {
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

func newPipeListener() *pipeListener {
	return &pipeListener{conns: make(chan net.Conn), done: make(chan struct{})}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error   { l.once.Do(func() { close(l.done) }); return nil }
func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }

// dial connects and sends one request for path; the answer is left unread.
func (l *pipeListener) dial(t *testing.T, path string) net.Conn {
	t.Helper()
	client, server := net.Pipe()
	l.conns <- server
	request(t, client, path)
	return client
}

func request(t *testing.T, c net.Conn, path string) {
	t.Helper()
	if _, err := io.WriteString(c, "GET "+path+" HTTP/1.1\r\nHost: test\r\n\r\n"); err != nil {
		t.Fatalf("send request: %v", err)
	}
}

// answer reads one whole response.
func answer(t *testing.T, c net.Conn) (int, string) {
	t.Helper()
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatalf("read answer: %v", err)
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatalf("read body: %v", err)
	}
	return response.StatusCode, string(body)
}

// wide fills a set with more than any buffer of net/http holds.
func wide(t *testing.T) *fakeSource {
	s := newFakeSource(t)
	fill(t, s.sets["a"], func(e *Emitter) {
		for i := range 1000 {
			e.Add(rowBytes, float64(i), "eth"+strconv.Itoa(i))
		}
	})
	return s
}

// serve runs h, and a page beside it, until stop is called.
func serve(h http.Handler) (*pipeListener, func()) {
	mux := http.NewServeMux()
	mux.Handle("/metrics", h)
	mux.HandleFunc("/page", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "page") })
	l := newPipeListener()
	server := &http.Server{Handler: mux}
	var wg sync.WaitGroup
	wg.Go(func() { _ = server.Serve(l) })
	return l, func() { _ = server.Close(); wg.Wait() }
}

// Readers that do not read hold neither a slot, nor the sets, nor other
// scrapes; they are cut off when the write deadline has passed.
func TestSlowReaderHoldsUpNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := wide(t)
		l, stop := serve(NewHandler(source, nil, HandlerOptions{MaxRequests: 1}))
		defer stop()
		start := time.Now()
		var slow []net.Conn
		for range 5 {
			slow = append(slow, l.dial(t, "/metrics"))
			synctest.Wait() // it hangs in its write
		}
		slow = append(slow, l.dial(t, "/metrics?collect[]=x")) // and one in an error

		fill(t, source.sets["a"], func(e *Emitter) { e.Add(rowBytes, 9, "eth0") })
		other := l.dial(t, "/metrics")
		if code, body := answer(t, other); code != 200 || !strings.Contains(body, "{device=\"eth0\"} 9\n") {
			t.Errorf("scrape beside slow readers = %d %q", code, body)
		}
		_ = other.Close()
		if waited := time.Since(start); waited != 0 {
			t.Errorf("a scrape beside slow readers took %v", waited)
		}

		time.Sleep(29 * time.Second)
		one := make([]byte, 1)
		if _, err := slow[0].Read(one); err != nil {
			t.Errorf("cut off before the deadline: %v", err)
		}
		time.Sleep(2 * time.Second)
		for _, c := range slow {
			if _, err := io.Copy(io.Discard, c); err != nil {
				t.Errorf("read after the deadline: %v", err)
			}
			if _, err := c.Write(one); !errors.Is(err, io.ErrClosedPipe) {
				t.Errorf("write after the deadline: %v, want a closed connection", err)
			}
		}
	})
}

// The write deadline ends with the answer: a connection may stay open and ask
// for something else later.
func TestDeadlineEndsWithTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, stop := serve(NewHandler(wide(t), nil, HandlerOptions{}))
		defer stop()
		c := l.dial(t, "/metrics")
		defer func() { _ = c.Close() }()
		if code, body := answer(t, c); code != 200 || strings.Count(body, "\n") != 1005 {
			t.Errorf("scrape = %d with %d lines", code, strings.Count(body, "\n"))
		}
		time.Sleep(time.Minute)
		request(t, c, "/page")
		if code, body := answer(t, c); code != 200 || body != "page" {
			t.Errorf("page a minute later = %d %q", code, body)
		}
	})
}

// Scrapers with different selections, while every scrape begins a new round:
// each answer has its own collectors only, and each of them whole.
func TestParallelScrapes(t *testing.T) {
	source := newFakeSource(t)
	var mu sync.Mutex
	round := 0
	source.gather = func(context.Context) {
		mu.Lock()
		defer mu.Unlock()
		round++
		for _, s := range source.sets {
			e := s.Begin()
			f := e.Family(rowBytes) // swallows all in set b
			for i := range 100 {
				f.Add(float64(round), "eth"+strconv.Itoa(i))
			}
			e.Add(rowUp, 1) // and this in set a
			s.Commit(e)
		}
	}
	h := NewHandler(source, NewRuntime(), HandlerOptions{})
	var wg sync.WaitGroup
	for query, want := range map[string]int{"": 100, "?collect[]=a": 100, "?collect[]=b": 0, "?exclude[]=a": 0, "?exclude[]=b": 100} {
		wg.Go(func() {
			for range 30 {
				families := parse(t, scrape(h, "GET", "/metrics"+query).Body.String())
				checkRound(t, query, families[rowBytes.Name], want)
			}
		})
	}
	wg.Wait()
}

// checkRound wants n samples, all with the value of one round.
func checkRound(t *testing.T, query string, f *dto.MetricFamily, n int) {
	samples := f.GetMetric()
	if len(samples) != n {
		t.Errorf("%q: %d samples, want %d", query, len(samples), n)
	}
	for _, m := range samples {
		if got, want := m.GetCounter().GetValue(), samples[0].GetCounter().GetValue(); got != want {
			t.Errorf("%q: rounds %v and %v in one scrape", query, got, want)
			return
		}
	}
}
