package metric

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
)

// layers is the closed list of what may follow dpu_ in a name. Layers overlap
// and must not be summed, so the layer is in the name and never a label.
var layers = []string{
	"interface", "port", "vport", "vf", "ethtool", "offload", "tc", "conntrack", "ovs",
	"devlink", "rdma", "pci", "module", "probe", "isolation", "reach", "peer",
	"collector", "exporter", "board",
}

// measures are the units a name must end in (before _total). All other units
// are counts of things (packets, errors, changes) and need not be in the name.
// Longer ones come before those they end in.
var measures = []string{
	"bytes_per_second", "bytes", "seconds", "ratio", "celsius", "watts", "volts", "amperes",
}

// notBase maps words that may be neither a unit nor part of a name to what is
// to be used instead. promlint knows most scaled units; these it does not.
var notBase = map[string]string{
	"bit": "bytes", "bits": "bytes", "bps": "bytes_per_second", "mbps": "bytes_per_second",
	"gbps": "bytes_per_second", "octets": "bytes", "percent": "ratio", "pct": "ratio",
	"ppm": "ratio", "usec": "seconds", "msec": "seconds", "nsec": "seconds",
	"milliseconds": "seconds", "microseconds": "seconds", "nanoseconds": "seconds",
	"milliwatts": "watts", "microwatts": "watts", "dbm": "watts",
	"millivolts": "volts", "milliamperes": "amperes",
}

// shorthand maps words that may not be in a name to how they are spelled out.
var shorthand = map[string]string{
	"rx": "receive", "recv": "receive", "rcv": "receive",
	"tx": "transmit", "xmit": "transmit", "xmt": "transmit",
}

// takenLabels may not be label names, with the reason.
var takenLabels = map[string]string{
	"layer":    "the layer belongs in the name",
	"job":      "set by Prometheus for the target",
	"instance": "set by Prometheus for the target",
}

// snakeCase matches names, labels and units: dpu_port_receive_bytes_total, rdma_device.
var snakeCase = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

// Lint returns everything that is wrong with the table, in table order, then
// what client_golang's promlint finds. The Go runtime's own rows are exempt
// from our rules of naming.
func (t Table) Lint() []error {
	var faults []error
	seen := map[string]bool{}
	for _, r := range t.Rows() {
		report := func(format string, args ...any) {
			faults = append(faults, fmt.Errorf("%s: "+format, append([]any{r.Name}, args...)...))
		}
		if seen[r.Name] {
			report("name is in the table twice")
		}
		seen[r.Name] = true
		if !ofRuntime(r) {
			lintRow(r, report)
		}
	}
	return append(faults, t.promlint()...)
}

// report takes one fault of the row in hand.
type report func(format string, args ...any)

func lintRow(r *Row, report report) {
	lintName(r, report)
	lintUnit(r, report)
	lintLabels(r, report)
	if r.Kind != Counter && r.Kind != Gauge {
		report("kind is neither counter nor gauge")
	}
	if r.Proof < Live || r.Proof > FromSource {
		report("proof is not set")
	}
	lintText("help", r.Help, report)
	lintText("source", r.Source, report)
}

func lintText(what, text string, report report) {
	if strings.TrimSpace(text) == "" {
		report("%s is empty", what)
	}
	if strings.Contains(text, "\n") {
		report("%s is not one line", what)
	}
}

func lintName(r *Row, report report) {
	if !snakeCase.MatchString(r.Name) {
		report("name is not snake_case")
		return
	}
	words := strings.Split(r.Name, "_")
	if words[0] != "dpu" || len(words) < 3 || !slices.Contains(layers, words[1]) {
		report("name does not start with dpu_<layer>_; layers are %s", strings.Join(layers, ", "))
	}
	for _, word := range words {
		if long, ok := shorthand[word]; ok {
			report("%q is to be spelled %q", word, long)
		}
		if base, ok := notBase[word]; ok {
			report("%q in the name: use the base unit %q", word, base)
		}
	}
	if at := slices.Index(words, "info"); at >= 0 {
		if at != len(words)-1 {
			report("an info row ends in _info")
		}
		if r.Kind != Gauge || r.Unit != "" || len(r.Labels) == 0 {
			report("an info row is a gauge without unit and with labels")
		}
	}
}

func lintUnit(r *Row, report report) {
	if base, ok := notBase[r.Unit]; ok {
		report("unit %q: use the base unit %q", r.Unit, base)
		return
	}
	if r.Unit != "" && !snakeCase.MatchString(r.Unit) {
		report("unit %q is not a plain word", r.Unit)
	}
	name := strings.TrimSuffix(r.Name, "_total")
	at := slices.IndexFunc(measures, func(m string) bool { return strings.HasSuffix(name, "_"+m) })
	switch {
	case at >= 0 && measures[at] != r.Unit:
		report("name ends in %s but the unit is %q", measures[at], r.Unit)
	case at < 0 && slices.Contains(measures, r.Unit):
		report("unit %q is not at the end of the name", r.Unit)
	}
}

func lintLabels(r *Row, report report) {
	seen := map[string]bool{}
	for _, l := range r.Labels {
		if !snakeCase.MatchString(l) {
			report("label %q is not snake_case", l)
		}
		if why, ok := takenLabels[l]; ok {
			report("label %q: %s", l, why)
		}
		if seen[l] {
			report("label %q is there twice", l)
		}
		seen[l] = true
	}
}

// promlint runs client_golang's linter over one made-up sample of every row.
func (t Table) promlint() []error {
	var families []*dto.MetricFamily
	for _, r := range t.Rows() {
		if !ofRuntime(r) {
			families = append(families, sampleFamily(r))
		}
	}
	problems, err := promlint.NewWithMetricFamilies(families).Lint()
	var faults []error
	if err != nil {
		faults = append(faults, fmt.Errorf("run promlint: %w", err))
	}
	for _, p := range problems {
		faults = append(faults, errors.New(p.Metric+": "+p.Text))
	}
	return faults
}

func sampleFamily(r *Row) *dto.MetricFamily {
	name, help := r.Name, r.Help
	m := &dto.Metric{}
	for _, l := range r.Labels {
		value := "x"
		m.Label = append(m.Label, &dto.LabelPair{Name: &l, Value: &value})
	}
	setValue(m, r.Kind, new(float64))
	return &dto.MetricFamily{Name: &name, Help: &help, Type: protobufType(r.Kind), Metric: []*dto.Metric{m}}
}
