package monitoring

import (
	"slices"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

// labelSet are the labels that a result may have.
type labelSet struct {
	names []string
	any   bool // of a metric that is not known: whatever is asked for
}

func (s labelSet) has(name string) bool { return s.any || slices.Contains(s.names, name) }

func (s labelSet) with(names ...string) labelSet {
	return labelSet{slices.Concat(s.names, names), s.any}
}

func (s labelSet) without(names []string) labelSet {
	left := slices.DeleteFunc(slices.Clone(s.names), func(l string) bool { return slices.Contains(names, l) })
	return labelSet{left, s.any}
}

// labelsOf are the labels that the result of e may have; unknown metrics are
// somebody else's finding.
func (c *check) labelsOf(e parser.Expr) labelSet {
	switch n := e.(type) {
	case *parser.VectorSelector:
		return c.labelsOfMetric(n.Name)
	case *parser.MatrixSelector:
		return c.labelsOf(n.VectorSelector)
	case *parser.SubqueryExpr:
		return c.labelsOf(n.Expr)
	case *parser.ParenExpr:
		return c.labelsOf(n.Expr)
	case *parser.UnaryExpr:
		return c.labelsOf(n.Expr)
	case *parser.AggregateExpr:
		return c.labelsOfAggregation(n)
	case *parser.BinaryExpr:
		return c.labelsOfMatch(n)
	case *parser.Call:
		return c.labelsOfCall(n)
	}
	return labelSet{}
}

func (c *check) labelsOfMetric(name string) labelSet {
	if rule, ok := c.recorded[name]; ok {
		return c.labelsOf(rule)
	}
	m, ok := c.metrics[name]
	return labelSet{slices.Concat(m.Labels, targetLabels), !ok}
}

func (c *check) labelsOfAggregation(n *parser.AggregateExpr) labelSet {
	switch {
	case n.Op == parser.TOPK, n.Op == parser.BOTTOMK:
		return c.labelsOf(n.Expr)
	case n.Without:
		return c.labelsOf(n.Expr).without(n.Grouping)
	case n.Op == parser.COUNT_VALUES:
		return labelSet{names: n.Grouping}.with(literal(n.Param))
	}
	return labelSet{names: n.Grouping}
}

// labelsOfMatch follows the table of
// https://prometheus.io/docs/prometheus/latest/querying/operators/#vector-matching.
func (c *check) labelsOfMatch(n *parser.BinaryExpr) labelSet {
	left, right, m := c.labelsOf(n.LHS), c.labelsOf(n.RHS), n.VectorMatching
	switch {
	case m == nil: // one side is a number
		return left.with(right.names...)
	case n.Op == parser.LOR:
		return labelSet{slices.Concat(left.names, right.names), left.any || right.any}
	case n.Op.IsSetOperator():
		return left
	case m.Card == parser.CardManyToOne:
		return left.with(m.Include...)
	case m.Card == parser.CardOneToMany:
		return right.with(m.Include...)
	case m.On:
		return labelSet{names: m.MatchingLabels}
	}
	return left.without(m.MatchingLabels)
}

func (c *check) labelsOfCall(n *parser.Call) labelSet {
	switch n.Func.Name {
	case "label_replace", "label_join":
		return c.labelsOf(n.Args[0]).with(literal(n.Args[1]))
	case "absent", "absent_over_time":
		return labelSet{names: equalities(n.Args[0])}
	case "histogram_quantile":
		return c.labelsOf(n.Args[1]).without([]string{"le"})
	case "scalar", "vector", "time", "pi":
		return labelSet{}
	}
	for _, arg := range n.Args {
		if t := arg.Type(); t == parser.ValueTypeVector || t == parser.ValueTypeMatrix {
			return c.labelsOf(arg)
		}
	}
	return labelSet{}
}

// equalities are the labels that absent() makes up from its selector.
func equalities(e parser.Expr) (names []string) {
	parser.Inspect(e, func(node parser.Node, _ []parser.Node) error {
		if s, ok := node.(*parser.VectorSelector); ok {
			for _, m := range s.LabelMatchers {
				if m.Type == labels.MatchEqual && m.Name != model.MetricNameLabel {
					names = append(names, m.Name)
				}
			}
		}
		return nil
	})
	return names
}

// literal is the value of a string literal.
func literal(e parser.Expr) string {
	if s, ok := e.(*parser.StringLiteral); ok {
		return s.Val
	}
	return ""
}
