// Package bench measures the whole program beside its peers, in network
// namespaces made for it.
package bench

import (
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/dpu-exporter/dpu-exporter/test/need"
	"github.com/dpu-exporter/dpu-exporter/test/program"
	"github.com/dpu-exporter/dpu-exporter/test/worlds"
)

// address is where the exporter under measurement listens.
const address = "127.0.0.1:10042"

// BenchmarkScrape compares the processor time of one complete compressed scrape
// of 1,000 interfaces with node_exporter's for the same families.
func BenchmarkScrape(b *testing.B) {
	b.Run("dpu_exporter", func(b *testing.B) {
		measure(b, program.Build(b), "serve", "--interface.fields=all")
	})
	b.Run("node_exporter_netdev", func(b *testing.B) {
		measure(b, need.Tool(b, "prometheus-node-exporter"), "--collector.disable-defaults", "--collector.netdev")
	})
	b.Run("node_exporter_netdev_netclass_netlink_ethtool", func(b *testing.B) {
		measure(b, need.Tool(b, "prometheus-node-exporter"), "--collector.disable-defaults", "--collector.netdev",
			"--collector.netclass", "--collector.netclass.netlink", "--collector.ethtool")
	})
	b.Run("node_exporter_netdev_netclass", func(b *testing.B) {
		measure(b, need.Tool(b, "prometheus-node-exporter"), "--collector.disable-defaults", "--collector.netdev", "--collector.netclass")
	})
}

// measure reports the processor time of a scrape of one exporter.
func measure(b *testing.B, path string, args ...string) {
	worlds.Enter(b) // here, since every benchmark has a goroutine of its own
	worlds.AddVeths(b, 500)
	worlds.SetUp(b, "lo")
	p := start(b, path, args...)
	for range 3 {
		scrape(b) // caches fill
	}
	before, size := p.CPU(b), 0
	b.ResetTimer()
	for range b.N {
		size = scrape(b)
	}
	b.StopTimer()
	b.ReportMetric(float64((p.CPU(b)-before).Microseconds())/1000/float64(b.N), "cpu-ms/scrape")
	b.ReportMetric(float64(size), "body-bytes")
}

// BenchmarkIdle is a day's work in small: 256 interfaces and a scrape every 15
// seconds, for a minute.
func BenchmarkIdle(b *testing.B) {
	worlds.Enter(b)
	worlds.AddVeths(b, 128)
	worlds.SetUp(b, "lo")
	p := start(b, program.Build(b), "serve")
	scrape(b)
	const minute, every = time.Minute, 15 * time.Second
	b.ResetTimer()
	before, began := p.CPU(b), time.Now()
	for range minute / every {
		time.Sleep(every)
		scrape(b)
	}
	b.ReportMetric(100*(p.CPU(b)-before).Seconds()/time.Since(began).Seconds(), "%core")
	b.ReportMetric(float64(p.ResidentBytes(b))/(1<<20), "RSS-MiB")
}

func start(b *testing.B, path string, args ...string) *program.Program {
	b.Helper()
	p := program.StartSeeingNamespace(b, path, append(args, "--web.listen-address="+address)...)
	p.AwaitLog(b, address)
	return p
}

// scrape fetches /metrics compressed, from the calling goroutine's namespace,
// and returns the size of the body.
func scrape(b *testing.B) int {
	b.Helper()
	request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, "http://"+address+"/metrics", nil)
	if err != nil {
		b.Fatal(err)
	}
	request.Header.Set("Accept-Encoding", "gzip") // or the transport would ask so and unpack the answer
	response, err := program.Here{}.RoundTrip(request)
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	n, err := io.Copy(io.Discard, response.Body)
	if err != nil || response.StatusCode != http.StatusOK || response.Header.Get("Content-Encoding") != "gzip" {
		b.Fatalf("scrape: %s, %d bytes, %v", response.Status, n, err)
	}
	return int(n)
}
