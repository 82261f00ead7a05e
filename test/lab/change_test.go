//go:build lab

package lab

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/inventory"
	"github.com/dpu-exporter/dpu-exporter/test/lab/world"
	"github.com/dpu-exporter/dpu-exporter/test/program"
	"github.com/dpu-exporter/dpu-exporter/test/worlds"
)

// TestRenameUnderLoad: a device that carries packets stays the same device
// through its names.
func TestRenameUnderLoad(t *testing.T) {
	far := world.AddNamespace(t, "far")
	a, b := world.AddNIC(t, 1, 2), world.AddNIC(t, 1, 0)
	name, away := a.Physical(t)[0], b.Physical(t)[0]
	world.Batch(t, "ip", fmt.Sprintf("link set %s netns far\n", away)+upWithAddress(name, "192.0.2.1/24"))
	far.Batch(t, "ip", upWithAddress(away, "192.0.2.2/24"))
	if err := world.LinkPorts(t, "", name, far, away); err != nil {
		t.Fatal(err)
	}
	program.Start(t, "ping", "-q", "-i", "0.002", "192.0.2.2")

	inv := runInventory(t, inventory.Options{})
	before := inv.Snapshot()
	first := deviceNamed(before, name)
	if first.Role != inventory.Uplink {
		t.Errorf("at first: %+v", first)
	}
	sent := transmitted(t, name)
	for i := range 20 {
		to := fmt.Sprintf("moving%d", i)
		worlds.Rename(t, name, to)
		name = to
		s := awaitSnapshot(t, inv, func(s *inventory.Snapshot) string {
			if deviceNamed(s, name) == nil {
				return name + " is not there"
			}
			return ""
		})
		d := deviceNamed(s, name)
		if d.Key != first.Key || identityOf(d) != identityOf(first) || len(s.Devices) != len(before.Devices) {
			t.Errorf("%s is %+v of %d devices; it was %+v", name, d, len(s.Devices), first)
		}
	}
	if now := transmitted(t, name); now <= sent {
		t.Errorf("it carried nothing meanwhile: %v packets, then %v", sent, now)
	}
}

func transmitted(t *testing.T, device string) float64 {
	t.Helper()
	return number(t, "/sys/class/net/"+device+"/statistics/tx_packets")
}

// TestRemovedWhileRead: NICs that are plugged and unplugged while the inventory
// reads are no error, are never called what they are not, and leave nothing.
func TestRemovedWhileRead(t *testing.T) {
	world.AddNIC(t, 1, 0) // which stays
	inv := runInventory(t, inventory.Options{})
	before := len(inv.Snapshot().Devices)
	var reading sync.WaitGroup
	var stop atomic.Bool
	reads := 0
	reading.Go(func() {
		for ; !stop.Load(); reads++ {
			if err := inv.Sync(t.Context()); err != nil {
				t.Errorf("read: %v", err)
			}
			checkNothingOff(t, inv.Snapshot())
		}
	})
	for range 5 {
		world.AddNIC(t, 2, 16).Remove(t)
	}
	stop.Store(true)
	reading.Wait()
	if reads < 5 {
		t.Errorf("only %d reads", reads)
	}
	checkRoles(t, awaitSnapshot(t, inv, func(s *inventory.Snapshot) string {
		if len(s.Devices) != before || len(s.Detached) != 0 {
			return fmt.Sprintf("%d devices, %d detached", len(s.Devices), len(s.Detached))
		}
		return ""
	}), map[inventory.Role]int{"uplink": 1})
}

func checkNothingOff(t *testing.T, s *inventory.Snapshot) {
	t.Helper()
	for _, note := range s.Notes {
		t.Errorf("note: %+v", note)
	}
	if s.Unparsed != 0 {
		t.Errorf("%d unparsed", s.Unparsed)
	}
	for _, d := range append(append([]*inventory.Device{}, s.Devices...), s.Detached...) {
		if d.Role == inventory.Unknown || d.Role == inventory.Other {
			t.Errorf("a device that cannot be: %+v", d)
		}
	}
}
