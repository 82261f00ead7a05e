//go:build lab

package lab

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dpu-exporter/dpu-exporter/test/lab/world"
	"github.com/dpu-exporter/dpu-exporter/test/worlds"
)

// scrapeEvery is how often each of the scrapers of the churn scrapes.
const scrapeEvery = time.Second / 2

// TestScrapeDuringChurn: while representors come and go and eswitches change
// their modes, every scrape parses, no collector fails and no device is called
// what it is not; soon after each change the program tells exactly what is there.
func TestScrapeDuringChurn(t *testing.T) {
	n := world.AddNIC(t, 2, 0) // the first step is from 0 VFs
	e := serve(t)
	scrapes, stop := scrapeAllTheTime(t, e, 2)
	for round := 0; scrapes.Load() < 15; round++ { // which proves something
		for _, step := range []struct {
			vfs  int
			mode string
		}{{64, world.Switchdev}, {16, world.Legacy}, {8, world.Switchdev}} {
			n.SetVFs(t, step.vfs)
			n.SetMode(t, step.mode)
			awaitExported(t, e, fmt.Sprintf("%d VFs in %s mode", step.vfs, step.mode), n)
		}
		worlds.Rename(t, n.Physical(t)[0], fmt.Sprintf("renamed%d", round))
		awaitExported(t, e, "a port renamed", n)
	}
	stop()
	last, err := e.scrape()
	if err != nil {
		t.Fatal(err)
	}
	for collector, errors := range last.by(t, "dpu_collector_errors_total", "collector") {
		if errors != 0 {
			t.Errorf("collector %s had %v errors", collector, errors)
		}
	}
	if n := len(last.by(t, "dpu_interface_up", "device")); n != len(links(t)) {
		t.Errorf("%d devices are exported of %d", n, len(links(t)))
	}
}

// scrapeAllTheTime has that many scrapers check every answer until stop.
func scrapeAllTheTime(t *testing.T, e exporter, scrapers int) (scrapes *atomic.Int64, stop func()) {
	t.Helper()
	var running sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	scrapes = new(atomic.Int64)
	for range scrapers {
		running.Go(func() {
			for due := time.NewTicker(scrapeEvery); ctx.Err() == nil; <-due.C {
				answer, err := e.scrape()
				if err != nil {
					t.Error(err)
					return
				}
				if faults := append(answer.failures(), answer.wrongRoles()...); len(faults) > 0 {
					t.Errorf("scrape %d has %d faults, first: %s", scrapes.Load(), len(faults), faults[0])
					return
				}
				scrapes.Add(1)
			}
		})
	}
	stop = func() {
		cancel()
		running.Wait()
	}
	t.Cleanup(stop)
	return scrapes, stop
}

// wrongRoles says which devices of NICs are called what they can never be. Their
// devlink port may be known a moment later than they are.
func (e exposition) wrongRoles() (all []string) {
	for name, id := range e.identities() {
		right := id.Kind != "" || name == "lo"
		switch {
		case id.SwitchID == "" || id.Driver != driver:
		case id.Role == "vf_representor":
			right = id.PortName == "pf0vf"+id.VF && id.VF != "" && id.PF == "0" && id.Controller == "0"
		case id.Role == "pf" || id.Role == "uplink":
			right = (id.PortName == "p1" || id.PortName == "p2") && id.VF == "" && id.PF == "" && id.Controller == ""
		}
		if !right {
			all = append(all, fmt.Sprintf("%s cannot be %+v", name, id))
		}
	}
	return all
}

// awaitExported waits until a scrape tells what devlink(8) and ip(8) say.
func awaitExported(t *testing.T, e exporter, what string, n *world.NIC) {
	t.Helper()
	changed := time.Now()
	want := truth(t, n)
	for due := time.NewTicker(scrapeEvery / 2); ; <-due.C {
		answer, err := e.scrape()
		if err != nil {
			t.Fatal(err)
		}
		diff := difference(want, answer.identities())
		took := time.Since(changed).Round(time.Millisecond)
		if diff == "" {
			t.Logf("%s: told after %s at most", what, took)
			return
		}
		if took > 10*time.Second {
			t.Fatalf("%s: %s after the change %s", what, took, diff)
		}
	}
}

// TestDevlinkEvents: dpu_exporter_inventory_events_total counts what devlink(8)
// hears.
func TestDevlinkEvents(t *testing.T) {
	n := world.AddNIC(t, 1, 0)
	e := serve(t)
	events := func() float64 {
		answer, err := e.scrape()
		if err != nil {
			t.Fatal(err)
		}
		return answer.by(t, "dpu_exporter_inventory_events_total", "source")["devlink"]
	}
	monitor := world.StartDevlinkMonitor(t)
	if before := events(); before != 0 {
		t.Errorf("%v events before anything happened", before)
	}
	n.SetVFs(t, 3)
	n.SetMode(t, world.Switchdev)
	n.Remove(t)
	announced := len(monitor.Until(t, "[dev,del] "+n.Handle()))
	world.Await(t, "all events are counted", func() bool { return events() >= float64(announced) })
	if got := events(); got != float64(announced) {
		t.Errorf("%v events, devlink(8) heard %d", got, announced)
	}
}
