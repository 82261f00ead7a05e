//go:build lab

package lab

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/dpu-exporter/dpu-exporter/test/lab/world"
)

var (
	stormFor  = flag.Duration("storm", 10*time.Second, "how long TestSoftDPUStorm goes on")
	stormSeed = flag.Uint64("seed", 0, "what its random choices begin with; 0 is a new one")
)

// storm is two DPUs to which everything happens at once and at random.
type storm struct {
	*tally
	exporter   exporter
	families   map[string]uint16 // of generic netlink
	control    int               // a socket for ioctl(2)
	namespaces [3]place
	overtime   atomic.Bool // the time is over, and what has never succeeded gets its chance
}

// actor does its operations one after the other, in random order.
type actor struct {
	name       string
	copies     int           // that act at the same time
	pause      time.Duration // at most, between two operations
	operations []operation
}

// operation is what an actor does again and again. Its error is what it met
// with: the storm goes on, and counts it.
type operation struct {
	name string
	do   func(r *rand.Rand) error
}

func (o operation) String() string { return o.name }

// TestSoftDPUStorm: whatever happens to DPUs at the same time, the kernel says
// nothing of it, and afterwards all can be taken away.
func TestSoftDPUStorm(t *testing.T) {
	seed := *stormSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-storm %s -seed %d", *stormFor, seed)
	log := watchKernelLog(t)
	defer func() {
		if complaints := log.stop(); len(complaints) > 0 {
			t.Errorf("the kernel said:\n%s", strings.Join(complaints, "\n"))
		}
	}()
	s := newStorm(t)
	actors := slices.Concat(s.breakers(), s.shapers(), s.movers(), s.rulers(), s.senders(), s.readers())
	s.rage(t, log, actors, seed)
	s.tellAll(t)
	s.calm(t)
}

func newStorm(t *testing.T) *storm {
	t.Helper()
	for _, name := range stormDevices {
		world.AddDPU(t, name, world.DPUOptions{Uplinks: stormUplinks, VFs: 2})
	}
	world.WirePorts(t, (&world.DPU{Name: stormDevices[0]}).Uplink(0), (&world.DPU{Name: stormDevices[1]}).Uplink(0))
	control, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(control) })
	return &storm{tally: newTally(), exporter: serve(t), families: genlFamilies(t), control: control}
}

// rage has the actors act until the time is over and each operation has
// succeeded, or the kernel has complained.
func (s *storm) rage(t *testing.T, log *kernelLog, actors []actor, seed uint64) {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	defer end()
	var running sync.WaitGroup
	n := uint64(0)
	for _, a := range actors {
		for range a.copies {
			n++
			random := rand.New(rand.NewPCG(seed, n))
			running.Go(func() { s.act(ctx, a, random) })
		}
	}
	select {
	case <-time.After(*stormFor):
	case <-log.complained:
	}
	s.overtime.Store(true)
	for late := time.Now().Add(2 * time.Minute); len(s.lacking(actors...)) > 0 && !log.hasComplained(); time.Sleep(time.Second / 10) {
		if time.Now().After(late) {
			t.Errorf("never succeeded: %v", s.lacking(actors...))
			break
		}
	}
	end()
	s.awaitEnd(t, &running)
}

func (s *storm) act(ctx context.Context, a actor, random *rand.Rand) {
	for most := a.pause; ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Duration(random.Int64N(int64(most)))):
		}
		o := oneOf(random, a.operations)
		if left := s.lacking(a); s.overtime.Load() && len(left) == 0 {
			most = 20 * a.pause // it lets the others come to theirs
		} else if s.overtime.Load() && random.IntN(2) == 0 {
			o = oneOf(random, left)
		}
		ended := s.begin(o.name)
		ended(o.do(random))
	}
}

// awaitEnd waits for operations under way. Those that never end are what the
// test is to find: it has the kernel tell where they are (sysrq.rst, w).
func (s *storm) awaitEnd(t *testing.T, running *sync.WaitGroup) {
	t.Helper()
	ended := make(chan struct{})
	go func() {
		running.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		world.WriteFile(t, "/proc/sysrq-trigger", "w")
		t.Fatalf("these never end: %v", slices.Sorted(maps.Keys(s.underWay())))
	}
}

// calm undoes all and unloads the module, which must work at once: nobody uses
// anything any more.
func (s *storm) calm(t *testing.T) {
	t.Helper()
	s.leaveNamespaces()
	if err := removeTunnel(nil); err != nil {
		t.Logf("tunnel: %v", err)
	}
	for _, name := range stormDevices {
		if err := writeTo("/sys/bus/softdpu/del_device", name); err != nil {
			t.Logf("%s: %v", name, err)
		}
	}
	if err := unix.DeleteModule("softdpu", unix.O_NONBLOCK); err != nil {
		t.Errorf("unload the module: %v", err)
	}
	for _, l := range links(t) {
		for _, name := range stormDevices {
			if len(l.Name) > len(name) && l.Name[:len(name)] == name {
				t.Errorf("%s is still there", l.Name)
			}
		}
	}
	if _, err := os.Stat("/sys/kernel/debug/softdpu"); err == nil {
		t.Error("debugfs has still files of the module")
	}
}

// writeTo writes words to a file, as echo does.
func writeTo(path string, words ...any) error {
	return os.WriteFile(path, fmt.Appendln(nil, words...), 0o600)
}

// pause waits for a moment.
func pause(r *rand.Rand, most time.Duration) { time.Sleep(time.Duration(r.Int64N(int64(most)))) }

func oneOf[T any](r *rand.Rand, all []T) T { return all[r.IntN(len(all))] }
