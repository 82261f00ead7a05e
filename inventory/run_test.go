package inventory

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dpu-exporter/dpu-exporter/internal/devlink"
	"github.com/dpu-exporter/dpu-exporter/internal/rtnl"
	"golang.org/x/sys/unix"
)

// running runs an inventory over k in a bubble with a fake clock.
func running(t *testing.T, k *fakeKernel, o Options, check func(i *Inventory)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		k.linkNews, k.portNews, k.closed = make(chan linkNews), make(chan error), make(chan struct{})
		i := k.inventory(t, "", o)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- i.Run(ctx) }()
		synctest.Wait()
		check(i)
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
}

func after(d time.Duration) {
	time.Sleep(d) // of the bubble's clock
	synctest.Wait()
}

func TestEventsAreAppliedInOrder(t *testing.T) {
	k := newFakeKernel(rtnl.Link{Index: 2, Name: "a"})
	running(t, k, Options{}, func(i *Inventory) {
		after(0)
		first := i.Snapshot()
		if again := i.Snapshot(); again != first || namesIn(first) != "a" {
			t.Fatalf("devices %q, same snapshot %v", namesIn(first), again == first)
		}
		one, two := i.Changed(), i.Changed()
		k.linkNews <- linkNews{events: []rtnl.Event{
			{Link: rtnl.Link{Index: 2, Name: "b"}},
			{Link: rtnl.Link{Index: 3, Name: "a"}},
			{Removed: true, Link: rtnl.Link{Index: 2, Name: "b"}},
			{Removed: true, Link: rtnl.Link{Index: 99, Name: "never seen"}},
		}}
		<-one
		<-two // every listener hears of a change
		synctest.Wait()
		if s := i.Snapshot(); namesIn(s) != "a" || s.ByIndex(3) == nil || s.ByIndex(2) != nil {
			t.Errorf("devices %q", namesIn(s))
		}
		if namesIn(first) != "a" || first.ByIndex(2) == nil {
			t.Error("an old snapshot changed")
		}
		quiet, s := i.Changed(), i.Snapshot()
		k.linkNews <- linkNews{events: []rtnl.Event{{Link: rtnl.Link{Index: 3, Name: "a"}}}}
		synctest.Wait()
		select {
		case <-quiet:
			t.Error("an event that changes nothing is called a change")
		default:
		}
		if i.Snapshot() != s || i.Health().Events != 5 {
			t.Errorf("new snapshot without a change, or %d events", i.Health().Events)
		}
	})
}

func TestOverrunReadsEverythingAgain(t *testing.T) {
	k := newFakeKernel(rtnl.Link{Index: 2, Name: "a"})
	running(t, k, Options{}, func(i *Inventory) {
		after(2 * restart)
		k.set(rtnl.Link{Index: 2, Name: "c"})
		k.linkNews <- linkNews{err: rtnl.ErrOverrun}
		// What lay in the socket from before is older than the dump to come.
		k.linkNews <- linkNews{events: []rtnl.Event{{Link: rtnl.Link{Index: 2, Name: "b"}}}}
		synctest.Wait()
		if got := namesIn(i.Snapshot()); got != "b" {
			t.Errorf("devices %q before the dump", got)
		}
		after(drain)
		if got := namesIn(i.Snapshot()); got != "c" {
			t.Errorf("devices %q after the dump", got)
		}
		if n := i.Health().Reads[Overrun]; n != 1 {
			t.Errorf("%d resyncs for the overrun", n)
		}
		// Once more later, for what came between.
		k.set(rtnl.Link{Index: 2, Name: "d"})
		after(verify)
		if got := namesIn(i.Snapshot()); got != "d" {
			t.Errorf("devices %q after the second look", got)
		}
	})
}

func TestOverrunsInARowAreBounded(t *testing.T) {
	k := newFakeKernel(rtnl.Link{Index: 2, Name: "a"})
	running(t, k, Options{}, func(i *Inventory) {
		after(2 * restart)
		before, _ := k.counts()
		for range 100 { // ten seconds of overruns
			k.linkNews <- linkNews{err: rtnl.ErrOverrun}
			after(100 * time.Millisecond)
		}
		if dumps, _ := k.counts(); dumps-before < 5 || dumps-before > 11 {
			t.Errorf("%d dumps in ten seconds of overruns", dumps-before)
		}
	})
}

func TestInterruptedDumpIsFollowedByALaterOne(t *testing.T) {
	k := newFakeKernel(rtnl.Link{Index: 2, Name: "a"})
	for range 2 { // one dump each, for another follows anyway
		k.linkErrs = append(k.linkErrs, rtnl.ErrInterrupted)
	}
	running(t, k, Options{}, func(i *Inventory) {
		after(0)
		if h := i.Health(); h.Reads[AtStart] != 1 || h.Reads[Interrupted] != 0 {
			t.Errorf("at start: %+v", h)
		}
		after(restart)
		after(2 * restart)
		if h := i.Health(); h.Reads[Interrupted] != 2 || h.ReadFailures != 0 {
			t.Errorf("later: %+v", h)
		}
		after(time.Minute)
		if h := i.Health(); h.Reads[Interrupted] != 2 {
			t.Errorf("after success: %+v", h)
		}
	})
}

