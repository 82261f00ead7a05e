package collector

import (
	"testing"
	"time"

	"github.com/dpu-exporter/dpu-exporter/inventory"
	"github.com/dpu-exporter/dpu-exporter/metric"
)

func TestExporter(t *testing.T) {
	c := NewExporter(ExporterOptions{
		Health: func() inventory.Health {
			return inventory.Health{
				Events: 7, PortEvents: 2, ReadFailures: 1, Unparsed: 3,
				Reads:          map[inventory.Reason]uint64{inventory.Overrun: 4, inventory.AtStart: 1},
				Devices:        map[inventory.Role]int{inventory.Uplink: 2, "veth": 5},
				DetachedByRole: map[inventory.Role]int{inventory.VF: 12},
			}
		},
		Config: func() (bool, time.Time) { return false, time.Unix(1234, 500_000_000) },
	})
	inv := inventory.NewSnapshot(nil, 6)
	inv.Namespace.Host = inventory.NotHost
	set := metric.NewSet(c.Rows())
	emit := &Emit{Emitter: set.Begin()}
	if err := c.Collect(t.Context(), inv, emit); err != nil {
		t.Fatal(err)
	}
	set.Commit(emit.Emitter)
	wantLines(t, string(set.AppendText(nil)),
		`dpu_exporter_netns_info{host="false"} 1`,
		`dpu_exporter_devices{role="uplink"} 2`,
		`dpu_exporter_devices{role="veth"} 5`,
		`dpu_exporter_detached_functions{role="vf"} 12`,
		`dpu_exporter_excluded_devices 6`,
		`dpu_exporter_unparsed_ports 3`,
		`dpu_exporter_inventory_events_total{source="rtnl"} 7`,
		`dpu_exporter_inventory_events_total{source="devlink"} 2`,
		`dpu_exporter_inventory_reads_total{reason="overrun"} 4`,
		`dpu_exporter_inventory_reads_total{reason="start"} 1`,
		`dpu_exporter_inventory_read_failures_total 1`,
		`dpu_exporter_config_last_reload_successful 0`,
		`dpu_exporter_config_last_reload_success_timestamp_seconds 1234.5`)
}

// TestBlindExporterMakesUpNoZeros: where interfaces cannot be read it is not
// known how many there are.
func TestBlindExporterMakesUpNoZeros(t *testing.T) {
	c := NewExporter(ExporterOptions{
		Health: func() inventory.Health {
			return inventory.Health{Devices: map[inventory.Role]int{inventory.PF: 0}, DetachedByRole: map[inventory.Role]int{inventory.SF: 0}}
		},
		Config: func() (bool, time.Time) { return true, time.Unix(1234, 0) },
	})
	inv := inventory.NewSnapshot(nil, 0)
	inv.Blind = true
	set := metric.NewSet(c.Rows())
	emit := &Emit{Emitter: set.Begin()}
	if err := c.Collect(t.Context(), inv, emit); err != nil {
		t.Fatal(err)
	}
	set.Commit(emit.Emitter)
	wantLines(t, string(set.AppendText(nil)), `dpu_exporter_config_last_reload_successful 1`,
		"!dpu_exporter_devices", "!dpu_exporter_detached", "!dpu_exporter_excluded", "!dpu_exporter_unparsed")
}
