package monitoring

import (
	"time"

	"github.com/prometheus/prometheus/promql/parser"
)

// shortest is the least window of a rule: four scrapes a minute apart. Two make
// a rate, and some fail or come late.
const shortest = 4 * time.Minute

// checkWindow finds a window that does not follow the scrape interval, as Grafana
// knows it: a shorter one shows nothing, a longer one hides peaks. A rule's must
// fit every usual interval.
func (c *check) checkWindow(where string, window time.Duration) {
	text := window.String()
	for name, standIn := range fixed {
		if text == standIn {
			text = "$" + name
		}
	}
	switch {
	case c.dashboard && text != "$__rate_interval":
		c.find(where, "the window [%s] is not [$__rate_interval]", text)
	case !c.dashboard && window < shortest:
		c.find(where, "the window [%s] is shorter than %s", text, shortest)
	}
}

// checkTime finds queries of a dashboard that leave the time that its reader looks at.
func (c *check) checkTime(where string, offset time.Duration, at *int64, end parser.ItemType) {
	if c.dashboard && (offset != 0 || at != nil || end != 0) {
		c.find(where, "asks for another time than the reader's; leave offset and @ out")
	}
}
