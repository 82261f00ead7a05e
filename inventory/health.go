package inventory

import "maps"

// Reason says why everything was read again.
type Reason string

// The reasons of a full read.
const (
	OnRequest   Reason = "request"     // Sync was called
	AtStart     Reason = "start"       // Run found nothing read yet
	Overrun     Reason = "overrun"     // notifications were lost (ENOBUFS)
	Verify      Reason = "verify"      // a while after an overrun, for what was lost until it was repaired
	Settled     Reason = "settled"     // devices came or went a moment ago
	Interrupted Reason = "interrupted" // changes interrupted the dump before
	AfterError  Reason = "error"       // the read before failed
	Periodic    Reason = "periodic"    // the safety net
)

// Health counts what an inventory has done since it was opened.
type Health struct {
	Events       uint64            // link notifications received
	PortEvents   uint64            // devlink notifications received
	Reads        map[Reason]uint64 // full reads begun
	ReadFailures uint64            // full reads that failed
	Unparsed     int               // devices whose port name or flavour cannot be parsed, now
	Devices      map[Role]int      // network devices by role, now

	DetachedByRole map[Role]int // functions and ports without a netdev here by role, now
}

// Health returns the counts up to now.
func (i *Inventory) Health() Health {
	s := i.Snapshot()
	i.mu.Lock()
	defer i.mu.Unlock()
	h := i.counts
	h.Reads = maps.Clone(h.Reads)
	h.Unparsed = s.Unparsed
	h.Devices, h.DetachedByRole = s.CountByRole(), s.DetachedByRole()
	return h
}

func (i *Inventory) count(add func(*Health)) {
	i.mu.Lock()
	defer i.mu.Unlock()
	add(&i.counts)
}
