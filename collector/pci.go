package collector

import (
	"context"
	"time"

	"github.com/dpu-exporter/dpu-exporter/internal/sysfs"
	"github.com/dpu-exporter/dpu-exporter/inventory"
	"github.com/dpu-exporter/dpu-exporter/metric"
)

const (
	sourcePCILink  = "pci_link"
	sourcePCIAER   = "pci_aer"
	sourcePCITemps = "pci_temperature"
)

// PCIReader reads PCI functions; sysfs.FS is one.
type PCIReader interface {
	PCIFunction(address string) (sysfs.PCIFunction, error)
	AER(address string) ([]sysfs.AER, error)
	Temperatures(address string) ([]sysfs.Sensor, error)
}

// PCI exports the PCI functions that the network devices sit on: identity, link,
// errors and temperatures.
type PCI struct {
	files             PCIReader
	link, aer, sensor readings[string] // by PCI address
}

// NewPCI returns the collector.
func NewPCI(files PCIReader) *PCI {
	c := &PCI{files: files}
	c.link.source, c.aer.source, c.sensor.source = sourcePCILink, sourcePCIAER, sourcePCITemps
	return c
}

// Name is "pci".
func (c *PCI) Name() string { return "pci" }

// Help describes the collector in a line.
func (c *PCI) Help() string {
	return "PCI functions of network devices: identity, link speed and width, errors, temperatures."
}

// Rows are the rows of pci_rows.go.
func (c *PCI) Rows() []*metric.Row { return pciRows }

// Samples are the three readings.
func (c *PCI) Samples() []Sample {
	return []Sample{
		{Source: sourcePCILink, Every: time.Minute, OnChange: true, Read: c.sampleLink},
		{Source: sourcePCIAER, Every: 15 * time.Second, OnChange: true, Read: c.sampleAER},
		{Source: sourcePCITemps, Every: 30 * time.Second, OnChange: true, Read: c.sampleTemperatures},
	}
}

// Collect emits the newest readings.
func (c *PCI) Collect(_ context.Context, inv *inventory.Snapshot, emit *Emit) error {
	here := map[string]bool{}
	for _, list := range [][]*inventory.Device{inv.Devices, inv.Detached} {
		for _, d := range list {
			here[d.PCI] = true
		}
	}
	for _, r := range []*readings[string]{&c.link, &c.aer, &c.sensor} {
		r.emit(emit, func(address string) bool { return here[address] })
	}
	return nil
}

// functionsOf are the PCI functions of the inventory. Virtual ones have no link
// and no sensors of their own: they are read where there is no other, as in a
// guest.
func functionsOf(inv *inventory.Snapshot) []string {
	var physical, virtual []string
	seen := map[string]bool{"": true}
	for _, list := range [][]*inventory.Device{inv.Devices, inv.Detached} {
		for _, d := range list {
			switch {
			case seen[d.PCI] || isRepresentor(d) || d.Role == inventory.SF:
				continue
			case d.Role == inventory.VF:
				virtual = append(virtual, d.PCI)
			default:
				physical = append(physical, d.PCI)
			}
			seen[d.PCI] = true
		}
	}
	if len(physical) == 0 {
		return virtual
	}
	return physical
}

func (c *PCI) sampleLink(ctx context.Context, inv *inventory.Snapshot) error {
	drivers := map[string]string{}
	for _, d := range inv.Devices {
		if !isRepresentor(d) {
			drivers[d.PCI] = d.Driver
		}
	}
	return c.link.sample(ctx, functionsOf(inv), nil, func(_ context.Context, address string, r *reading) error {
		p, err := c.files.PCIFunction(address)
		if p.Vendor != "" {
			r.add(pciInfoRow, 1, address, drivers[address], p.Vendor, p.Device, p.SubsystemVendor, p.SubsystemDevice, p.Revision, number(p.NUMANode))
		}
		addTransfers(r, pciSpeedRow, p.Speed, address)
		addTransfers(r, pciSpeedMaxRow, p.MaxSpeed, address)
		addKnown(r, pciLanesRow, p.Width, 1, address)
		addKnown(r, pciLanesMaxRow, p.MaxWidth, 1, address)
		return err
	})
}

// addTransfers adds a speed of GT/s.
func addTransfers(r *reading, row *metric.Row, giga *float64, address string) {
	if giga != nil {
		r.add(row, *giga*1e9, address)
	}
}

func (c *PCI) sampleAER(ctx context.Context, inv *inventory.Snapshot) error {
	return c.aer.sample(ctx, functionsOf(inv), nil, func(_ context.Context, address string, r *reading) error {
		all, err := c.files.AER(address)
		for _, a := range all {
			r.add(pciErrorsRow, float64(a.Total), address, a.Severity)
			for _, e := range a.Errors {
				r.add(pciErrorKindRow, float64(e.Count), address, a.Severity, e.Name)
			}
		}
		return err
	})
}

func (c *PCI) sampleTemperatures(ctx context.Context, inv *inventory.Snapshot) error {
	return c.sensor.sample(ctx, functionsOf(inv), nil, func(_ context.Context, address string, r *reading) error {
		sensors, err := c.files.Temperatures(address)
		for _, s := range sensors {
			r.add(pciTemperatureRow, s.Value, address, s.Name)
			if s.Critical != nil {
				r.add(pciTemperatureLimitRow, *s.Critical, address, s.Name)
			}
		}
		return err
	})
}
