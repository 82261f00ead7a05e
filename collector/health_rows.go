package collector

import "github.com/dpu-exporter/dpu-exporter/metric"

var byCollector = []string{"collector"}

// How the collectors themselves are doing.
var (
	successRow = &metric.Row{
		Name: "dpu_collector_success", Kind: metric.Gauge, Labels: byCollector, Proof: metric.Live,
		Help:   "1 if the collector worked, 0 if it failed, panicked or was late; single devices that could not be read are in dpu_collector_devices",
		Source: "this program",
	}
	durationRow = &metric.Row{
		Name: "dpu_collector_duration_seconds", Kind: metric.Gauge, Unit: "seconds", Labels: byCollector, Proof: metric.Live,
		Help: "How long the collection took, or has taken so far when it is late", Source: "this program",
	}
	errorsRow = &metric.Row{
		Name: "dpu_collector_errors_total", Kind: metric.Counter, Unit: "errors", Labels: byCollector, Proof: metric.Live,
		Help:   "Failures of the collector: an error of its own, a panic, lateness, and devices or samples that were broken",
		Source: "this program",
	}
	devicesRow = &metric.Row{
		Name: "dpu_collector_devices", Kind: metric.Gauge, Unit: "devices", Labels: []string{"collector", "source", "outcome"}, Proof: metric.Live,
		Help:   "Devices by how reading them ended: ok, unsupported, not_permitted, vanished, broken, truncated (the answer did not fit its message); outcomes without devices are absent",
		Source: "this program",
	}
	lastSampleRow = &metric.Row{
		Name: "dpu_collector_last_sample_timestamp_seconds", Kind: metric.Gauge, Unit: "seconds", Labels: []string{"collector", "source"}, Proof: metric.Live,
		Help:   "When a source that is read on its own clock was last read with success, since the Unix epoch",
		Source: "this program",
	}
	droppedRow = &metric.Row{
		Name: "dpu_collector_dropped_values_total", Kind: metric.Counter, Unit: "values", Labels: []string{"collector", "reason"}, Proof: metric.Live,
		Help:   "Values left out of the exposition because they would have spoiled it: duplicate, not_a_number, malformed",
		Source: "this program",
	}
)

// HealthGroup describes the rows that the Runner itself emits.
func HealthGroup() metric.Group {
	return metric.Group{
		Name: "health",
		Help: "How the collectors themselves are doing; always on.",
		Rows: []*metric.Row{successRow, durationRow, errorsRow, devicesRow, lastSampleRow, droppedRow},
	}
}
