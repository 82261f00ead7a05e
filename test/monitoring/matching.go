package monitoring

import (
	"slices"
	"strings"

	"github.com/prometheus/prometheus/promql/parser"
)

// checkGrouping finds labels of by (…) and without (…) that nothing has.
func (c *check) checkGrouping(where string, n *parser.AggregateExpr) {
	c.checkLabels(where, n.Op.String()+" groups by", c.labelsOf(n.Expr), n.Grouping)
}

// checkMatching finds labels of on (…) and group_left (…) that a side lacks.
func (c *check) checkMatching(where string, n *parser.BinaryExpr) {
	m := n.VectorMatching
	if m == nil {
		return
	}
	left, right := c.labelsOf(n.LHS), c.labelsOf(n.RHS)
	if m.On {
		c.checkLabels(where, "the left of "+n.Op.String()+" is matched on", left, m.MatchingLabels)
		c.checkLabels(where, "the right of "+n.Op.String()+" is matched on", right, m.MatchingLabels)
	} else {
		c.checkIgnoring(where, n, left, right)
	}
	one := right
	if m.Card == parser.CardOneToMany {
		one = left
	}
	c.checkLabels(where, n.Op.String()+" takes from its one side", one, m.Include)
}

// checkIgnoring finds two sides that never match, since one has a label that the
// other lacks, and labels of ignoring (…) that neither has.
func (c *check) checkIgnoring(where string, n *parser.BinaryExpr, left, right labelSet) {
	if left.any || right.any {
		return
	}
	ignored := n.VectorMatching.MatchingLabels
	c.checkLabels(where, n.Op.String()+" ignores", left.with(right.without(left.names).names...), ignored)
	l, r := left.without(ignored), right.without(ignored)
	if only := slices.Concat(l.without(r.names).names, r.without(l.names).names); len(only) > 0 {
		c.find(where, "only one side of %s has %s; say on (…) or ignoring (…)", n.Op, strings.Join(only, ", "))
	}
}

// checkSources finds labels that label_replace() and label_join() read and
// nothing has.
func (c *check) checkSources(where string, n *parser.Call) {
	var sources []parser.Expr
	switch n.Func.Name {
	case "label_replace":
		sources = n.Args[3:4]
	case "label_join":
		sources = n.Args[3:]
	}
	for _, source := range sources {
		if l := literal(source); l != "" { // "": a constant is written
			c.checkLabels(where, n.Func.Name+" reads", c.labelsOf(n.Args[0]), []string{l})
		}
	}
}

func (c *check) checkLabels(where, what string, have labelSet, want []string) {
	for _, l := range want {
		if !have.has(l) {
			c.find(where, "%s %s, which is not among its labels %s", what, l, strings.Join(have.names, ", "))
		}
	}
}
