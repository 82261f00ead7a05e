package driver

import (
	"regexp"
	"slices"
	"strconv"

	"github.com/dpu-exporter/dpu-exporter/metric"
)

// RawRow has the strings that no table knows, as far as they are asked for.
var RawRow = &metric.Row{
	Name: "dpu_ethtool_stat", Kind: metric.Gauge, Labels: []string{"device", "stat", "index"},
	Help: "Driver statistic that no other row has, by the driver's own string; a counter or a gauge, as the driver has it; " +
		"index is 0 for the first statistic of that string; only with --ethtool.raw-include",
	Source: "ETHTOOL_GSTATS", Proof: metric.Live,
}

// UnmappedRow counts what RawRow could have.
var UnmappedRow = &metric.Row{
	Name: "dpu_ethtool_unmapped_stats", Kind: metric.Gauge, Labels: []string{"device"},
	Help:   "Driver statistics that no row has but dpu_ethtool_stat on request",
	Source: "ETHTOOL_GSTRINGS", Proof: metric.Live,
}

// Options say what of a device's statistics is wanted.
type Options struct {
	PerQueue bool                       // the rows of queues as well
	Raw      *regexp.Regexp             // which strings that no table knows; nil for none
	Wanted   func(row *metric.Row) bool // which rows of the tables; nil for all
}

// Plan says what to do with the values of one device: which go where. It is
// made when the device's strings are read, so that a reading is additions.
type Plan struct {
	Slots    []Slot
	Unmapped int // strings that no table knows, exported raw or not
}

// Slot is one series: the sum of one or more statistics.
type Slot struct {
	Quantity *Quantity // nil of RawRow
	Row      *metric.Row
	Labels   []string // values, beside Row.Labels
	Factor   float64  // of the row's unit in one count

	stats []int32 // places of the statistics that add up to it
}

// Sum adds values, which stand beside the names that the plan was made of, up
// into sums, which stand beside Slots.
func (p *Plan) Sum(values, sums []uint64) {
	for i := range p.Slots {
		var sum, other uint64 // two sums wait for half as many loads each
		stats := p.Slots[i].stats
		for ; len(stats) >= 4; stats = stats[4:] {
			sum += values[stats[0]] + values[stats[1]]
			other += values[stats[2]] + values[stats[3]]
		}
		for _, stat := range stats {
			sum += values[stat]
		}
		sums[i] = sum + other
	}
}

// NewPlan makes the plan of a device from the names of its statistics. The
// table may be nil, for a driver that is not known.
func NewPlan(t *Table, device string, names []string, o Options) *Plan {
	m := maker{plan: &Plan{}, options: o, device: device, slots: map[series]int{}, seen: map[string]int{}}
	if t != nil {
		m.table, m.index = t, indexOf(t)
	}
	found := m.find(names)
	for i, f := range found {
		if !m.add(i, f) {
			m.addRaw(i, names[i])
		}
	}
	return m.plan
}

// maker makes a plan.
type maker struct {
	plan    *Plan
	options Options
	device  string
	table   *Table
	index   index
	totals  map[*Quantity]bool // quantities that have a string for all queues
	taken   map[*Entry]bool    // entries without a number that have been used
	slots   map[series]int
	seen    map[string]int // raw strings so far
}

// series tells a slot from others.
type series struct {
	row   *metric.Row
	label string
}

// finding is what one string of a device is.
type finding struct {
	entry *Entry
	what  kind
	label string
}

// find looks all strings up. Of a string that comes twice outside of a section
// only the first is known: nothing says what the second is.
func (m *maker) find(names []string) []finding {
	m.totals, m.taken = map[*Quantity]bool{}, map[*Entry]bool{}
	found := make([]finding, len(names))
	section, count := "", map[string]int{}
	for i, name := range names {
		if m.table == nil {
			continue
		}
		if slices.Contains(m.table.Sections, name) {
			section = strconv.Itoa(count[name])
			count[name]++
			continue
		}
		found[i] = m.lookUp(name, section)
		if f := found[i]; f.entry != nil && f.what == noNumber && f.entry.Quantity.Queue != nil {
			m.totals[f.entry.Quantity] = true
		}
	}
	return found
}

func (m *maker) lookUp(name, section string) finding {
	e, number := m.index.find(name)
	if e == nil || m.options.Wanted != nil && !m.options.Wanted(e.Quantity.Row) {
		return finding{}
	}
	_, _, what := e.split()
	switch {
	case what == noNumber && section != "" && e.Quantity.Queue != nil:
		return finding{e, queueNumber, section}
	case what == noNumber && m.taken[e]:
		return finding{}
	case what == noNumber:
		m.taken[e] = true
		return finding{e, what, e.Label}
	}
	return finding{e, what, number}
}

// add puts a statistic where it belongs and reports whether it belongs
// anywhere.
func (m *maker) add(stat int, f finding) bool {
	if f.entry == nil {
		return false
	}
	q := f.entry.Quantity
	if f.what != queueNumber {
		m.count(stat, q, q.Row, f.label, f.entry.Factor)
		return true
	}
	if !m.totals[q] {
		m.count(stat, q, q.Row, "", f.entry.Factor)
	}
	if m.options.PerQueue {
		m.count(stat, q, q.Queue, f.label, f.entry.Factor)
	}
	return true
}

func (m *maker) addRaw(stat int, name string) {
	m.plan.Unmapped++
	if m.options.Raw == nil || !m.options.Raw.MatchString(name) {
		return
	}
	occurrence := m.seen[name]
	m.seen[name]++
	m.plan.Slots = append(m.plan.Slots, Slot{
		Row: RawRow, Labels: []string{m.device, name, strconv.Itoa(occurrence)}, Factor: 1, stats: []int32{int32(stat)},
	})
}

// count makes a statistic count towards a series.
func (m *maker) count(stat int, q *Quantity, row *metric.Row, label string, factor float64) {
	slot, ok := m.slots[series{row, label}]
	if !ok {
		s := Slot{Quantity: q, Row: row, Labels: []string{m.device}, Factor: factor}
		if len(row.Labels) > 1 {
			s.Labels = append(s.Labels, label)
		}
		if factor == 0 {
			s.Factor = 1
		}
		slot = len(m.plan.Slots)
		m.slots[series{row, label}] = slot
		m.plan.Slots = append(m.plan.Slots, s)
	}
	into := &m.plan.Slots[slot]
	into.stats = append(into.stats, int32(stat))
}
