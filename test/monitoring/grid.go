package monitoring

import (
	"fmt"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

// columns is the width of Grafana's grid.
const columns = 24

// place is where a panel or a row stands.
type place struct {
	name string
	at   dashboard.GridPos
}

// overlaps says whether two places share a cell.
func (p place) overlaps(o place) bool {
	return p.at.X < o.at.X+o.at.W && o.at.X < p.at.X+p.at.W && p.at.Y < o.at.Y+o.at.H && o.at.Y < p.at.Y+p.at.H
}

// checkGrid finds panels and rows with one number, in one place or beside the
// grid. The panels of a collapsed row stand apart: they show when it opens.
func (c *check) checkGrid(d classic) {
	ids := map[uint32]string{}
	var open []place
	for _, p := range d.Panels {
		if p.Panel != nil {
			open = append(open, c.checkPlace(ids, nameOf(*p.Panel), orEmpty(p.Panel.Id), p.Panel.GridPos))
		}
		if p.RowPanel != nil {
			open = append(open, c.checkPlace(ids, "row "+orEmpty(p.RowPanel.Title), p.RowPanel.Id, p.RowPanel.GridPos))
			var folded []place
			for _, q := range p.RowPanel.Panels {
				folded = append(folded, c.checkPlace(ids, nameOf(q), orEmpty(q.Id), q.GridPos))
			}
			c.checkOverlaps(folded)
		}
	}
	c.checkOverlaps(open)
}

func (c *check) checkPlace(ids map[uint32]string, name string, id uint32, at *dashboard.GridPos) place {
	if other, taken := ids[id]; taken {
		c.find(name, "has the id %d of %s", id, other)
	}
	ids[id] = fmt.Sprintf("%q", name)
	if at == nil || at.W == 0 || at.H == 0 || at.X+at.W > columns {
		c.find(name, "has no place in the grid of %d columns", columns)
	}
	return place{name, orEmpty(at)}
}

func (c *check) checkOverlaps(places []place) {
	for i, p := range places {
		for _, o := range places[:i] {
			if p.overlaps(o) {
				c.find(p.name, "overlaps %q", o.name)
			}
		}
	}
}
