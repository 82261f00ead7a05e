package inventory

import "time"

// plan holds the two timers of Run: one for reading everything, one for reading
// ports and what else link events do not tell.
type plan struct {
	every    time.Duration // between full reads when nothing happens
	failures int           // full reads in a row that failed or were interrupted

	resync *time.Timer
	due    time.Time // when resync fires
	reason Reason    // of that full read
	last   time.Time // of the last full read
	lost   time.Time // of the last overrun; zero once a full read has verified what is known
	latest time.Time // how far the read that repairs an overrun may be put off

	refresh    *time.Timer
	refreshing bool // refresh is set
}

func newPlan(every time.Duration) *plan {
	p := &plan{every: every, resync: time.NewTimer(every), refresh: time.NewTimer(every)}
	p.refresh.Stop()
	p.due, p.reason = time.Now().Add(every), Periodic
	return p
}

func (p *plan) stop() {
	p.resync.Stop()
	p.refresh.Stop()
}

// refreshSoon plans to read ports. What comes until then is part of it and does
// not put it off.
func (p *plan) refreshSoon() {
	if !p.refreshing {
		p.refreshing = true
		p.refresh.Reset(settle)
	}
}

// resyncIn plans a full read, unless one is planned before that or the last one
// was a moment ago.
func (p *plan) resyncIn(wait time.Duration, reason Reason) {
	if due := later(time.Now().Add(wait), p.last.Add(restart)); due.Before(p.due) {
		p.set(due, reason)
	}
}

// overran plans the read that repairs a loss of events, over what was planned.
func (p *plan) overran() {
	p.lost = time.Now()
	if p.reason != Overrun {
		p.latest = p.lost.Add(restart)
		p.set(later(p.lost.Add(drain), p.last.Add(restart)), Overrun)
	}
	p.putOff()
}

// putOff has the read that repairs an overrun wait while events come, for a
// second at most.
func (p *plan) putOff() {
	due := time.Now().Add(drain)
	if p.reason == Overrun && due.After(p.due) && !due.After(p.latest) {
		p.set(due, Overrun)
	}
}

// failed plans the next try after a full read that just failed. The wait doubles
// with each further one, up to longest.
func (p *plan) failed(reason Reason, longest time.Duration) {
	wait := restart << min(p.failures, 16)
	p.failures++
	p.last = time.Now()
	p.set(p.last.Add(min(wait, longest, p.every)), reason)
}

// succeeded plans the read after a complete one that began then and just ended.
func (p *plan) succeeded(begun time.Time) {
	p.failures = 0
	p.last = time.Now()
	p.set(p.last.Add(p.every), Periodic)
	if begun.Sub(p.lost) >= verify {
		p.lost = time.Time{}
		return
	}
	p.resyncIn(time.Until(p.lost.Add(verify)), Verify)
}

func (p *plan) set(due time.Time, reason Reason) {
	p.due, p.reason = due, reason
	p.resync.Reset(time.Until(due))
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
