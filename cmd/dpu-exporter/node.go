package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/dpu-exporter/dpu-exporter/collector"
	"github.com/dpu-exporter/dpu-exporter/config"
	"github.com/dpu-exporter/dpu-exporter/internal/ethtool"
	"github.com/dpu-exporter/dpu-exporter/internal/outcome"
	"github.com/dpu-exporter/dpu-exporter/internal/rtnl"
	"github.com/dpu-exporter/dpu-exporter/inventory"
)

// node is what the commands work with: the inventory of this machine, the
// readers of its counters and the collectors over them.
type node struct {
	options   *options
	config    *config.Store
	inventory *inventory.Inventory
	runner    *collector.Runner

	stats, refresh *rtnl.Conn
	statsError     error // why they are nil
	linkModes      *ethtool.Conn
	linkModesError error // why it is nil

	ethtool *collector.Ethtool // nil where it is switched off; others take what only its driver statistics have

	open []io.Closer
}

// syncTimeout bounds the first reading of the inventory.
const syncTimeout = 30 * time.Second

// openNode opens every reader and reads the inventory once. All sockets belong
// to the network namespace this process was started in.
func openNode(ctx context.Context, o *options, log *slog.Logger) (*node, error) {
	n := &node{options: o}
	var err error
	if n.config, err = config.NewStore(o.configFiles, log); err != nil {
		return nil, err
	}
	n.inventory, err = inventory.Open(inventory.Options{Sysfs: o.sysfs, Procfs: o.procfs, Filter: o.filter, Log: log})
	if err != nil {
		return nil, err
	}
	n.open = append(n.open, n.inventory)
	if err := n.openReaders(); err != nil {
		return nil, errors.Join(err, n.Close())
	}
	ctx, cancel := context.WithTimeout(ctx, syncTimeout)
	defer cancel()
	if err := n.inventory.Sync(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("read the inventory: %w", err), n.Close())
	}
	n.runner = collector.NewRunner(n.runnerOptions(log))
	return n, nil
}

func (n *node) runnerOptions(log *slog.Logger) collector.Options {
	opts := collector.Options{Inventory: n.inventory, Timeout: n.options.collectorTimeout, Log: log}
	for _, k := range known {
		if n.options.enabled(k.name, k.byDefault) {
			opts.Collectors = append(opts.Collectors, k.open(n))
		} else {
			opts.Disabled = append(opts.Disabled, k.name)
		}
	}
	return opts
}

// Close closes the inventory and the readers.
func (n *node) Close() error {
	var errs []error
	for _, c := range n.open {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

// notes are all that is off on this node: what the inventory found and the
// readers that could not be opened.
func (n *node) notes() []inventory.Note {
	notes := n.inventory.Snapshot().Notes
	if err := n.linkModesError; err != nil {
		text := "no speed and duplex: " + err.Error()
		if outcome.Of(err) == outcome.Unsupported {
			text = "no speed and duplex: ethtool netlink came with Linux 5.6"
		}
		notes = append(notes[:len(notes):len(notes)], inventory.Note{Source: "ethtool", Outcome: outcome.Of(err), Text: text})
	}
	if ok, at := n.config.Status(); !ok {
		notes = append(notes[:len(notes):len(notes)], inventory.Note{
			Source: "config", Outcome: outcome.Broken,
			Text: "the last reload failed, the log says why; in force is what was read at " + at.Format(time.RFC3339),
		})
	}
	return notes
}

// found says what this node has, in words.
func (n *node) found() string {
	s := n.inventory.Snapshot()
	if s.Excluded == 0 {
		return s.Summary()
	}
	return fmt.Sprintf("%s; %d excluded by --device.include and --device.exclude", s.Summary(), s.Excluded)
}

// logFound says in one line what this node has, what is off, and why.
func (n *node) logFound(log *slog.Logger) {
	var off []string
	for _, note := range n.notes() {
		off = append(off, note.Source+": "+note.Text)
	}
	log.Info("Node read", "found", n.found(), "off", strings.Join(off, "; "))
}
