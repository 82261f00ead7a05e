//go:build lab

package lab

import (
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/dpu-exporter/dpu-exporter/test/lab/world"
	"github.com/dpu-exporter/dpu-exporter/test/program"
)

// binary is the program under test, on the guest's path.
const binary = "dpu-exporter"

// exposition is what the program exports, by metric name.
type exposition map[string]*dto.MetricFamily

// collectIn is one run of `dpu-exporter metrics` in a namespace.
func collectIn(t *testing.T, n world.Namespace, args ...string) exposition {
	t.Helper()
	e, err := parse(strings.NewReader(n.Run(t, binary, append([]string{"metrics"}, args...)...)))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// collect is collectIn the guest's first namespace.
func collect(t *testing.T, args ...string) exposition {
	t.Helper()
	return collectIn(t, "", args...)
}

func parse(text io.Reader) (exposition, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	return parser.TextToMetricFamilies(text)
}

// labels are the labels of a sample.
type labels map[string]string

func labelsOf(m *dto.Metric) labels {
	all := labels{}
	for _, l := range m.GetLabel() {
		all[l.GetName()] = l.GetValue()
	}
	return all
}

// by are the values of a family by one of its labels, which must tell its
// samples apart.
func (e exposition) by(t *testing.T, family, label string) map[string]float64 {
	t.Helper()
	values := map[string]float64{}
	for _, m := range e[family].GetMetric() {
		key := labelsOf(m)[label]
		if _, twice := values[key]; twice {
			t.Errorf("%s has two samples with %s=%q", family, label, key)
		}
		values[key] = m.GetGauge().GetValue() + m.GetCounter().GetValue() // one of them is there
	}
	return values
}

// infos are the labels of an info row by device.
func (e exposition) infos(family string) map[string]labels {
	infos := map[string]labels{}
	for _, m := range e[family].GetMetric() {
		l := labelsOf(m)
		infos[l["device"]] = l
	}
	return infos
}

// failures says what the collectors did not manage.
func (e exposition) failures() (all []string) {
	for _, m := range e["dpu_collector_success"].GetMetric() {
		if m.GetGauge().GetValue() != 1 {
			all = append(all, fmt.Sprintf("collector failed: %v", m))
		}
	}
	for _, m := range e["dpu_collector_devices"].GetMetric() {
		if o := labelsOf(m)["outcome"]; o == "broken" || o == "not_permitted" {
			all = append(all, fmt.Sprintf("devices are %s: %v", o, m))
		}
	}
	if len(e["dpu_collector_success"].GetMetric()) == 0 {
		all = append(all, "no collector ran")
	}
	return all
}

// exporter is the program as it serves.
type exporter struct {
	*program.Program
	url string
}

func serve(t *testing.T, args ...string) exporter {
	t.Helper()
	path, err := exec.LookPath(binary)
	if err != nil {
		t.Fatal(err)
	}
	p := program.Start(t, path, append([]string{"serve", "--web.listen-address=127.0.0.1:0"}, args...)...)
	return exporter{p, "http://" + p.Address(t) + "/metrics"}
}

// scrape is one answer of the program.
func (e exporter) scrape() (exposition, error) {
	response, err := http.Get(e.url)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("scrape: %s", response.Status)
	}
	return parse(response.Body)
}
