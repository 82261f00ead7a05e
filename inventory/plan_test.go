package inventory

import (
	"fmt"
	"testing"
	"time"

	"github.com/dpu-exporter/dpu-exporter/internal/rtnl"
)

// overrun tells the inventory that link events were lost.
func (k *fakeKernel) overrun() { k.linkNews <- linkNews{err: rtnl.ErrOverrun} }

// event tells the inventory of a link.
func (k *fakeKernel) event(l rtnl.Link) {
	k.linkNews <- linkNews{events: []rtnl.Event{{Link: l}}}
}

// interrupt has the next dumps interrupted.
func (k *fakeKernel) interrupt(dumps int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for range dumps {
		k.linkErrs = append(k.linkErrs, rtnl.ErrInterrupted)
	}
}

// rare reads nothing by itself while a test runs.
var rare = Options{ResyncEvery: time.Hour}

// The read that verifies must come however the one before it went.
func TestInterruptedRepairIsVerified(t *testing.T) {
	k := newFakeKernel(rtnl.Link{Index: 2, Name: "a"})
	running(t, k, rare, func(i *Inventory) {
		after(time.Minute)
		k.interrupt(1)
		k.overrun()
		after(drain)
		after(restart)
		if h := i.Health(); h.Reads[Overrun] != 1 || h.Reads[Interrupted] != 1 || h.Reads[Verify] != 0 {
			t.Fatalf("reads %v before the last look", h.Reads)
		}
		k.set(rtnl.Link{Index: 2, Name: "stale no more"})
		after(verify - drain - restart)
		if got := namesIn(i.Snapshot()); got != "stale no more" || i.Health().Reads[Verify] != 1 {
			t.Errorf("devices %q, reads %v a while after the overrun", got, i.Health().Reads)
		}
		after(10 * time.Minute)
		if h := i.Health(); h.Reads[Verify] != 1 || h.Reads[Periodic] != 0 {
			t.Errorf("reads %v when all was verified", h.Reads)
		}
	})
}

// A read that is due before the socket is drained would repair nothing.
func TestOverrunGoesBeforeWhatIsPlanned(t *testing.T) {
	k := newFakeKernel(rtnl.Link{Index: 2, Name: "a"})
	running(t, k, rare, func(i *Inventory) {
		after(time.Minute)
		k.event(rtnl.Link{Index: 3, Name: "b"})
		after(calm - drain/2)
		k.overrun()
		k.set(rtnl.Link{Index: 2, Name: "a"}, rtnl.Link{Index: 4, Name: "lost"})
		after(drain - 1)
		if h := i.Health(); h.Reads[Settled] != 0 || namesIn(i.Snapshot()) != "a b" {
			t.Errorf("devices %q, reads %v before the socket was drained", namesIn(i.Snapshot()), h.Reads)
		}
		after(1)
		if h := i.Health(); h.Reads[Overrun] != 1 || namesIn(i.Snapshot()) != "a lost" {
			t.Errorf("devices %q, reads %v", namesIn(i.Snapshot()), h.Reads)
		}
		after(verify)
		if h := i.Health(); h.Reads[Verify] != 1 || h.Reads[Settled] != 0 {
			t.Errorf("reads %v afterwards", h.Reads)
		}
	})
}

func TestLastOverrunIsTheOneThatIsVerified(t *testing.T) {
	k := newFakeKernel(rtnl.Link{Index: 2, Name: "a"})
	running(t, k, rare, func(i *Inventory) {
		after(time.Minute)
		k.overrun()
		after(verify - 2*restart)
		k.overrun()
		after(verify - 1)
		if h := i.Health(); h.Reads[Overrun] != 2 || h.Reads[Verify] != 0 {
			t.Errorf("reads %v too early", h.Reads)
		}
		after(1)
		if h := i.Health(); h.Reads[Verify] != 1 {
			t.Errorf("reads %v", h.Reads)
		}
	})
}

// Another read in between is no reason not to look again.
func TestReadInBetweenDoesNotVerify(t *testing.T) {
	k := newFakeKernel(rtnl.Link{Index: 2, Name: "a"})
	running(t, k, rare, func(i *Inventory) {
		after(time.Minute)
		k.overrun()
		after(verify / 2)
		k.event(rtnl.Link{Index: 3, Name: "b"})
		after(calm)
		after(verify/2 - calm)
		if h := i.Health(); h.Reads[Settled] != 1 || h.Reads[Verify] != 1 {
			t.Errorf("reads %v", h.Reads)
		}
	})
}

