package inventory

import (
	"context"
	"encoding/hex"
	"errors"
	"maps"
	"reflect"

	"github.com/dpu-exporter/dpu-exporter/internal/rtnl"
)

// dumpAttempts bounds how often an interrupted dump is made for a caller of
// Sync. Run makes one, and one more a second later.
const dumpAttempts = 3

// sync reads everything: RDMA names first, for the filter to know them, then
// links, then what depends on both. When nothing differs there is no change.
func (i *Inventory) sync(ctx context.Context, reason Reason) error {
	i.turn.Lock()
	defer i.turn.Unlock()
	i.count(func(h *Health) { h.Reads[reason]++ })
	attempts := 1
	if reason == OnRequest {
		attempts = dumpAttempts
	}
	links, complete, linkErr := i.dumpLinks(ctx, attempts)
	if linkErr != nil && (givenUp(ctx) || isClosed(linkErr)) {
		return linkErr
	}
	if linkErr != nil && (len(links) == 0 || ctx.Err() != nil) {
		i.count(func(h *Health) { h.ReadFailures++ })
		return linkErr
	}
	before := i.state
	i.readRDMA()
	i.merge(links, complete)
	portsComplete := i.readPorts(ctx)
	i.readDetached()

	i.mu.Lock()
	defer i.mu.Unlock()
	i.state.linkErr = linkErr
	i.incomplete = !complete || !portsComplete
	i.touchUnless(before)
	if givenUp(ctx) {
		return ctx.Err()
	}
	return nil
}

// touchUnless makes the next Snapshot a new one when the state is another than
// it was before. Callers hold turn and mu.
func (i *Inventory) touchUnless(before state) {
	if !reflect.DeepEqual(before, i.state) {
		i.touch()
	}
}

// dumpLinks reads all links. When complete is false some may be missing; err
// is set when that is for another reason than changes during the dump.
func (i *Inventory) dumpLinks(ctx context.Context, attempts int) (links []rtnl.Link, complete bool, err error) {
	for range attempts {
		links = links[:0]
		err = i.links.Links(ctx, func(l rtnl.Link) { links = append(links, l) })
		if err == nil {
			return links, true, nil
		}
		if !errors.Is(err, rtnl.ErrInterrupted) {
			return links, false, err
		}
	}
	return links, false, nil
}

// merge replaces the entries by those of a dump. From an incomplete one,
// entries that it does not mention stay until their removal is announced.
func (i *Inventory) merge(links []rtnl.Link, complete bool) {
	next := make(map[int]*entry, len(links))
	for n := range links {
		link := &links[n]
		old := i.state.entries[link.Index]
		if old != nil && link.Kind == "" && link.ParentDev == "" {
			old = old.withoutFacts() // they may be another's: nothing tells whether it still is the same device
		}
		next[link.Index] = i.newEntry(link, old)
	}
	if !complete {
		for index, e := range i.state.entries {
			if next[index] == nil {
				next[index] = e
			}
		}
	}
	i.logDifference(next)
	i.mu.Lock()
	defer i.mu.Unlock()
	i.state.entries = next
}

func (i *Inventory) logDifference(next map[int]*entry) {
	for index, e := range next {
		if i.state.entries[index] == nil {
			i.logAppeared(&e.link)
		}
	}
	for index, e := range i.state.entries {
		if next[index] == nil {
			i.logVanished(&e.link)
		}
	}
}

// newEntry makes an entry of a link. While it stands for the device of the
// entry before, it keeps the generation, and the facts when nothing is left to
// read; when nothing differs, it is the entry before.
func (i *Inventory) newEntry(link *rtnl.Link, old *entry) *entry {
	same := old != nil && old.standsFor(link)
	known := same && old.facts.complete
	if known && reflect.DeepEqual(link, &old.link) {
		return old
	}
	e := &entry{link: *link, address: link.Address.String(), switchID: hex.EncodeToString(link.SwitchID)}
	if same {
		e.generation = old.generation
	} else {
		i.generation++
		e.generation = i.generation
	}
	if known {
		e.facts = old.facts
	} else {
		e.facts = i.readFacts(link)
	}
	return e
}

// withoutFacts returns a copy of the entry whose facts are to be read again.
func (e *entry) withoutFacts() *entry {
	c := *e
	c.facts = facts{}
	return &c
}

// apply applies events in their order. It reports whether a device came or went,
// and whether it was one that may have a devlink port, an RDMA device or a
// function of its own, which then are to be read again.
func (i *Inventory) apply(events []rtnl.Event) (moved, hardware bool) {
	i.turn.Lock()
	defer i.turn.Unlock()
	dirty := false
	for n := range events {
		link := &events[n].Link
		old := i.state.entries[link.Index]
		switch {
		case events[n].Removed && old == nil:
		case events[n].Removed:
			i.remove(link.Index)
			i.logVanished(&old.link)
			moved, hardware = true, hardware || isHardware(&old.link)
			dirty = true
		case old != nil && reflect.DeepEqual(*link, old.link):
		default:
			i.put(i.newEntry(link, old))
			if old == nil {
				i.logAppeared(link)
				moved, hardware = true, hardware || isHardware(link)
			}
			dirty = true
		}
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.counts.Events += uint64(len(events))
	if dirty {
		i.touch()
	}
	return moved, hardware
}

func isHardware(link *rtnl.Link) bool { return link.Kind == "" || link.ParentDev != "" }

func (i *Inventory) put(e *entry) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.state.entries[e.link.Index] = e
	i.state.attach(e)
}

// remove forgets a link and the devlink port it had: its index may be given to
// another device.
func (i *Inventory) remove(index int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	delete(i.state.entries, index)
	delete(i.state.ports.byNetdev, index)
}

// readRDMA lists the RDMA devices by the device below them.
func (i *Inventory) readRDMA() {
	devices, err := i.sysfs.RDMADevices()
	byDevice := make(map[string][]string, len(devices))
	for _, d := range devices {
		if d.Device != "" {
			byDevice[d.Device] = append(byDevice[d.Device], d.Name)
		}
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.state.rdma, i.state.rdmaErr, i.state.rdmaDevices = byDevice, err, devices
}

// refresh reads again what link events do not tell: RDMA names, facts that
// could not be read before, devlink ports and the modes of their eswitches, and
// what has no netdev here.
func (i *Inventory) refresh(ctx context.Context) (complete bool) {
	i.turn.Lock()
	defer i.turn.Unlock()
	before := i.state
	before.entries = maps.Clone(before.entries) // put changes the map in place
	i.readRDMA()
	for _, e := range before.entries {
		if !e.facts.complete {
			i.put(i.newEntry(&e.link, e))
		}
	}
	complete = i.readPorts(ctx)
	i.readDetached()
	i.mu.Lock()
	defer i.mu.Unlock()
	i.touchUnless(before)
	return complete
}
