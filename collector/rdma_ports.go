package collector

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/dpu-exporter/dpu-exporter/internal/nldev"
	"github.com/dpu-exporter/dpu-exporter/internal/outcome"
	"github.com/dpu-exporter/dpu-exporter/internal/sysfs"
	"github.com/dpu-exporter/dpu-exporter/inventory"
)

func (c *RDMA) samplePorts(ctx context.Context, inv *inventory.Snapshot) error {
	parents := make(map[string]string, len(inv.RDMA))
	for _, r := range inv.RDMA {
		parents[r.Name] = r.Parent
	}
	numbers := c.numbers(ctx)
	return c.ports.sample(ctx, rdmaNames(inv), nil, func(ctx context.Context, name string, r *reading) error {
		netdevs, firmware, protocol := map[uint32]string{}, "", ""
		known := c.ask(numbers, name, func(nl RDMANetlink, d nldev.Device) error {
			firmware, protocol = d.Firmware, d.Protocol
			return netdevsOf(ctx, nl, d, inv, netdevs)
		})
		r.add(rdmaInfoRow, 1, name, parents[name], protocol, firmware)
		err := c.perPort(name, func(p sysfs.RDMAPort) error { return c.readPort(p, netdevs[p.Port], r) })
		return unlessUnsupported(err, known)
	})
}

// netdevsOf finds the network device of each port.
func netdevsOf(ctx context.Context, nl RDMANetlink, d nldev.Device, inv *inventory.Snapshot, to map[uint32]string) error {
	var errs []error
	for port := uint32(1); port <= d.Ports; port++ {
		index, err := nl.Netdev(ctx, d.Index, port)
		errs = append(errs, err)
		if netdev := inv.ByIndex(index); netdev != nil {
			to[port] = netdev.Name
		}
	}
	return unlessUnsupported(errs...)
}

// readPort reads the state of one port. A file that cannot be read leaves out
// what is in it.
func (c *RDMA) readPort(p sysfs.RDMAPort, netdev string, r *reading) error {
	port := number(&p.Port)
	var errs []error
	file := func(name string) string {
		text, err := c.opts.Files.RDMAPortFile(p, name)
		if err != nil && outcome.Of(err) != outcome.Unsupported {
			errs = append(errs, fmt.Errorf("port %s, %s: %w", port, name, err))
		}
		return text
	}
	r.add(rdmaPortRow, 1, p.Device, port, netdev, file("link_layer"))
	if _, state, ok := strings.Cut(file("state"), ": "); ok {
		r.add(rdmaStateRow, 1, p.Device, port, strings.ToLower(state))
		r.add(rdmaActiveRow, oneIf(state == "ACTIVE"), p.Device, port)
	}
	if _, state, ok := strings.Cut(file("phys_state"), ": "); ok {
		r.add(rdmaPhysicalStateRow, 1, p.Device, port, state)
	}
	if rate, ok := parseRate(file("rate")); ok {
		r.add(rdmaRateRow, rate, p.Device, port)
	}
	return unlessUnsupported(errs...)
}

// parseRate reads "100 Gb/sec (4X EDR)" and "2.5 Gb/sec (1X SDR)" as bytes per
// second.
func parseRate(text string) (float64, bool) {
	gigabits, _, ok := strings.Cut(text, " Gb/sec")
	rate, err := strconv.ParseFloat(gigabits, 64)
	return rate * 125e6, ok && err == nil && rate > 0
}
