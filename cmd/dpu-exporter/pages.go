package main

import (
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/version"

	"github.com/dpu-exporter/dpu-exporter/collector"
	"github.com/dpu-exporter/dpu-exporter/internal/outcome"
	"github.com/dpu-exporter/dpu-exporter/metric"
	"github.com/dpu-exporter/dpu-exporter/web"
)

// pages says what the web server shows.
func (n *node) pages(log *slog.Logger, ready *atomic.Bool) web.Options {
	return web.Options{
		Version:         fmt.Sprintf("version %s, revision %s", version.Version, version.GetRevision()),
		Summary:         n.found,
		Notes:           n.notesForPage,
		Collectors:      n.collectorsForPage,
		TelemetryPath:   n.options.telemetryPath,
		Metrics:         metric.NewHandler(n.runner, n.runtimeMetrics(), metric.HandlerOptions{MaxRequests: n.options.maxRequests, Log: log}),
		Ready:           ready.Load,
		EnableLifecycle: n.options.lifecycle,
		Reload:          n.config.Reload,
	}
}

// runtimeMetrics are those about this process, nil where nobody wants them.
func (n *node) runtimeMetrics() prometheus.Gatherer {
	if n.options.noRuntime {
		return nil
	}
	return metric.NewRuntime()
}

func (n *node) notesForPage() []web.Note {
	var notes []web.Note
	for _, note := range n.notes() {
		how := "" // what was read well may be off all the same
		if note.Outcome != outcome.OK {
			how = strings.ReplaceAll(note.Outcome.String(), "_", " ")
		}
		notes = append(notes, web.Note{Source: note.Source, Outcome: how, Text: note.Text})
	}
	return notes
}

func (n *node) collectorsForPage() []web.Collector {
	var rows []web.Collector
	for _, r := range n.runner.Latest() {
		rows = append(rows, collectorForPage(r))
	}
	for _, k := range known {
		if !n.options.enabled(k.name, k.byDefault) {
			rows = append(rows, web.Collector{Name: k.name, Help: k.describe().Help()})
		}
	}
	return rows
}

func collectorForPage(r collector.Report) web.Collector {
	row := web.Collector{Name: r.Collector, Help: r.Help, Enabled: true, LastRun: r.Began, Took: r.Took.Round(10 * time.Microsecond)}
	if r.Err != nil {
		row.Err = r.Err.Error()
	}
	var devices []string
	for _, d := range r.Devices {
		devices = append(devices, deviceWords(d))
	}
	row.Devices = strings.Join(devices, "; ")
	return row
}

// deviceWords is a DeviceReport for people: "rtnl_stats: 4 devices ok".
func deviceWords(d collector.DeviceReport) string {
	noun := "devices"
	if d.Count == 1 {
		noun = "device"
	}
	how := strings.ReplaceAll(d.Outcome.String(), "_", " ")
	if d.Outcome == outcome.Unsupported {
		how = "without it"
	}
	return fmt.Sprintf("%s: %d %s %s", d.Source, d.Count, noun, how)
}
