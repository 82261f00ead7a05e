package collector

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/dpu-exporter/dpu-exporter/internal/outcome"
	"github.com/dpu-exporter/dpu-exporter/internal/rtnl"
	"github.com/dpu-exporter/dpu-exporter/inventory"
	"github.com/dpu-exporter/dpu-exporter/metric"
)

const (
	sourceVFCounts = "sriov_counts"
	sourceVFConfig = "vf_config"
	sourceVFStats  = "vf_statistics"

	// Lists of VFs hold the RTNL lock while the driver is asked for each VF.
	vfConfigEvery = time.Minute
	vfStatsEvery  = 30 * time.Second
)

// VFReader reads the virtual functions of a device; *rtnl.Conn is one. It is
// used by one goroutine at a time.
type VFReader interface {
	VFs(ctx context.Context, index int, statistics bool) ([]rtnl.VF, error)
}

// VFCounter says how many virtual functions a PCI function has and can have;
// sysfs.FS is one.
type VFCounter interface {
	VFCounts(pci string) (now, most uint32, err error)
}

// VFDrops are the drops that the driver of a physical function counts for each
// VF in its own statistics; *Ethtool is one.
type VFDrops interface {
	VFDrops(device inventory.Key, visit func(row *metric.Row, vf string, dropped float64))
}

// SRIOVOptions are the readers of the sriov collector.
type SRIOVOptions struct {
	Config, Stats VFReader // one each
	VFsError      error    // why there is none
	Counts        VFCounter
	Drops         VFDrops // nil for none
	All           bool    // the traffic also of VFs that have a representor
}

// SRIOV exports the virtual functions of physical ones: how they are set up, and
// what they received and sent where the driver says.
type SRIOV struct {
	opts                  SRIOVOptions
	counts, config, stats deviceReadings

	mu      sync.Mutex
	having  map[inventory.Key]bool // devices that had VFs when their configuration was read
	counted map[inventory.Key]bool // devices whose driver was seen to count
	drops   map[inventory.Key]bool // of those, the ones whose drops the kernel tells
}

// NewSRIOV returns the collector.
func NewSRIOV(opts SRIOVOptions) *SRIOV {
	return &SRIOV{
		opts: opts, having: map[inventory.Key]bool{}, counted: map[inventory.Key]bool{}, drops: map[inventory.Key]bool{},
		counts: readingsOf(sourceVFCounts), config: readingsOf(sourceVFConfig), stats: readingsOf(sourceVFStats),
	}
}

// Name is "sriov".
func (c *SRIOV) Name() string { return "sriov" }

// Help describes the collector in a line.
func (c *SRIOV) Help() string {
	return "SR-IOV virtual functions as their physical function's driver tells: configuration and statistics."
}

// Rows are the rows of sriov_rows.go.
func (c *SRIOV) Rows() []*metric.Row { return sriovRows }

// Samples are the three readings.
func (c *SRIOV) Samples() []Sample {
	return []Sample{
		{Source: sourceVFCounts, Every: vfConfigEvery, OnChange: true, Read: c.sampleCounts},
		{Source: sourceVFConfig, Every: vfConfigEvery, OnChange: true, Read: c.sampleConfig},
		{Source: sourceVFStats, Every: vfStatsEvery, Read: c.sampleStats},
	}
}

// Collect emits the newest readings, and the drops that only the driver's own
// statistics have.
func (c *SRIOV) Collect(_ context.Context, inv *inventory.Snapshot, emit *Emit) error {
	c.counts.emit(inv, emit)
	c.config.emit(inv, emit)
	c.stats.emit(inv, emit)
	if c.opts.Drops == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, d := range inv.Devices {
		if isPort(d) && !c.drops[d.Key] {
			c.opts.Drops.VFDrops(d.Key, func(row *metric.Row, vf string, dropped float64) { emit.Add(row, dropped, d.Name, vf) })
		}
	}
	return nil
}

// sampleCounts reads how many VFs each PCI function has and can have.
func (c *SRIOV) sampleCounts(ctx context.Context, inv *inventory.Snapshot) error {
	seen := map[string]bool{}
	first := func(d *inventory.Device) bool {
		wanted := isPort(d) && d.PCI != "" && !seen[d.PCI]
		seen[d.PCI] = true
		return wanted
	}
	return c.counts.sample(ctx, inv, nil, first, func(_ context.Context, d *inventory.Device, r *reading) error {
		now, most, err := c.opts.Counts.VFCounts(d.PCI)
		if err == nil {
			r.add(vfsRow, float64(now), d.Name, d.PCI)
			r.add(vfsMaxRow, float64(most), d.Name, d.PCI)
		}
		return err
	})
}

// sampleConfig reads how the VFs of every port are set up.
func (c *SRIOV) sampleConfig(ctx context.Context, inv *inventory.Snapshot) error {
	return c.config.sample(ctx, inv, c.opts.VFsError, isPort, func(ctx context.Context, d *inventory.Device, r *reading) error {
		vfs, err := c.opts.Config.VFs(ctx, d.Index, false)
		c.note(c.having, d, len(vfs) > 0 || outcome.Of(err) == outcome.Truncated)
		for i := range vfs {
			addVFConfig(r, d.Name, &vfs[i])
		}
		if err == nil && len(vfs) == 0 {
			return errNoVFs
		}
		return err
	})
}

