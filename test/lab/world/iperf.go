package world

import (
	"encoding/json"
	"testing"
)

// iperfPort is where iperf3 listens.
const iperfPort = 5201

// IPerf sends bytes over TCP to another endpoint with iperf3(1), "4M", and
// returns how many arrived.
func (e Endpoint) IPerf(t testing.TB, to Endpoint, bytes string) int64 {
	t.Helper()
	server := to.Start(t, "iperf3", "--server", "--one-off")
	AwaitListening(t, server.PID(), iperfPort)
	out, err := e.tryInside(t, "iperf3", "--json", "--client", to.Address.String(), "--bytes", bytes)
	must(t, err)
	var report struct {
		End struct {
			Received struct{ Bytes int64 } `json:"sum_received"`
		}
	}
	must(t, json.Unmarshal([]byte(out), &report))
	return report.End.Received.Bytes
}
