package collector

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dpu-exporter/dpu-exporter/internal/devlink"
	"github.com/dpu-exporter/dpu-exporter/inventory"
	"github.com/dpu-exporter/dpu-exporter/metric"
)

// DevlinkReader reads devlink devices; *devlink.Conn is one. It may be used from
// many goroutines.
type DevlinkReader interface {
	Devices(ctx context.Context) ([]devlink.Handle, error)
	Ports(ctx context.Context) ([]devlink.Port, error)
	Port(ctx context.Context, h devlink.Handle, index uint32) (devlink.Port, error)
	Info(ctx context.Context, h devlink.Handle) (devlink.Info, error)
	EswitchSettings(ctx context.Context, h devlink.Handle) (devlink.EswitchSettings, error)
	Reporters(ctx context.Context, h devlink.Handle) ([]devlink.Reporter, error)
	Diagnose(ctx context.Context, h devlink.Handle, port *uint32, reporter string) ([]devlink.Finding, error)
	Traps(ctx context.Context, h devlink.Handle) ([]devlink.Trap, error)
	TrapGroups(ctx context.Context, h devlink.Handle) ([]devlink.Trap, error)
	Resources(ctx context.Context, h devlink.Handle) ([]devlink.Resource, error)
	Rates(ctx context.Context, h devlink.Handle) ([]devlink.Rate, error)
	Params(ctx context.Context, h devlink.Handle) ([]devlink.Param, error)
}

// DevlinkOptions are the readers and choices of the devlink collector.
type DevlinkOptions struct {
	// Devices is read by most samples, Diagnoses by the one that may wait for the
	// firmware.
	Devices, Diagnoses DevlinkReader
	Error              error // why there is none
	AllVNICs           bool  // diagnose the vnic reporters of representors, too
}

// Devlink exports devlink devices: what they are and run, their eswitch, ports,
// health, traps, resources, rates and parameters.
type Devlink struct {
	opts    DevlinkOptions
	sources []*devlinkSource
}

// devlinkSource is one kind of thing that every device is asked for on a clock.
type devlinkSource struct {
	readings[devlink.Handle]
	every    time.Duration
	onChange bool
	read     devlinkRead
}

// devlinkRead reads one thing of one device.
type devlinkRead func(ctx context.Context, h devlink.Handle, inv *inventory.Snapshot, r *reading) error

// NewDevlink returns the collector.
func NewDevlink(opts DevlinkOptions) *Devlink {
	c := &Devlink{opts: opts}
	for _, s := range []struct {
		source   string
		every    time.Duration
		onChange bool
		read     devlinkRead
	}{
		{"devlink_info", 5 * time.Minute, true, c.readInfo},
		{"devlink_eswitch", time.Minute, true, c.readEswitch},
		{"devlink_ports", 30 * time.Second, true, c.readPorts},
		{"devlink_health", 15 * time.Second, true, c.readHealth},
		{"devlink_vnic", time.Minute, true, c.readVNIC},
		{"devlink_traps", 15 * time.Second, true, c.readTraps},
		{"devlink_resources", time.Minute, true, c.readResources},
		{"devlink_rates", time.Minute, true, c.readRates},
		{"devlink_params", 5 * time.Minute, true, c.readParams},
	} {
		next := &devlinkSource{every: s.every, onChange: s.onChange, read: s.read}
		next.source = s.source
		c.sources = append(c.sources, next)
	}
	return c
}

// Name is "devlink".
func (c *Devlink) Name() string { return "devlink" }

// Help describes the collector in a line.
func (c *Devlink) Help() string {
	return "devlink devices: versions, eswitch, ports, health, traps, resources, rates, parameters."
}

// Rows are the rows of devlink_rows.go and devlink_vnic.go.
func (c *Devlink) Rows() []*metric.Row { return devlinkRows }

// Samples is one for each kind of thing.
func (c *Devlink) Samples() []Sample {
	var samples []Sample
	for _, s := range c.sources {
		samples = append(samples, Sample{
			Source: s.source, Every: s.every, OnChange: s.onChange,
			Read: func(ctx context.Context, inv *inventory.Snapshot) error { return c.sample(ctx, inv, s) },
		})
	}
	return samples
}

// Collect emits the newest readings.
func (c *Devlink) Collect(_ context.Context, _ *inventory.Snapshot, emit *Emit) error {
	for _, s := range c.sources {
		s.emit(emit, func(devlink.Handle) bool { return true })
	}
	return nil
}

func (c *Devlink) sample(ctx context.Context, inv *inventory.Snapshot, s *devlinkSource) error {
	if c.opts.Error != nil {
		return c.opts.Error
	}
	listed, err := c.opts.Devices.Devices(ctx)
	if err != nil && len(listed) == 0 {
		return err
	}
	return s.sample(ctx, wantedHandles(inv, listed), nil, func(ctx context.Context, h devlink.Handle, r *reading) error {
		return s.read(ctx, h, inv, r)
	})
}

// wantedHandles are the devices of the inventory's ports and PCI functions. A
// virtual function or subfunction has one of its own, which says nothing that
// its physical function's does not: it is wanted where there is nothing else, as
// in a guest.
func wantedHandles(inv *inventory.Snapshot, listed []devlink.Handle) []devlink.Handle {
	ports, functions := map[devlink.Handle]bool{}, map[devlink.Handle]bool{}
	for _, list := range [][]*inventory.Device{inv.Devices, inv.Detached} {
		for _, d := range list {
			of := ports
			if d.Role == inventory.VF || d.Role == inventory.SF {
				of = functions
			}
			if h, _, ok := splitPort(d.DevlinkPort); ok {
				of[h] = true
			}
			if d.PCI != "" && !isRepresentor(d) {
				of[devlink.Handle{Bus: "pci", Device: d.PCI}] = true
			}
		}
	}
	wanted := intersection(listed, ports)
	if len(wanted) == 0 {
		wanted = intersection(listed, functions)
	}
	return wanted
}

func intersection(listed []devlink.Handle, with map[devlink.Handle]bool) []devlink.Handle {
	var common []devlink.Handle
	for _, h := range listed {
		if with[h] && !slices.Contains(common, h) {
			common = append(common, h)
		}
	}
	return common
}

// splitPort splits pci/0000:03:00.0/65535 into the device and the port's index.
func splitPort(port string) (h devlink.Handle, index uint32, ok bool) {
	bus, rest, ok := strings.Cut(port, "/")
	cut := strings.LastIndexByte(rest, '/')
	if !ok || cut < 0 {
		return h, 0, false
	}
	n, err := strconv.ParseUint(rest[cut+1:], 10, 32)
	return devlink.Handle{Bus: bus, Device: rest[:cut]}, uint32(n), err == nil
}

// portOf is the label of a port: pci/0000:03:00.0/65535, "" for the device itself.
func portOf(h devlink.Handle, index *uint32) string {
	if index == nil {
		return ""
	}
	return h.String() + "/" + number(index)
}
