package metric

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// A node of 1,000 devices with 30 counters each: 30,000 series.
const (
	benchDevices = 1000
	benchRows    = 30
)

// benchNode is the source of the benchmarks: every Gather is a whole round.
type benchNode struct {
	rows    []*Row
	devices []string
	set     *Set
	round   float64
}

func newBenchNode() *benchNode {
	n := &benchNode{}
	for i := range benchRows {
		n.rows = append(n.rows, &Row{
			Name: "dpu_interface_receive_field" + strconv.Itoa(i) + "_packets_total", Kind: Counter, Unit: "packets",
			Labels: []string{"device"}, Help: "Packets received with a fault of one kind.", Source: "made up", Proof: Live,
		})
	}
	for i := range benchDevices {
		n.devices = append(n.devices, "enp3s0f0np0v"+strconv.Itoa(i))
	}
	n.set = NewSet(n.rows)
	return n
}

func (n *benchNode) emit() {
	n.round++
	e := n.set.Begin()
	for i, r := range n.rows {
		f := e.Family(r)
		for j, d := range n.devices {
			f.Add(benchValue(n.round, i, j), d)
		}
	}
	n.set.Commit(e)
}

// benchValue is a counter of 12 digits that grows every round.
func benchValue(round float64, row, device int) float64 {
	return 100_000_000_000 + round*1e6 + float64(row*benchDevices+device)*7919
}

func (n *benchNode) Select(_, _ []string) ([]string, error) { return nil, nil }

func (n *benchNode) Gather(context.Context, []string) []*Set {
	n.emit()
	return []*Set{n.set}
}

// discard is a ResponseWriter that counts.
type discard struct {
	header http.Header
	bytes  int
}

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) WriteHeader(int)             {}
func (d *discard) Write(b []byte) (int, error) { d.bytes += len(b); return len(b), nil }

func benchHandler(b *testing.B, h http.Handler, encoding, accept string) {
	r := httptest.NewRequest("GET", "/metrics", nil)
	r.Header.Set("Accept-Encoding", encoding)
	r.Header.Set("Accept", accept)
	w := &discard{header: http.Header{}}
	h.ServeHTTP(w, r)
	h.ServeHTTP(w, r)
	w.bytes = 0
	b.ReportAllocs()
	for b.Loop() {
		clear(w.header)
		h.ServeHTTP(w, r)
	}
	b.ReportMetric(float64(w.bytes)/float64(b.N), "body-bytes/op")
}

// Figure: at most 10 ms.
func BenchmarkHandlerText(b *testing.B) {
	benchHandler(b, NewHandler(newBenchNode(), NewRuntime(), HandlerOptions{MaxRequests: 40}), "identity", accept3)
}

// Figure: at most 25 ms.
func BenchmarkHandlerGzip(b *testing.B) {
	benchHandler(b, NewHandler(newBenchNode(), NewRuntime(), HandlerOptions{MaxRequests: 40}), "gzip", accept3)
}

func BenchmarkHandlerProtobufGzip(b *testing.B) {
	benchHandler(b, NewHandler(newBenchNode(), NewRuntime(), HandlerOptions{MaxRequests: 40}), "gzip", accept3Native)
}

// A round with the labels of the one before.
func BenchmarkEmit(b *testing.B) {
	n := newBenchNode()
	n.emit()
	n.emit()
	b.ReportAllocs()
	for b.Loop() {
		n.emit()
	}
}

// A round with one device more at the front, so that every position changes;
// the last one goes away.
func BenchmarkChurn(b *testing.B) {
	n := newBenchNode()
	n.emit()
	n.emit()
	b.ReportAllocs()
	for b.Loop() {
		copy(n.devices[1:], n.devices)
		n.devices[0] = "enp3s0f1np1v" + strconv.Itoa(int(n.round)%1000)
		n.emit()
	}
}

func BenchmarkAppendText(b *testing.B) {
	n := newBenchNode()
	n.emit()
	body := n.set.AppendText(nil)
	b.ReportAllocs()
	for b.Loop() {
		body = n.set.AppendText(body[:0])
	}
}

// constNode is the peer: the same series the way most exporters make them.
type constNode struct {
	node  *benchNode
	descs []*prometheus.Desc
}

func (c *constNode) Describe(chan<- *prometheus.Desc) {}

func (c *constNode) Collect(ch chan<- prometheus.Metric) {
	c.node.round++
	for i, d := range c.descs {
		for j, device := range c.node.devices {
			ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, benchValue(c.node.round, i, j), device)
		}
	}
}

// The peer of BenchmarkHandlerGzip: const metrics through promhttp.
func BenchmarkClientGolangConstMetrics(b *testing.B) {
	c := &constNode{node: newBenchNode()}
	for _, r := range c.node.rows {
		c.descs = append(c.descs, prometheus.NewDesc(r.Name, r.Help, r.Labels, nil))
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(c)
	h := promhttp.HandlerFor(prometheus.Gatherers{registry, NewRuntime()}, promhttp.HandlerOpts{})
	benchHandler(b, h, "gzip", accept3)
}
