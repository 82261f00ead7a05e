package metric

import (
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	dto "github.com/prometheus/client_model/go"
)

const (
	goSource      = "client_golang Go collector"
	processSource = "client_golang process collector"
)

// A Runtime gathers the metrics of this process that client_golang makes:
// go_* from the Go runtime and process_* from /proc/self.
type Runtime struct {
	registry *prometheus.Registry
}

var _ prometheus.Gatherer = (*Runtime)(nil)

// NewRuntime returns a Runtime with a registry of its own.
func NewRuntime() *Runtime {
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return &Runtime{registry}
}

// Gather returns the families, sorted by name, and what could be gathered
// beside an error. It leaves out process_network_*: they count the traffic of
// the whole network namespace, not the process's.
func (r *Runtime) Gather() ([]*dto.MetricFamily, error) {
	families, err := r.registry.Gather()
	return slices.DeleteFunc(families, func(f *dto.MetricFamily) bool {
		return strings.HasPrefix(f.GetName(), "process_network_")
	}), err
}

// Group describes what Gather returns, as rows of the table sorted by name.
// Their names are client_golang's own, and exempt from our rules. A family that
// cannot be gathered now, because /proc is not readable, has no row.
func (r *Runtime) Group() Group {
	g := Group{Name: "runtime", Help: "The Go runtime and the process of the exporter itself."}
	families, _ := r.Gather()
	for _, f := range families {
		g.Rows = append(g.Rows, runtimeRow(f))
	}
	return g
}

func runtimeRow(f *dto.MetricFamily) *Row {
	r := &Row{Name: f.GetName(), Help: f.GetHelp(), Source: goSource, Proof: Live}
	if strings.HasPrefix(r.Name, "process_") {
		r.Source = processSource
	}
	switch f.GetType() {
	case dto.MetricType_COUNTER:
		r.Kind = Counter
	case dto.MetricType_GAUGE:
		r.Kind = Gauge
	case dto.MetricType_SUMMARY:
		r.Kind = Summary
	}
	name := strings.TrimSuffix(r.Name, "_total")
	for _, unit := range measures {
		if strings.HasSuffix(name, "_"+unit) {
			r.Unit = unit
			break
		}
	}
	for _, m := range f.GetMetric() {
		for _, l := range m.GetLabel() {
			if !slices.Contains(r.Labels, l.GetName()) {
				r.Labels = append(r.Labels, l.GetName())
			}
		}
	}
	if r.Kind == Summary {
		r.Labels = append(r.Labels, "quantile")
	}
	return r
}

// ofRuntime reports whether r is one of Runtime's rows.
func ofRuntime(r *Row) bool {
	return strings.HasPrefix(r.Name, "go_") && r.Source == goSource ||
		strings.HasPrefix(r.Name, "process_") && r.Source == processSource
}
