package collector

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/prometheus/common/version"

	"github.com/dpu-exporter/dpu-exporter/inventory"
	"github.com/dpu-exporter/dpu-exporter/metric"
)

// The rows about this program and what it found.
var (
	buildInfoRow = &metric.Row{
		Name: "dpu_exporter_build_info", Kind: metric.Gauge, Proof: metric.Live,
		Labels: []string{"version", "revision", "branch", "goversion", "goos", "goarch"},
		Help:   "Always 1: what this binary was built from", Source: "linker flags and the Go runtime",
	}
	netnsInfoRow = &metric.Row{
		Name: "dpu_exporter_netns_info", Kind: metric.Gauge, Labels: []string{"host"}, Proof: metric.Live,
		Help:   "Always 1: whether the interfaces are those of the host's network namespace: true, false or unknown",
		Source: "/proc/thread-self/ns/net; before Linux 6.18 also 1/ns/pid and 1/ns/net below --path.procfs",
	}
	devicesByRoleRow = &metric.Row{
		Name: "dpu_exporter_devices", Kind: metric.Gauge, Unit: "devices", Labels: []string{"role"}, Proof: metric.Live,
		Help: "Network devices in the inventory by role", Source: "the inventory",
	}
	detachedRow = &metric.Row{
		Name: "dpu_exporter_detached_functions", Kind: metric.Gauge, Unit: "functions", Labels: []string{"role"}, Proof: metric.Live,
		Help:   "Functions and ports that have no network device in this namespace by role, such as VFs given to a guest",
		Source: "the inventory: devlink ports, virtfn links and auxiliary devices in sysfs",
	}
	excludedRow = &metric.Row{
		Name: "dpu_exporter_excluded_devices", Kind: metric.Gauge, Unit: "devices", Proof: metric.Live,
		Help: "Network devices, functions and ports that --device.include and --device.exclude leave out", Source: "the inventory",
	}
	unparsedRow = &metric.Row{
		Name: "dpu_exporter_unparsed_ports", Kind: metric.Gauge, Unit: "ports", Proof: metric.Live,
		Help: "Devices and ports whose port name or devlink flavour is not understood; their role is unknown", Source: "the inventory",
	}
	eventsRow = &metric.Row{
		Name: "dpu_exporter_inventory_events_total", Kind: metric.Counter, Unit: "events", Labels: []string{"source"}, Proof: metric.Live,
		Help: "Notifications of the kernel that the inventory followed", Source: "RTNLGRP_LINK and devlink's config group",
	}
	readsRow = &metric.Row{
		Name: "dpu_exporter_inventory_reads_total", Kind: metric.Counter, Unit: "reads", Labels: []string{"reason"}, Proof: metric.Live,
		Help: "Full reads of the inventory by reason; overrun means that notifications were lost", Source: "the inventory",
	}
	readFailuresRow = &metric.Row{
		Name: "dpu_exporter_inventory_read_failures_total", Kind: metric.Counter, Unit: "reads", Proof: metric.Live,
		Help: "Full reads of the inventory that failed; the one before stays in force", Source: "the inventory",
	}
	reloadOKRow = &metric.Row{
		Name: "dpu_exporter_config_last_reload_successful", Kind: metric.Gauge, Proof: metric.Live,
		Help: "1 if the newest reading of the configuration files succeeded, 0 if it failed and the one before is in force", Source: "this program",
	}
	reloadTimeRow = &metric.Row{
		Name: "dpu_exporter_config_last_reload_success_timestamp_seconds", Kind: metric.Gauge, Unit: "seconds", Proof: metric.Live,
		Help: "When the configuration in force was read, since the Unix epoch", Source: "this program",
	}
)

// ExporterOptions are where the exporter collector reads from.
type ExporterOptions struct {
	Health func() inventory.Health
	Config func() (ok bool, lastSuccess time.Time)
}

// Exporter exports what this program is and what it found.
type Exporter struct{ opts ExporterOptions }

// NewExporter returns the collector.
func NewExporter(opts ExporterOptions) *Exporter { return &Exporter{opts: opts} }

// Name is "exporter".
func (c *Exporter) Name() string { return "exporter" }

// Help describes the collector in a line.
func (c *Exporter) Help() string {
	return "What this program is, what its inventory found, and the state of its configuration."
}

// Rows are the dpu_exporter_* rows.
func (c *Exporter) Rows() []*metric.Row {
	return []*metric.Row{
		buildInfoRow, netnsInfoRow, devicesByRoleRow, detachedRow, excludedRow, unparsedRow,
		eventsRow, readsRow, readFailuresRow, reloadOKRow, reloadTimeRow,
	}
}

// Collect emits them all; it reads nothing of the machine.
func (c *Exporter) Collect(_ context.Context, inv *inventory.Snapshot, emit *Emit) error {
	emit.Add(buildInfoRow, 1, version.Version, version.GetRevision(), version.Branch, version.GoVersion, version.GoOS, version.GoArch)
	emit.Add(netnsInfoRow, 1, inv.Namespace.Host.String())

	h := c.opts.Health()
	if !inv.Blind {
		emitFound(inv, h, emit)
	}
	emit.Add(eventsRow, float64(h.Events), "rtnl")
	emit.Add(eventsRow, float64(h.PortEvents), "devlink")
	for _, reason := range slices.Sorted(maps.Keys(h.Reads)) {
		emit.Add(readsRow, float64(h.Reads[reason]), string(reason))
	}
	emit.Add(readFailuresRow, float64(h.ReadFailures))

	ok, at := c.opts.Config()
	emit.Add(reloadOKRow, oneIf(ok))
	emit.Add(reloadTimeRow, float64(at.UnixNano())/1e9)
	return nil
}

// emitFound emits what the inventory found, which is not known where it may
// not read the interfaces.
func emitFound(inv *inventory.Snapshot, h inventory.Health, emit *Emit) {
	for _, role := range slices.Sorted(maps.Keys(h.Devices)) {
		emit.Add(devicesByRoleRow, float64(h.Devices[role]), string(role))
	}
	for _, role := range slices.Sorted(maps.Keys(h.DetachedByRole)) {
		emit.Add(detachedRow, float64(h.DetachedByRole[role]), string(role))
	}
	emit.Add(excludedRow, float64(inv.Excluded))
	emit.Add(unparsedRow, float64(h.Unparsed))
}
