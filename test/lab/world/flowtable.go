package world

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A FlowtableRouter is a namespace that forwards between two endpoints and has
// the flows it has seen both ways of pass by its forwarding chain
// (nf_flowtable.rst).
type FlowtableRouter struct {
	Namespace
	Endpoints [2]Endpoint
	Ports     [2]string // the router's devices towards them
}

// flowtable is the ruleset of a router, without and with its flags.
const flowtable = `
table inet lab {
	flowtable fast {
		hook ingress priority 0
		devices = { %s, %s }
		%s
		counter
	}
	chain forward {
		type filter hook forward priority 0
		ip protocol udp counter flow add @fast
	}
}`

// AddFlowtableRouter makes a router whose ports are veths: flows are offloaded
// in software.
func AddFlowtableRouter(t testing.TB) FlowtableRouter {
	t.Helper()
	r := addRouter(t)
	r.Ports = [2]string{"port0", "port1"}
	for i, port := range r.Ports {
		r.attach(t, i, r.AddEndpoint(t, fmt.Sprintf("client%d", i), port, fmt.Sprintf("10.5.%d.2/24", i)))
	}
	must(t, r.SetFlowtable(t, ""))
	return r
}

// AddOffloadRouter makes a router whose ports are those of a NIC and whose
// flowtable offers the NIC its flows: flags offload in nft(8). netdevsim takes
// the flowtable but never a flow (TC_SETUP_FT in drivers/net/netdevsim/tc.c
// binds nothing), so flows stay in software here too.
func AddOffloadRouter(t testing.TB) FlowtableRouter {
	t.Helper()
	r := addRouter(t)
	r.Ports = [2]string(AddNIC(t, 2, 0).Physical(t))
	for i, port := range r.Ports {
		Run(t, "ip", "link", "set", port, "netns", string(r.Namespace))
		r.attach(t, i, r.AddBehind(t, port, fmt.Sprintf("client%d", i), fmt.Sprintf("10.5.%d.2/24", i)))
	}
	must(t, r.SetFlowtable(t, "flags offload"))
	return r
}

func addRouter(t testing.TB) FlowtableRouter {
	t.Helper()
	Run(t, "modprobe", "-a", "nf_conntrack", "nft_flow_offload")
	r := FlowtableRouter{Namespace: AddNamespace(t, "router")}
	r.Inside(t, func() { // settings go with the namespace
		WriteFile(t, "/proc/sys/net/ipv4/ip_forward", "1")
		WriteFile(t, "/proc/sys/net/netfilter/nf_conntrack_acct", "1") // or flows have no packets
	})
	return r
}

// attach has the router be the gateway of an endpoint.
func (r *FlowtableRouter) attach(t testing.TB, i int, e Endpoint) {
	t.Helper()
	gateway := fmt.Sprintf("10.5.%d.1", i)
	r.Batch(t, "ip", fmt.Sprintf("address add %s/24 dev %s", gateway, r.Ports[i]))
	e.via(t, gateway)
	r.Endpoints[i] = e
}

// SetFlowtable gives the router another flowtable over its ports, with flags as
// nft(8) takes them.
func (r *FlowtableRouter) SetFlowtable(t testing.TB, flags string) error {
	t.Helper()
	file := filepath.Join(t.TempDir(), "ruleset")
	must(t, os.WriteFile(file, fmt.Appendf(nil, "flush ruleset"+flowtable, r.Ports[0], r.Ports[1], flags), 0o600))
	_, err := r.tryInside(t, "nft", "-f", file)
	return err
}

// Forwarded is how many UDP packets have passed the forwarding chain: those
// that no flow of the flowtable took.
func (r *FlowtableRouter) Forwarded(t testing.TB) (packets int) {
	t.Helper()
	listing, err := r.tryInside(t, "nft", "list", "chain", "inet", "lab", "forward")
	must(t, err)
	_, counter, _ := strings.Cut(listing, "counter ")
	if _, err := fmt.Sscanf(counter, "packets %d", &packets); err != nil {
		t.Fatalf("no counter in %s", listing)
	}
	return packets
}

// A TrackedFlow is a line of /proc/net/nf_conntrack.
type TrackedFlow struct {
	Offload string // OFFLOAD: the flowtable has it; HW_OFFLOAD: a device has it; "" without
	Packets [2]int // of the direction that it began in, and of the other
}

// UDPFlows are the UDP flows that the router tracks.
func (r *FlowtableRouter) UDPFlows(t testing.TB) (flows []TrackedFlow) {
	t.Helper()
	for _, words := range r.table(t, "nf_conntrack", "ipv4") { // ipv4 2 udp 17 src=… packets=3 … [OFFLOAD] mark=0
		if words[2] != "udp" {
			continue
		}
		flow, direction := TrackedFlow{}, 0
		for _, word := range words {
			if n := 0; direction < 2 {
				if _, err := fmt.Sscanf(word, "packets=%d", &n); err == nil {
					flow.Packets[direction] = n
					direction++
				}
			}
			if word == "[OFFLOAD]" || word == "[HW_OFFLOAD]" {
				flow.Offload = strings.Trim(word, "[]")
			}
		}
		flows = append(flows, flow)
	}
	return flows
}
