package world

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// perftestPort is where perftest's server waits for its client (perftest(1), -p).
const perftestPort = 18515

// ReadLatency is what ib_read_lat measured (perftest's --out_json), in
// microseconds.
type ReadLatency struct {
	Device     string  // of the side that read
	Size       int     // bytes read each time
	Iterations int     // reads
	Min        float64 // and of them the shortest,
	Typical    float64 // the median,
	Average    float64
	P99        float64
	P999       float64
	Max        float64
}

// ReadLatency has the device read from memory behind another one, and returns
// what ib_read_lat says of it.
func (d RDMADevice) ReadLatency(t testing.TB, from RDMADevice, size, iterations int) ReadLatency {
	t.Helper()
	shape := []string{"-F", "-s", strconv.Itoa(size), "-n", strconv.Itoa(iterations)}
	server := append([]string{"-d", from.Name, "-x", strconv.Itoa(from.GIDIndex(t))}, shape...)
	running := from.Start(t, "ib_read_lat", server...)
	AwaitListening(t, running.PID(), perftestPort)
	file := filepath.Join(t.TempDir(), "ib_read_lat.json")
	client := append([]string{"-d", d.Name, "-x", strconv.Itoa(d.GIDIndex(t)), "--out_json", "--out_json_file=" + file}, shape...)
	d.Run(t, "ib_read_lat", append(client, from.Address.String())...)
	return parseReadLatency(t, file)
}

func parseReadLatency(t testing.TB, file string) ReadLatency {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var said struct {
		Info    struct{ Device string } `json:"test_info"`
		Results map[string]float64
	}
	if err := json.Unmarshal(text, &said); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	r := said.Results
	return ReadLatency{
		Device: said.Info.Device, Size: int(r["MsgSize"]), Iterations: int(r["n_iterations"]),
		Min: r["t_min"], Typical: r["t_typical"], Average: r["t_avg"], P99: r["percentile_99"], P999: r["percentile_99.9"], Max: r["t_max"],
	}
}
