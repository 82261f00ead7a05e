//go:build lab

package lab

import (
	"testing"

	"github.com/dpu-exporter/dpu-exporter/test/lab/world"
)

// TestRDMACounters: ports, counters and resources of a software device as
// rdma(8) has them while nothing moves, and the network device that each joins to.
func TestRDMACounters(t *testing.T) {
	pair := world.AddRXEPair(t, world.SharedRDMA)
	reader := pair[0]
	reader.ReadLatency(t, pair[1], readSize, reads)
	counters := reader.Counters(t)
	e := collectIn(t, reader.Namespace)
	port := labels{"rdma_device": reader.Name, "port": "1"}
	for row, counter := range map[string]string{
		"receive_packets": "rcvd_pkts", "transmit_packets": "sent_pkts", "receive_bytes": "rcvd_bytes", "transmit_bytes": "sent_bytes",
		"duplicate_requests": "duplicate_request", "out_of_sequence": "out_of_seq_request",
	} {
		e.is(t, "dpu_rdma_port_"+row+"_total", port, float64(counters[counter]))
	}
	if counters["sent_pkts"] < reads {
		t.Errorf("counters %v", counters)
	}
	e.is(t, "dpu_rdma_hw_counter_total", labels{"rdma_device": reader.Name, "counter": "ack_deferred"}, float64(counters["ack_deferred"]))
	e.is(t, "dpu_rdma_port_info", labels{"rdma_device": reader.Name, "device": reader.Device, "link_layer": "Ethernet"}, 1)
	e.is(t, "dpu_rdma_port_active", port, 1)
	e.is(t, "dpu_rdma_port_physical_state", labels{"rdma_device": reader.Name, "state": "LinkUp"}, 1)
	e.is(t, "dpu_rdma_namespace_mode_info", labels{"mode": "shared"}, 1)
	resources := map[string]any{}
	reader.Inside(t, func() {
		for _, r := range world.RunJSON[[]map[string]any](t, "rdma", "-j", "resource", "show", reader.Name) {
			resources = r
		}
	})
	for _, kind := range []string{"pd", "cq", "qp", "cm_id", "mr", "ctx", "srq"} {
		want, _ := resources[kind].(float64)
		e.is(t, "dpu_rdma_resources", labels{"rdma_device": reader.Name, "resource": kind}, want)
	}
	if got := e.with("dpu_rdma_port_gids", labels{"rdma_device": reader.Name, "type": "RoCE v2"}); len(got) != 1 || got[0] < 1 {
		t.Errorf("GIDs %v", got)
	}
}
