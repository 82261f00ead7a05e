//go:build lab

package lab

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dpu-exporter/dpu-exporter/inventory"
	"github.com/dpu-exporter/dpu-exporter/test/lab/world"
)

// runInventory opens an inventory, reads it once and keeps it fresh by events
// alone: its periodic read is an hour away.
func runInventory(t *testing.T, o inventory.Options) *inventory.Inventory {
	t.Helper()
	o.ResyncEvery = time.Hour
	inv, err := inventory.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := inv.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- inv.Run(t.Context()) }()
	t.Cleanup(func() {
		if err := inv.Close(); err != nil {
			t.Error(err)
		}
		if err := <-ended; err != nil {
			t.Errorf("run: %v", err)
		}
		if n := inv.Health().ReadFailures; n != 0 {
			t.Errorf("%d reads failed", n)
		}
	})
	return inv
}

// awaitSnapshot waits until a snapshot has no fault, and fails with the fault
// that remains.
func awaitSnapshot(t *testing.T, inv *inventory.Inventory, fault func(*inventory.Snapshot) string) *inventory.Snapshot {
	t.Helper()
	began := time.Now()
	deadline := time.After(10 * time.Second)
	for {
		changed := inv.Changed()
		s := inv.Snapshot()
		left := fault(s)
		if left == "" {
			t.Logf("as it should be after %s", time.Since(began).Round(time.Millisecond))
			return s
		}
		select {
		case <-changed:
		case <-deadline:
			t.Fatal(left)
		}
	}
}

// awaitTruth waits until an inventory says what devlink(8) and ip(8) say, and
// finds nothing off.
func awaitTruth(t *testing.T, inv *inventory.Inventory, nics ...*world.NIC) *inventory.Snapshot {
	t.Helper()
	all := links(t)
	want := truthOf(t, all, nics...)
	s := awaitSnapshot(t, inv, func(s *inventory.Snapshot) string {
		if diff := difference(want, identities(s)); diff != "" {
			return diff
		}
		return differsFrom(s, all)
	})
	for _, note := range s.Notes {
		t.Errorf("note: %+v", note)
	}
	if s.Unparsed != 0 || s.Excluded != 0 {
		t.Errorf("%d unparsed, %d excluded", s.Unparsed, s.Excluded)
	}
	return s
}

// differsFrom says which device of a snapshot is not as ip(8) shows it, beside
// its identity.
func differsFrom(s *inventory.Snapshot, all []link) string {
	for _, l := range all {
		d := s.ByIndex(l.Index)
		if d == nil || d.Name != l.Name || d.MTU != l.MTU || l.Type == "ether" && d.Address != l.Address ||
			d.OperState != strings.ToLower(l.OperState) || !slices.Equal(d.AltNames, l.AltNames) {
			return fmt.Sprintf("device %+v, want %+v", d, l)
		}
	}
	return ""
}
