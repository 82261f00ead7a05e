package inventory

import (
	"cmp"
	"context"
	"log/slog"

	"github.com/dpu-exporter/dpu-exporter/internal/outcome"
	"github.com/dpu-exporter/dpu-exporter/internal/rtnl"
)

// Only changes are logged: devices that come and go for debugging, notes once
// when they come and once when they go, whatever they count meanwhile.

func (i *Inventory) logAppeared(l *rtnl.Link) {
	i.log.Debug("Device appeared", "device", l.Name, "index", l.Index, "kind", l.Kind)
}

func (i *Inventory) logVanished(l *rtnl.Link) {
	i.log.Debug("Device vanished", "device", l.Name, "index", l.Index, "kind", l.Kind)
}

// level is a warning for what an operator should look into, info for what this
// machine or this process just does not have.
func (n Note) level() slog.Level {
	if n.Outcome == outcome.Broken || n.Source == "netns" || n.Source == "ports" {
		return slog.LevelWarn
	}
	return slog.LevelInfo
}

// logNotes logs the notes that are new and those that are gone. Those of the
// first snapshot are the caller's to tell. Callers hold mu.
func (i *Inventory) logNotes(all []Note) {
	first := i.told == nil
	now := make(map[string]string, len(all))
	for _, n := range all {
		key := n.Source + " " + cmp.Or(n.kind, n.Text)
		text, known := i.told[key]
		if !known {
			text = n.Text
		}
		now[key] = text
		if known || first {
			continue
		}
		i.log.Log(context.Background(), n.level(), "Inventory finding", "about", n.Source, "outcome", n.Outcome.String(), "finding", n.Text)
	}
	for key, text := range i.told {
		if _, still := now[key]; !still {
			i.log.Info("Inventory finding is gone", "finding", text)
		}
	}
	i.told = now
}