func TestRepairWaitsForEventsToEnd(t *testing.T) {
	k := newFakeKernel(rtnl.Link{Index: 2, Name: "a"})
	running(t, k, rare, func(i *Inventory) {
		after(time.Minute)
		k.overrun()
		for n := range 10 { // what lies in the socket, received slowly
			after(drain / 2)
			k.event(rtnl.Link{Index: 2, Name: fmt.Sprint("a", n)})
		}
		k.set(rtnl.Link{Index: 2, Name: "z"})
		after(drain - 1)
		if h := i.Health(); h.Reads[Overrun] != 0 || namesIn(i.Snapshot()) != "a9" {
			t.Errorf("devices %q, reads %v while events came", namesIn(i.Snapshot()), h.Reads)
		}
		after(1)
		if h := i.Health(); h.Reads[Overrun] != 1 || namesIn(i.Snapshot()) != "z" {
			t.Errorf("devices %q, reads %v when none came", namesIn(i.Snapshot()), h.Reads)
		}

		after(time.Minute)
		k.overrun()
		for n := range 20 { // they never end
			after(drain / 2)
			k.event(rtnl.Link{Index: 2, Name: fmt.Sprint("b", n)})
		}
		after(1)
		if h := i.Health(); h.Reads[Overrun] != 2 {
			t.Errorf("reads %v after a second of events without end", h.Reads)
		}
	})
}

func TestInterruptedReadsAreTriedOften(t *testing.T) {
	k := newFakeKernel(rtnl.Link{Index: 2, Name: "a"})
	k.interrupt(1000)
	running(t, k, rare, func(i *Inventory) {
		after(0)
		after(105 * time.Second) // at 1, 3, 7, 15, 25, 35, … 105
		if h := i.Health(); h.Reads[Interrupted] != 13 {
			t.Errorf("reads %v, want 13 interrupted", h.Reads)
		}
	})
}

func TestEverythingIsReadAfterDevicesCameOrWent(t *testing.T) {
	k := newFakeKernel(rtnl.Link{Index: 2, Name: "a"})
	running(t, k, rare, func(i *Inventory) {
		after(time.Minute)
		k.event(rtnl.Link{Index: 2, Name: "renamed"})
		after(2 * calm)
		if h := i.Health(); h.Reads[Settled] != 0 {
			t.Errorf("reads %v after a rename", h.Reads)
		}
		// The first event of a veth does not tell its peer.
		k.event(rtnl.Link{Index: 3, Name: "v", Kind: "veth"})
		k.set(rtnl.Link{Index: 2, Name: "renamed"}, rtnl.Link{Index: 3, Name: "v", Kind: "veth", Lower: 2})
		after(calm)
		if d := i.Snapshot().ByIndex(3); d.Lower != "renamed" || i.Health().Reads[Settled] != 1 {
			t.Errorf("lower %q, reads %v", d.Lower, i.Health().Reads)
		}
		k.linkNews <- linkNews{events: []rtnl.Event{{Removed: true, Link: rtnl.Link{Index: 3}}}}
		after(calm)
		if h := i.Health(); h.Reads[Settled] != 2 {
			t.Errorf("reads %v after a removal", h.Reads)
		}
	})
}

// However fast devices come and go, and whether or not that interrupts dumps.
func TestConstantChurnCostsADumpASecond(t *testing.T) {
	for _, interrupted := range []int{0, 1000} {
		k := newFakeKernel(rtnl.Link{Index: 2, Name: "a"})
		running(t, k, rare, func(i *Inventory) {
			after(time.Minute)
			k.interrupt(interrupted)
			before, _ := k.counts()
			for n := range 1000 { // ten seconds
				link := rtnl.Link{Index: 3, Name: "x", Kind: "veth"}
				k.linkNews <- linkNews{events: []rtnl.Event{{Removed: n%2 == 1, Link: link}}}
				after(10 * time.Millisecond)
			}
			if dumps, _ := k.counts(); dumps-before < 5 || dumps-before > 10 {
				t.Errorf("%d dumps in ten seconds of churn", dumps-before)
			}
		})
	}
}
