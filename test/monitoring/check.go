package monitoring

import (
	"fmt"
	"slices"

	"github.com/prometheus/prometheus/promql/parser"
)

// A check collects what is wrong in one file of dashboards or rules.
type check struct {
	metrics   metrics
	recorded  map[string]parser.Expr // what the recording rules make, by name
	findings  []string               // "panel Throughput/A: …", in the order of the file
	dashboard bool                   // whether a reader chooses variables and times; rules have neither
}

// find notes a fault once.
func (c *check) find(where, format string, args ...any) {
	finding := fmt.Sprintf(format, args...)
	if where != "" {
		finding = where + ": " + finding
	}
	if !slices.Contains(c.findings, finding) {
		c.findings = append(c.findings, finding)
	}
}

// parse reads a query, of a dashboard with template variables in it; where it
// cannot, that is the finding and the answer is nil.
func (c *check) parse(where, text string) parser.Expr {
	if c.dashboard {
		text = readable(text)
	}
	e, err := parser.ParseExpr(text)
	if err != nil {
		c.find(where, "%v", err)
		return nil
	}
	return e
}

// checkQuery finds what is wrong with a query wherever it stands.
func (c *check) checkQuery(where string, e parser.Expr) {
	parser.Inspect(e, func(node parser.Node, above []parser.Node) error {
		switch n := node.(type) {
		case *parser.VectorSelector:
			c.checkSelector(where, n, above)
			c.checkTime(where, n.OriginalOffset, n.Timestamp, n.StartOrEnd)
		case *parser.MatrixSelector:
			c.checkWindow(where, n.Range)
		case *parser.SubqueryExpr:
			c.checkWindow(where, n.Range)
			c.checkTime(where, n.OriginalOffset, n.Timestamp, n.StartOrEnd)
		case *parser.AggregateExpr:
			c.checkGrouping(where, n)
		case *parser.BinaryExpr:
			c.checkMatching(where, n)
		case *parser.Call:
			c.checkSources(where, n)
		}
		return nil
	})
}
