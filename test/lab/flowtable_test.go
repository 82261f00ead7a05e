//go:build lab

package lab

import (
	"strings"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/test/lab/world"
)

const datagrams = 50

func TestFlowtableTakesFlows(t *testing.T) {
	for name, c := range map[string]struct {
		router    func(testing.TB) world.FlowtableRouter
		offloaded bool
	}{
		"veths": {world.AddFlowtableRouter, false},
		"NIC":   {world.AddOffloadRouter, true},
	} {
		t.Run(name, func(t *testing.T) {
			router := c.router(t)
			if n := router.Endpoints[0].Exchange(t, router.Endpoints[1], datagrams); n != datagrams {
				t.Errorf("%d of %d datagrams came back", n, datagrams)
			}
			checkFlow(t, &router)
			listing := router.Run(t, "nft", "list", "flowtable", "inet", "lab", "fast") // its JSON has no flags
			if strings.Contains(listing, "flags offload") != c.offloaded || !strings.Contains(listing, "counter") {
				t.Errorf("flowtable %s", listing)
			}
			err := router.SetFlowtable(t, "flags offload")
			if accepted := err == nil; accepted != c.offloaded || err != nil && !strings.Contains(err.Error(), "Operation not supported") {
				t.Errorf("flags offload: %v", err)
			}
		})
	}
}

// checkFlow: all packets are counted for the flow, and the forwarding chain saw
// only the first ones, which made the flow known.
func checkFlow(t *testing.T, router *world.FlowtableRouter) {
	t.Helper()
	flows := router.UDPFlows(t)
	if len(flows) != 1 || flows[0] != (world.TrackedFlow{Offload: "OFFLOAD", Packets: [2]int{datagrams, datagrams}}) {
		t.Errorf("flows %+v of %d datagrams each way", flows, datagrams)
	}
	if n := router.Forwarded(t); n < 2 || n > 6 {
		t.Errorf("%d packets passed the forwarding chain", n)
	}
}
