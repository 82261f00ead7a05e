package monitoring

import (
	"slices"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

// namesOfMachines are the labels whose values differ from machine to machine:
// a query that holds one works on one machine.
var namesOfMachines = []string{"device", "instance", "rdma_device", "pci_address", "devlink_port", "switch_id", "port_name", "address", "lower", "master"}

// The functions and aggregations that take a counter for what it counts, those
// that only ask whether it is there or changes, and those that take it for a gauge.
var (
	countingCalls = []string{"rate", "irate", "increase", "resets"}
	presenceCalls = []string{"absent", "absent_over_time", "changes", "count_over_time", "present_over_time", "timestamp"}
	gaugeCalls    = []string{"delta", "idelta", "deriv", "predict_linear"}
)

// checkSelector finds metrics and labels that are not in the table, names of
// devices, and metrics that are not used according to their kind.
func (c *check) checkSelector(where string, n *parser.VectorSelector, above []parser.Node) {
	m, ok := c.metrics[n.Name]
	if _, recorded := c.recorded[n.Name]; recorded {
		m, ok = metric{Name: n.Name, Kind: "gauge"}, true
	}
	if !ok {
		c.find(where, "%q is not in the table of metrics", n.Name)
		return
	}
	known := c.labelsOfMetric(n.Name)
	for _, matcher := range n.LabelMatchers {
		if matcher.Name != model.MetricNameLabel && !known.has(matcher.Name) {
			c.find(where, "%s has no label %s", n.Name, matcher.Name)
		}
		c.checkLiteral(where, matcher)
	}
	switch m.Kind {
	case "counter":
		c.checkCounter(where, n, above)
	case "gauge", "summary":
		c.checkGauge(where, m, above)
	}
}

// checkLiteral finds what a reader cannot choose; rules do name their job, since
// absent() has no other way.
func (c *check) checkLiteral(where string, m *labels.Matcher) {
	chosen := []string{"", ".*", ".+", placeholder}
	named := slices.Contains(namesOfMachines, m.Name) || c.dashboard && m.Name == model.JobLabel
	if named && !slices.Contains(chosen, m.Value) {
		c.find(where, "%s holds a name of one machine or job; select by role or a variable", m)
	}
}

// checkCounter looks upwards for what makes sense of a counter.
func (c *check) checkCounter(where string, n *parser.VectorSelector, above []parser.Node) {
	var below parser.Node = n
	for _, node := range slices.Backward(above) {
		switch p := node.(type) {
		case *parser.Call:
			switch {
			case slices.Contains(countingCalls, p.Func.Name), slices.Contains(presenceCalls, p.Func.Name):
				return
			case slices.Contains(gaugeCalls, p.Func.Name):
				c.find(where, "%s() of the counter %s; use increase() or rate()", p.Func.Name, n.Name)
				return
			}
		case *parser.AggregateExpr:
			if p.Op == parser.COUNT || p.Op == parser.GROUP {
				return
			}
		case *parser.BinaryExpr:
			if (p.Op == parser.LAND || p.Op == parser.LUNLESS) && p.RHS == below {
				return
			}
		}
		below = node
	}
	c.find(where, "the counter %s is used raw; use rate() or increase()", n.Name)
}

// checkGauge looks upwards for a function that takes a gauge for a counter.
func (c *check) checkGauge(where string, m metric, above []parser.Node) {
	for _, node := range slices.Backward(above) {
		call, ok := node.(*parser.Call)
		switch {
		case !ok:
			continue
		case slices.Contains(countingCalls, call.Func.Name):
			c.find(where, "%s() of the gauge %s; use delta(), deriv() or changes()", call.Func.Name, m.Name)
			return
		case slices.Contains(presenceCalls, call.Func.Name):
			return
		}
	}
}
