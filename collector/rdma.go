package collector

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/dpu-exporter/dpu-exporter/internal/nldev"
	"github.com/dpu-exporter/dpu-exporter/internal/sysfs"
	"github.com/dpu-exporter/dpu-exporter/inventory"
	"github.com/dpu-exporter/dpu-exporter/metric"
)

const (
	sourceRDMAPorts     = "rdma_ports"
	sourceRDMACounters  = "rdma_counters"
	sourceRDMAResources = "rdma_resources"
	sourceRDMAGIDs      = "rdma_gids"
)

// RDMAFiles reads what sysfs has of RDMA devices; sysfs.FS is one.
type RDMAFiles interface {
	RDMAPorts(device string) ([]sysfs.RDMAPort, error)
	RDMAPortFile(p sysfs.RDMAPort, file string) (string, error)
	RDMACounters(p sysfs.RDMAPort, folder string) ([]string, error)
	RDMACounter(p sysfs.RDMAPort, folder, counter string) (uint64, error)
	RDMAGIDs(p sysfs.RDMAPort) (map[string]int, error)
}

// RDMANetlink reads what NETLINK_RDMA has of them; *nldev.Conn is one. It is
// used by one goroutine at a time.
type RDMANetlink interface {
	Devices(ctx context.Context) ([]nldev.Device, error)
	Netdev(ctx context.Context, device, port uint32) (int, error)
	Statistics(ctx context.Context, device, port uint32) ([]nldev.Named, error)
	OptionalCounters(ctx context.Context, device, port uint32) ([]nldev.Optional, error)
	Resources(ctx context.Context, device uint32) ([]nldev.Named, error)
	NamespaceMode(ctx context.Context) (string, error)
}

// RDMAOptions are the readers of the rdma collector and the clock.
type RDMAOptions struct {
	Files        RDMAFiles
	Netlink      RDMANetlink
	NetlinkError error            // why there is none
	Now          func() time.Time // nil: time.Now
}

// RDMA exports RDMA devices: their ports, counters, resources and addresses.
type RDMA struct {
	opts    RDMAOptions
	turn    sync.Mutex // of the netlink connection
	refused refusals   // of the sampling goroutine of counters alone

	ports, counters, resources, gids readings[string] // by the name of the device
}

// NewRDMA returns the collector.
func NewRDMA(opts RDMAOptions) *RDMA {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	c := &RDMA{opts: opts, refused: refusals{now: opts.Now, of: map[refusalKey]*refusal{}}}
	c.ports.source, c.counters.source = sourceRDMAPorts, sourceRDMACounters
	c.resources.source, c.gids.source = sourceRDMAResources, sourceRDMAGIDs
	return c
}

// Name is "rdma".
func (c *RDMA) Name() string { return "rdma" }

// Help describes the collector in a line.
func (c *RDMA) Help() string {
	return "RDMA devices: port state, counters in bytes, hardware counters, resources, GIDs."
}

// Rows are the rows of rdma_rows.go and rdma_counters.go.
func (c *RDMA) Rows() []*metric.Row { return rdmaRows }

// Samples are the four readings.
func (c *RDMA) Samples() []Sample {
	return []Sample{
		{Source: sourceRDMAPorts, Every: 15 * time.Second, OnChange: true, Read: c.samplePorts},
		{Source: sourceRDMACounters, Every: 15 * time.Second, OnChange: true, Read: c.sampleCounters},
		{Source: sourceRDMAResources, Every: 30 * time.Second, OnChange: true, Read: c.sampleResources},
		{Source: sourceRDMAGIDs, Every: time.Minute, OnChange: true, Read: c.sampleGIDs},
	}
}

// Collect emits the newest readings.
func (c *RDMA) Collect(_ context.Context, inv *inventory.Snapshot, emit *Emit) error {
	here := make(map[string]bool, len(inv.RDMA))
	for _, r := range inv.RDMA {
		here[r.Name] = true
	}
	for _, r := range []*readings[string]{&c.ports, &c.counters, &c.resources, &c.gids} {
		r.emit(emit, func(name string) bool { return here[name] })
	}
	return nil
}

// rdmaNames are the RDMA devices of a snapshot.
func rdmaNames(inv *inventory.Snapshot) []string {
	names := make([]string, len(inv.RDMA))
	for i, r := range inv.RDMA {
		names[i] = r.Name
	}
	return names
}

// perPort reads each port of a device.
func (c *RDMA) perPort(device string, read func(p sysfs.RDMAPort) error) error {
	ports, err := c.opts.Files.RDMAPorts(device)
	errs := []error{err}
	for _, p := range ports {
		errs = append(errs, read(p))
	}
	return unlessUnsupported(errs...)
}

// numbered are the RDMA core's numbers of the devices, or why it may not be
// asked.
type numbered struct {
	byName map[string]nldev.Device
	err    error
}

func (c *RDMA) numbers(ctx context.Context) numbered {
	if c.opts.NetlinkError != nil {
		return numbered{err: c.opts.NetlinkError}
	}
	c.turn.Lock()
	defer c.turn.Unlock()
	devices, err := c.opts.Netlink.Devices(ctx)
	n := numbered{byName: make(map[string]nldev.Device, len(devices)), err: err}
	for _, d := range devices {
		n.byName[d.Name] = d
	}
	return n
}

// ask asks the RDMA core about a device, one question at a time.
func (c *RDMA) ask(of numbered, device string, question func(nl RDMANetlink, d nldev.Device) error) error {
	if of.err != nil {
		return of.err
	}
	d, known := of.byName[device]
	if !known {
		return errors.ErrUnsupported // of another namespace, or gone
	}
	c.turn.Lock()
	defer c.turn.Unlock()
	return question(c.opts.Netlink, d)
}

func (c *RDMA) sampleResources(ctx context.Context, inv *inventory.Snapshot) error {
	names, numbers := rdmaNames(inv), c.numbers(ctx)
	return c.resources.sample(ctx, names, nil, func(ctx context.Context, name string, r *reading) error {
		return c.ask(numbers, name, func(nl RDMANetlink, d nldev.Device) error {
			all, err := nl.Resources(ctx, d.Index)
			for _, v := range all {
				r.add(rdmaResourcesRow, float64(v.Value), name, v.Name)
			}
			if name == names[0] { // what is of no device stands with the first
				mode, modeErr := nl.NamespaceMode(ctx)
				if modeErr == nil {
					r.add(rdmaNamespaceRow, 1, mode)
				}
				err = errors.Join(err, modeErr)
			}
			return err
		})
	})
}

func (c *RDMA) sampleGIDs(ctx context.Context, inv *inventory.Snapshot) error {
	return c.gids.sample(ctx, rdmaNames(inv), nil, func(_ context.Context, name string, r *reading) error {
		return c.perPort(name, func(p sysfs.RDMAPort) error {
			counts, err := c.opts.Files.RDMAGIDs(p)
			for _, kind := range slices.Sorted(maps.Keys(counts)) {
				r.add(rdmaGIDsRow, float64(counts[kind]), p.Device, number(&p.Port), kind)
			}
			return err
		})
	})
}
