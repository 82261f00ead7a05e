package inventory

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dpu-exporter/dpu-exporter/internal/devlink"
	"github.com/dpu-exporter/dpu-exporter/internal/rtnl"
	"github.com/dpu-exporter/dpu-exporter/internal/sysfs"
)

// Options configure an Inventory.
type Options struct {
	Sysfs       string        // root of sysfs; /sys
	Procfs      string        // root of procfs, the host's if possible; /proc
	Filter      *Filter       // nil keeps all devices
	Log         *slog.Logger  // nil logs nothing
	ResyncEvery time.Duration // a full read as a safety net; 30 seconds
}

func (o Options) withDefaults() Options {
	o.Sysfs = cmp.Or(o.Sysfs, "/sys")
	o.Procfs = cmp.Or(o.Procfs, "/proc")
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	o.ResyncEvery = cmp.Or(o.ResyncEvery, 30*time.Second)
	return o
}

// Inventory holds the devices of one network namespace. Its methods may be
// called from any goroutine.
type Inventory struct {
	kernel
	sysfs       sysfs.FS
	filter      *Filter
	log         *slog.Logger
	resyncEvery time.Duration
	namespace   Namespace
	opened      []Note // what was found when opening

	// turn is held while the kernel is read and events are applied, so that an
	// event never comes between a dump and its result.
	turn       sync.Mutex
	generation uint64 // of the device that appeared last; changes only with turn held

	mu         sync.Mutex // guards what follows; fields of state change only with turn held too
	state      state
	counts     Health
	changed    chan struct{}
	incomplete bool              // the last full read was interrupted
	told       map[string]string // texts of notes that are in force, as they were logged; nil before the first snapshot

	current  atomic.Pointer[Snapshot] // nil when state is newer
	closing  sync.Once
	closeErr error
	closed   atomic.Bool
}

// state is what was read of the kernel.
type state struct {
	entries     map[int]*entry      // by interface index
	rdma        map[string][]string // names of RDMA devices by the device below them
	rdmaErr     error
	rdmaDevices []sysfs.RDMADevice
	ports       portTable
	linkErr     error // a link could not be decoded

	detached    []detached // sorted
	detachedErr error      // some could not be looked for
}

// entry is one link and what is known of the device below it.
type entry struct {
	link       rtnl.Link
	generation uint64
	address    string
	switchID   string
	facts      facts
}

func newInventory(o Options, k kernel) *Inventory {
	o = o.withDefaults()
	return &Inventory{
		kernel: k, sysfs: sysfs.FS(o.Sysfs), filter: o.Filter, log: o.Log, resyncEvery: o.ResyncEvery,
		state:   state{entries: map[int]*entry{}, ports: portTable{byNetdev: map[int]*devlink.Port{}}},
		counts:  Health{Reads: map[Reason]uint64{}},
		changed: make(chan struct{}),
	}
}

// Snapshot returns the inventory as it is now. It costs nothing while nothing
// has changed, and is empty before the first Sync.
func (i *Inventory) Snapshot() *Snapshot {
	if s := i.current.Load(); s != nil {
		return s
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if s := i.current.Load(); s != nil {
		return s
	}
	s := i.build()
	i.logNotes(s.Notes)
	i.current.Store(s)
	return s
}

// Changed returns a channel that is closed at the next change. Call it before
// Snapshot to miss none.
func (i *Inventory) Changed() <-chan struct{} {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.changed
}

// touch makes the next Snapshot a new one. Callers hold mu.
func (i *Inventory) touch() {
	i.current.Store(nil)
	close(i.changed)
	i.changed = make(chan struct{})
}

// Sync reads everything once. A dump that changes of links keep interrupting
// is no error: what it delivered is merged, and Run reads again later.
func (i *Inventory) Sync(ctx context.Context) error { return i.sync(ctx, OnRequest) }

// Close closes all sockets and ends Run. Snapshot still returns the last state.
func (i *Inventory) Close() error {
	i.stopWatching()
	errs := []error{i.closeErr, i.links.Close()}
	if i.ports != nil {
		errs = append(errs, i.ports.Close())
	}
	return errors.Join(errs...)
}

// stopWatching ends the subscriptions, and with them their waiting Receive.
func (i *Inventory) stopWatching() {
	i.closing.Do(func() {
		i.closed.Store(true)
		i.closeErr = i.linkEvents.Close()
		if i.portEvents != nil {
			i.closeErr = errors.Join(i.closeErr, i.portEvents.Close())
		}
	})
}
