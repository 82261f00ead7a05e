package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	toolkit "github.com/prometheus/exporter-toolkit/web"

	"github.com/dpu-exporter/dpu-exporter/collector"
	"github.com/dpu-exporter/dpu-exporter/config"
	"github.com/dpu-exporter/dpu-exporter/internal/outcome"
	"github.com/dpu-exporter/dpu-exporter/inventory"
)

// errFindings is the failure of a check that printed its reasons.
var errFindings = errors.New("something that was asked for cannot work here")

// findings prints what check finds and counts the errors.
type findings struct {
	w      io.Writer
	errors int
}

func (f *findings) ok(what, text string)   { f.print("ok", what, text) }
func (f *findings) note(what, text string) { f.print("note", what, text) }
func (f *findings) fail(what string, err error) {
	f.errors++
	f.print("error", what, err.Error())
}

func (f *findings) print(level, what, text string) {
	fmt.Fprintf(f.w, "%-5s  %-20s  %s\n", level, what, strings.ReplaceAll(text, "\n", "; "))
}

// check prints all findings at once and fails if one of them is an error.
func check(ctx context.Context, o *options, stdout, _ io.Writer) error {
	f := &findings{w: stdout}
	f.config(o.configFiles)
	if err := toolkit.Validate(*o.web.WebConfigFile); err != nil {
		f.fail("web.config", err)
	}
	f.abilities(ctx)
	f.node(ctx, o)
	if f.errors > 0 {
		return errFindings
	}
	return nil
}

func (f *findings) config(files []string) {
	_, err := config.Load(files)
	var faults config.Faults
	switch {
	case errors.As(err, &faults):
		for _, fault := range faults {
			f.fail("config", fault)
		}
	case err != nil:
		f.fail("config", err)
	case len(files) == 0:
		f.ok("config", "no file given, none needed")
	default:
		f.ok("config", "valid: "+strings.Join(files, ", "))
	}
}

// node checks everything that needs the machine.
func (f *findings) node(ctx context.Context, o *options) {
	withoutConfig := *o
	withoutConfig.configFiles = nil // already checked
	n, err := openNode(ctx, &withoutConfig, slog.New(slog.DiscardHandler))
	if err != nil {
		f.fail("node", err)
		return
	}
	defer n.Close()
	f.inventory(n)
	n.runner.SampleOnce(ctx)
	if len(n.runner.Names()) == 0 {
		f.note("collectors", "none is switched on")
	}
	for _, r := range n.runner.Reports(ctx, n.runner.Names()) {
		f.collector(r)
	}
}

func (f *findings) inventory(n *node) {
	s := n.inventory.Snapshot()
	if s.Namespace.Host == inventory.IsHost {
		f.ok("netns", "the host's")
	}
	switch {
	case s.Blind: // what needs it fails on its own
		f.note("inventory", n.found())
	case s.Excluded > 0 && len(s.Devices) == 0:
		f.fail("inventory", fmt.Errorf("--device.include and --device.exclude leave out all %d devices; they must match a whole name", s.Excluded))
	default:
		f.ok("inventory", n.found())
	}
	for _, note := range n.notes() {
		f.note(note.Source, note.Text)
	}
}

func (f *findings) collector(r collector.Report) {
	what := "collector." + r.Collector
	if r.Err != nil {
		f.fail(what, r.Err)
		return
	}
	f.ok(what, "works")
	for _, d := range r.Devices {
		switch text := deviceWords(d); d.Outcome {
		case outcome.Broken:
			f.fail(what, fmt.Errorf("%s: %w", text, d.Err))
		case outcome.NotPermitted:
			f.note(what, fmt.Sprintf("%s: %v", text, d.Err))
		default:
			f.ok(what, text)
		}
	}
}
