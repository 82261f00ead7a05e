package monitoring

import (
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"go.yaml.in/yaml/v3"

	"github.com/dpu-exporter/dpu-exporter/test/need"
	"github.com/dpu-exporter/dpu-exporter/test/program"
	"github.com/dpu-exporter/dpu-exporter/test/worlds"
)

// live is the instance of the real program; the others are replayed.
const live = "live"

// startWorld runs, in a network namespace with traffic, the real program and a
// real Prometheus that scrapes it and the replayed targets each second and
// evaluates the rules. It returns when Prometheus answers, and how many targets
// it has.
func startWorld(t *testing.T, rules []string) (*server, int) {
	t.Helper()
	prometheus := need.Tool(t, "prometheus")
	worlds.Enter(t)
	worlds.SetUp(t, "lo")
	worlds.AddVeths(t, 1)
	startTraffic(t, "a0", "b0")

	// Nobody else is in this namespace, so the ports are free.
	const address, api = "127.0.0.1:10042", "127.0.0.1:9090"
	p := program.StartSeeingNamespace(t, exporter, "serve", "--web.listen-address="+address, "--interface.fields=all")
	p.AwaitLog(t, "Listening on")
	r := loadReplay(t)
	dir := t.TempDir()
	config := filepath.Join(dir, "prometheus.yml")
	write(t, config, scrapeConfig(copyRules(t, dir, rules), address, r.serve(t), slices.Sorted(maps.Keys(r.expositions))))
	p = program.Start(t, prometheus, "--config.file="+config, "--storage.tsdb.path="+dir, "--web.listen-address="+api)
	p.AwaitLog(t, "Server is ready")
	return &server{api}, 1 + len(r.expositions)
}

// scrapeConfig is a configuration of Prometheus that does everything each second.
func scrapeConfig(rules []string, serving, replayed string, names []string) any {
	type static struct {
		Targets []string          `yaml:"targets"`
		Labels  map[string]string `yaml:"labels"`
	}
	targets := []static{{[]string{serving}, map[string]string{"instance": live}}}
	for _, name := range names {
		targets = append(targets, static{[]string{replayed}, map[string]string{"instance": name, "__metrics_path__": "/" + name}})
	}
	return map[string]any{
		"global":         map[string]string{"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "1s"},
		"rule_files":     rules,
		"scrape_configs": []any{map[string]any{"job_name": "dpu", "static_configs": targets}},
	}
}

// copyRules copies files of rules without the intervals of their groups, so that
// each is evaluated every second.
func copyRules(t *testing.T, dir string, files []string) (copies []string) {
	t.Helper()
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var file struct {
			Groups []map[string]any `yaml:"groups"`
		}
		if err := yaml.Unmarshal(text, &file); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for _, g := range file.Groups {
			delete(g, "interval")
		}
		to := filepath.Join(dir, filepath.Base(path))
		write(t, to, file)
		copies = append(copies, to)
	}
	return copies
}

func write(t *testing.T, path string, value any) {
	t.Helper()
	text, err := yaml.Marshal(value)
	if err == nil {
		err = os.WriteFile(path, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// startTraffic sends UDP datagrams from a device of the namespace to its peer
// until the test ends.
func startTraffic(t *testing.T, from, to string) {
	t.Helper()
	sender, err := netlink.LinkByName(from)
	if err != nil {
		t.Fatal(err)
	}
	receiver, err := netlink.LinkByName(to)
	if err != nil {
		t.Fatal(err)
	}
	address, err := netlink.ParseAddr("192.0.2.1/24")
	if err != nil {
		t.Fatal(err)
	}
	if err := netlink.AddrAdd(sender, address); err != nil {
		t.Fatal(err)
	}
	neighbour := &netlink.Neigh{LinkIndex: sender.Attrs().Index, IP: net.IPv4(192, 0, 2, 2), HardwareAddr: receiver.Attrs().HardwareAddr, State: netlink.NUD_PERMANENT}
	if err := netlink.NeighAdd(neighbour); err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("udp", fmt.Sprintf("%s:9", neighbour.IP)) // RFC 863, discard
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		datagram, tick := make([]byte, 1000), time.NewTicker(20*time.Millisecond)
		defer tick.Stop()
		for range tick.C {
			if _, err := conn.Write(datagram); err != nil {
				return // closed: the test has ended
			}
		}
	}()
	t.Cleanup(func() { _ = conn.Close() })
}
