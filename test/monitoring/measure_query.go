package monitoring

import (
	"strings"

	"github.com/prometheus/prometheus/promql/parser"
)

// measureOf is what the numbers of e stand for; what it cannot follow, or makes
// no sense, is a finding.
func (c *check) measureOf(where string, e parser.Expr) measure {
	switch n := e.(type) {
	case *parser.NumberLiteral:
		return measure{powers: map[string]int{}, scale: n.Val, number: true}
	case *parser.VectorSelector:
		return c.measureOfMetric(where, n.Name)
	case *parser.MatrixSelector:
		return c.measureOf(where, n.VectorSelector)
	case *parser.SubqueryExpr:
		return c.measureOf(where, n.Expr)
	case *parser.ParenExpr:
		return c.measureOf(where, n.Expr)
	case *parser.UnaryExpr:
		return c.measureOf(where, n.Expr)
	case *parser.AggregateExpr:
		if n.Op == parser.COUNT || n.Op == parser.GROUP || n.Op == parser.COUNT_VALUES {
			return plain()
		}
		return c.measureOf(where, n.Expr)
	case *parser.BinaryExpr:
		return c.measureOfOperation(where, n)
	case *parser.Call:
		return c.measureOfCall(where, n)
	}
	return plain()
}

func (c *check) measureOfMetric(where, name string) measure {
	if rule, ok := c.recorded[name]; ok {
		return c.measureOf(where, rule)
	}
	m := measureOfUnit(c.metrics[name].Unit)
	m.moment = strings.HasSuffix(name, "_timestamp_seconds") || strings.HasSuffix(name, "_time_seconds")
	return m
}

// measureOfOperation adds, multiplies and compares measures.
func (c *check) measureOfOperation(where string, n *parser.BinaryExpr) measure {
	left, right := c.measureOf(where, n.LHS), c.measureOf(where, n.RHS)
	switch {
	case n.Op == parser.MUL:
		product := left.times(right, 1)
		product.moment = left.moment && right.number || right.moment && left.number
		return product
	case n.Op == parser.DIV:
		return left.times(right, -1)
	case n.Op == parser.LAND, n.Op == parser.LUNLESS:
		return left
	case n.Op == parser.SUB && left.moment && right.moment:
		left.moment = false
		return left
	case !left.like(right):
		c.find(where, "%s between %s and %s", n.Op, left, right)
	}
	switch {
	case n.ReturnBool:
		return plain()
	case left.number:
		return right
	}
	return left
}

// measureOfCall is the measure of what a function makes of its argument.
func (c *check) measureOfCall(where string, n *parser.Call) measure {
	switch n.Func.Name {
	case "rate", "irate", "deriv":
		return c.measureOf(where, n.Args[0]).times(measureOfUnit("seconds"), -1)
	case "time", "timestamp":
		m := measureOfUnit("seconds")
		m.moment = true
		return m
	case "changes", "resets", "count_over_time", "present_over_time", "absent", "absent_over_time", "sgn":
		return plain()
	}
	for _, arg := range n.Args {
		if t := arg.Type(); t == parser.ValueTypeVector || t == parser.ValueTypeMatrix {
			return c.measureOf(where, arg)
		}
	}
	if len(n.Args) > 0 {
		return c.measureOf(where, n.Args[0]) // vector(1)
	}
	return plain()
}
