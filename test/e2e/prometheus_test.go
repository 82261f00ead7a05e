// Package e2e runs the program beside the real programs of an operator.
package e2e

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dpu-exporter/dpu-exporter/test/need"
	"github.com/dpu-exporter/dpu-exporter/test/program"
)

// TestPrometheusScrapesForAMinute: a real Prometheus finds the node up at every
// scrape and has nothing to complain of.
func TestPrometheusScrapesForAMinute(t *testing.T) {
	need.Long(t)
	prometheus := need.Tool(t, "prometheus")
	address := program.Start(t, program.Build(t), "serve", "--web.listen-address=127.0.0.1:0").Address(t)

	dir := t.TempDir()
	config := fmt.Sprintf("scrape_configs:\n- job_name: dpu\n  scrape_interval: 5s\n  scrape_timeout: 4s\n  static_configs: [{targets: [%q]}]\n", address)
	file := filepath.Join(dir, "prometheus.yml")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	api := freeAddress(t)
	p := program.Start(t, prometheus, "--config.file="+file, "--storage.tsdb.path="+dir, "--web.listen-address="+api, "--log.level=debug")
	p.AwaitLog(t, "Server is ready")
	time.Sleep(65 * time.Second) // what is tested is a minute of a real clock

	for query, want := range map[string]string{
		"min_over_time(up[1m])":                                             "1",
		"count_over_time(up[1m]) >= bool 12":                                "1",
		"min(dpu_collector_success)":                                        "1",
		`count(dpu_interface_info{device="lo"})`:                            "1",
		`rate(dpu_interface_receive_bytes_total{device="lo"}[1m]) > bool 0`: "1",
	} {
		if have := ask(t, api, query); have != want {
			t.Errorf("%s = %s, want %s", query, have, want)
		}
	}
	for line := range strings.Lines(p.Log()) {
		if strings.Contains(line, "scrape manager") && (strings.Contains(line, "level=warn") || strings.Contains(line, "level=error") ||
			strings.Contains(line, "Scrape failed") || strings.Contains(line, "Append failed")) {
			t.Errorf("Prometheus complains: %s", line)
		}
	}
}

// TestPromtoolAcceptsTheMetrics: promtool check metrics has nothing to say.
func TestPromtoolAcceptsTheMetrics(t *testing.T) {
	promtool := need.Tool(t, "promtool")
	collection := exec.Command(program.Build(t), "metrics", "--interface.fields=all")
	text, err := collection.Output()
	if err != nil {
		t.Fatalf("metrics: %v", err)
	}
	check := exec.Command(promtool, "check", "metrics")
	check.Stdin = strings.NewReader(string(text))
	if out, err := check.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("promtool check metrics: %v\n%s", err, out)
	}
	if !strings.Contains(string(text), `dpu_interface_receive_bytes_total{device="lo"} `) {
		t.Errorf("no counters of lo in:\n%s", text)
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// ask returns the only value that a query answers with.
func ask(t *testing.T, api, query string) string {
	t.Helper()
	response, err := http.Get("http://" + api + "/api/v1/query?query=" + url.QueryEscape(query))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var answer struct {
		Data struct {
			Result []struct{ Value [2]any }
		}
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	if len(answer.Data.Result) != 1 {
		return fmt.Sprintf("%d results", len(answer.Data.Result))
	}
	return fmt.Sprint(answer.Data.Result[0].Value[1])
}