func TestFailuresBackOffAndAreLoggedOnce(t *testing.T) {
	k := newFakeKernel(rtnl.Link{Index: 2, Name: "a"})
	running(t, k, Options{}, func(*Inventory) {})

	k = newFakeKernel()
	for range 6 {
		k.linkErrs = append(k.linkErrs, unix.ENOBUFS)
	}
	var log logLines
	running(t, k, Options{Log: log.logger()}, func(i *Inventory) {
		after(20 * time.Second) // tries at 0, 1, 3, 7, 15
		if dumps, _ := k.counts(); dumps != 5 {
			t.Errorf("%d tries in 20 s, want 5", dumps)
		}
		if n := log.count("level=WARN", "cannot be read"); n != 1 {
			t.Errorf("logged %d times, want once", n)
		}
		k.set(rtnl.Link{Index: 2, Name: "a"})
		after(2 * time.Minute)
		if h := i.Health(); namesIn(i.Snapshot()) != "a" || h.ReadFailures != 5 {
			t.Errorf("devices %q, health %+v", namesIn(i.Snapshot()), h)
		}
	})
}

func TestPeriodicResync(t *testing.T) {
	k := newFakeKernel(rtnl.Link{Index: 2, Name: "a"})
	running(t, k, Options{ResyncEvery: 3 * time.Minute}, func(i *Inventory) {
		after(time.Minute)
		k.set(rtnl.Link{Index: 2, Name: "a"}, rtnl.Link{Index: 3, Name: "missed"})
		after(2 * time.Minute)
		if h := i.Health(); h.Reads[Periodic] != 1 || namesIn(i.Snapshot()) != "a missed" {
			t.Errorf("devices %q, health %+v", namesIn(i.Snapshot()), h)
		}
		after(9 * time.Minute)
		if h := i.Health(); h.Reads[Periodic] != 4 {
			t.Errorf("health %+v after twelve minutes", h)
		}
	})
}

func TestDevlinkNotificationsAreGathered(t *testing.T) {
	k := newFakeKernel(rtnl.Link{Index: 2, Name: "a"})
	running(t, k, Options{}, func(i *Inventory) {
		after(0)
		_, before := k.counts()
		k.mu.Lock()
		k.ports = []devlink.Port{physical(pf0, 2)}
		k.modes[pf0] = devlink.SwitchdevInactive
		k.mu.Unlock()
		for range 128 { // the ports of a function appear
			k.portNews <- nil
		}
		after(settle - 1)
		if _, gets := k.counts(); gets != before {
			t.Errorf("ports were read %d times before the burst settled", gets-before)
		}
		after(1)
		if _, gets := k.counts(); gets != before+1 {
			t.Errorf("ports were read %d times for one burst", gets-before)
		}
		if s := i.Snapshot(); s.ByIndex(2).Role != Uplink || i.Health().PortEvents != 128 {
			t.Errorf("role %s, %d notifications", s.ByIndex(2).Role, i.Health().PortEvents)
		}
		k.portNews <- devlink.ErrOverrun
		after(settle)
		if _, gets := k.counts(); gets != before+2 {
			t.Errorf("ports were not read after an overrun")
		}
		// New hardware may have a port too, whatever devlink says of it.
		k.linkNews <- linkNews{events: []rtnl.Event{{Link: pciLink(4, "p1", "0000:03:00.1")}}}
		after(settle)
		if _, gets := k.counts(); gets != before+3 {
			t.Errorf("ports were not read for a new device")
		}
		k.linkNews <- linkNews{events: []rtnl.Event{{Link: rtnl.Link{Index: 5, Name: "veth0", Kind: "veth"}}}}
		after(settle)
		if _, gets := k.counts(); gets != before+3 {
			t.Errorf("ports were read for a software device")
		}
	})
}

func TestBadEventDoesNotHideTheOthers(t *testing.T) {
	k := newFakeKernel(rtnl.Link{Index: 2, Name: "a"})
	running(t, k, Options{}, func(i *Inventory) {
		after(2 * restart)
		k.set(rtnl.Link{Index: 2, Name: "a"}, rtnl.Link{Index: 3, Name: "b"}, rtnl.Link{Index: 4, Name: "c"})
		k.linkNews <- linkNews{events: []rtnl.Event{{Link: rtnl.Link{Index: 3, Name: "b"}}}, err: errors.New("attribute too short")}
		synctest.Wait()
		if got := namesIn(i.Snapshot()); got != "a b" {
			t.Errorf("devices %q beside a bad event", got)
		}
		after(restart)
		if got := namesIn(i.Snapshot()); got != "a b c" {
			t.Errorf("devices %q after the repair", got)
		}
	})
}

func TestRunEnds(t *testing.T) {
	k := newFakeKernel()
	running(t, k, Options{}, func(i *Inventory) {
		if err := errors.Join(i.Close(), i.Close()); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		k := newFakeKernel()
		i := k.inventory(t, "", Options{})
		must(t, k.Close()) // the socket goes without our doing
		if err := i.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "notifications ended") {
			t.Errorf("error %v", err)
		}
	})
}
