package monitoring

import (
	"encoding/json"
	"fmt"
	"slices"
)

// A metric is what the checks know of a series' name.
type metric struct {
	Name   string   `json:"name"`
	Kind   string   `json:"kind"`   // counter, gauge or summary
	Unit   string   `json:"unit"`   // in plain words, "" where a number has none
	Labels []string `json:"labels"` // without those of the target
}

// metrics are the known metrics by name.
type metrics map[string]metric

// targetLabels are what Prometheus adds to every series of a target.
var targetLabels = []string{"job", "instance"}

// ownMetrics are those that Prometheus makes for every target
// (https://prometheus.io/docs/concepts/jobs_instances/).
var ownMetrics = []metric{
	{Name: "up", Kind: "gauge"},
	{Name: "scrape_duration_seconds", Kind: "gauge", Unit: "seconds"},
	{Name: "scrape_samples_scraped", Kind: "gauge", Unit: "samples"},
	{Name: "scrape_samples_post_metric_relabeling", Kind: "gauge", Unit: "samples"},
	{Name: "scrape_series_added", Kind: "gauge", Unit: "series"},
}

// parseTable reads the table of metrics as the program prints it with
// --describe=json.
func parseTable(text []byte) (metrics, error) {
	var groups []struct {
		Rows []metric `json:"metrics"`
	}
	if err := json.Unmarshal(text, &groups); err != nil {
		return nil, fmt.Errorf("table of metrics: %w", err)
	}
	all := metrics{}
	for _, m := range ownMetrics {
		all.add(m)
	}
	for _, g := range groups {
		for _, m := range g.Rows {
			all.add(m)
		}
	}
	return all, nil
}

// add makes a metric known, and the two counters of a summary.
func (all metrics) add(m metric) {
	all[m.Name] = m
	if m.Kind != "summary" {
		return
	}
	plain := slices.DeleteFunc(slices.Clone(m.Labels), func(l string) bool { return l == "quantile" })
	all[m.Name+"_sum"] = metric{Name: m.Name + "_sum", Kind: "counter", Unit: m.Unit, Labels: plain}
	all[m.Name+"_count"] = metric{Name: m.Name + "_count", Kind: "counter", Unit: "observations", Labels: plain}
}