// errNoVFs is the state of a port without virtual functions.
var errNoVFs = errUnsupported("no virtual functions")

// sampleStats reads the statistics of the VFs of the ports that have any.
func (c *SRIOV) sampleStats(ctx context.Context, inv *inventory.Snapshot) error {
	having := func(d *inventory.Device) bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.having[d.Key] && isPort(d)
	}
	return c.stats.sample(ctx, inv, c.opts.VFsError, having, func(ctx context.Context, d *inventory.Device, r *reading) error {
		vfs, err := c.opts.Stats.VFs(ctx, d.Index, true)
		if !c.keepsStatistics(d, vfs) {
			if err == nil {
				err = errNoVFStatistics
			}
			return err
		}
		for i := range vfs {
			addVFStats(r, d, &vfs[i], c.opts.All)
		}
		return err
	})
}

// errNoVFStatistics is the state of a driver that keeps no statistics of VFs.
var errNoVFStatistics = errUnsupported("eight zeros for every VF, which the kernel answers for a driver without statistics")

// keepsStatistics says whether the driver keeps statistics of VFs: one that does
// not has zeros for all of them, for ever. One that was seen to count is
// believed its zeros.
func (c *SRIOV) keepsStatistics(d *inventory.Device, vfs []rtnl.VF) bool {
	for _, vf := range vfs {
		if vf.Stats != nil && *vf.Stats != (rtnl.VFStats{HasDrops: vf.Stats.HasDrops}) {
			c.note(c.counted, d, true)
			c.note(c.drops, d, vf.Stats.HasDrops)
			return true
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.counted[d.Key]
}

func (c *SRIOV) note(of map[inventory.Key]bool, d *inventory.Device, is bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if of[d.Key] = is; !is {
		delete(of, d.Key)
	}
}

func addVFConfig(r *reading, device string, vf *rtnl.VF) {
	number := strconv.FormatUint(uint64(vf.Number), 10)
	r.add(vfInfoRow, 1, device, number, vf.Address.String(), vlanOf(vf), protocolOf(vf), linkStateOf(vf))
	if vf.SpoofCheck != nil {
		r.add(vfSpoofCheckRow, oneIf(*vf.SpoofCheck), device, number)
	}
	if vf.Trusted != nil {
		r.add(vfTrustedRow, oneIf(*vf.Trusted), device, number)
	}
	addRate(r, vfRateMinRow, vf.MinRate, device, number)
	addRate(r, vfRateMaxRow, vf.MaxRate, device, number)
}

// addRate adds a rate of Mbit/s unless it is 0, which is none.
func addRate(r *reading, row *metric.Row, mbit *uint32, labels ...string) {
	if mbit != nil && *mbit != 0 {
		r.add(row, float64(*mbit)*125_000, labels...)
	}
}

func vlanOf(vf *rtnl.VF) string {
	if vf.VLAN == 0 {
		return ""
	}
	return strconv.FormatUint(uint64(vf.VLAN), 10)
}

// protocolOf is the protocol of the VF's VLAN tag in ip-link(8)'s words.
func protocolOf(vf *rtnl.VF) string {
	switch {
	case vf.VLAN == 0:
		return ""
	case vf.VLANProtocol == 0x88a8:
		return "802.1ad"
	case vf.VLANProtocol == 0x8100 || vf.VLANProtocol == 0:
		return "802.1Q"
	}
	return fmt.Sprintf("%#04x", vf.VLANProtocol)
}

func linkStateOf(vf *rtnl.VF) string {
	words := []string{"auto", "enable", "disable"}
	switch {
	case vf.LinkState == nil:
		return ""
	case int(*vf.LinkState) < len(words):
		return words[*vf.LinkState]
	}
	return strconv.FormatUint(uint64(*vf.LinkState), 10)
}

// addVFStats adds what a VF received and sent; behind an uplink only what was
// dropped, since its representor has the rest.
func addVFStats(r *reading, d *inventory.Device, vf *rtnl.VF, all bool) {
	if vf.Stats == nil {
		return
	}
	number := strconv.FormatUint(uint64(vf.Number), 10)
	values := []uint64{
		vf.Stats.RxPackets, vf.Stats.TxPackets, vf.Stats.RxBytes, vf.Stats.TxBytes,
		vf.Stats.Broadcast, vf.Stats.Multicast, vf.Stats.RxDropped, vf.Stats.TxDropped,
	}
	if !vf.Stats.HasDrops {
		values = values[:6]
	}
	first := 0
	if d.Role == inventory.Uplink && !all {
		first = 6
	}
	for i := first; i < len(values); i++ {
		r.add(vfStatRows[i], float64(values[i]), d.Name, number)
	}
}
