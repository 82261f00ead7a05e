package monitoring

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/prometheus/prometheus/promql/parser"
)

// variable is a use of a template variable: $job, ${job}, ${job:regex}.
var variable = regexp.MustCompile(`\$(\w+)|\$\{(\w+)(?::\w+)?\}`)

// labelValues is the one form of a query variable that is known here:
// label_values(dpu_interface_info{job=~"$job"}, role), or label_values(job).
var labelValues = regexp.MustCompile(`^label_values\((?:(.+),)?\s*(\w+)\)$`)

// usedIn are the names of the template variables that text uses.
func usedIn(text string) []string {
	var names []string
	for _, m := range variable.FindAllStringSubmatch(text, -1) {
		names = append(names, m[1]+m[2])
	}
	return names
}

// substitute puts values in the place of the template variables of text.
func substitute(text string, value func(name string) string) string {
	return variable.ReplaceAllStringFunc(text, func(use string) string {
		return value(usedIn(use)[0])
	})
}

// fixed are the stand-ins for Grafana's own variables while a query is read:
// windows that nobody would write, so that a fixed one can be told from them.
var fixed = map[string]string{
	"__rate_interval": "4m1s",
	"__interval":      "1m1s",
	"__range":         "24h0m1s",
}

// placeholder stands for the value of a template variable while a query is read.
const placeholder = "a value chosen by the reader"

// readable makes the text of a query PromQL.
func readable(text string) string {
	return substitute(text, func(name string) string {
		if window, ok := fixed[name]; ok {
			return window
		}
		return placeholder
	})
}

// checkVariables finds variables that are used and not defined, or the reverse,
// and queries of variables that nothing answers.
func (c *check) checkVariables(d classic) {
	used := map[string]bool{}
	err := texts(d, func(text string) {
		for _, name := range usedIn(text) {
			used[name] = true
		}
	})
	if err != nil {
		c.find("", "%v", err)
	}
	defined := map[string]bool{}
	for _, v := range d.Templating.List {
		where := "variable " + v.Name
		if defined[v.Name] {
			c.find(where, "is defined twice")
		}
		defined[v.Name] = true
		if !used[v.Name] {
			c.find(where, "is never used")
		}
		c.checkChoice(where, v)
		if v.Type == dashboard.VariableTypeQuery {
			c.checkVariableQuery(where, v)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(used)) {
		if !defined[name] && fixed[name] == "" && name != "__all" {
			c.find("variable "+name, "is used but not defined")
		}
	}
}

// checkChoice finds values that are written down or filtered: on another machine
// they are others.
func (c *check) checkChoice(where string, v dashboard.VariableModel) {
	if v.Type != dashboard.VariableTypeQuery && v.Type != dashboard.VariableTypeDatasource {
		c.find(where, "has the type %s; only query and datasource take their values from where they are", v.Type)
	}
	if orEmpty(v.Regex) != "" || len(v.Options)+len(v.StaticOptions) > 0 {
		c.find(where, "has a regex or options; leave its values to its query")
	}
	if all := orEmpty(v.AllValue); !slices.Contains([]string{"", ".*", ".+"}, all) {
		c.find(where, "has %q for All; write .* or .+", all)
	}
}

func (c *check) checkVariableQuery(where string, v dashboard.VariableModel) {
	c.checkDatasource(where, v.Datasource)
	m := labelValues.FindStringSubmatch(strings.TrimSpace(variableQuery(v)))
	if m == nil {
		c.find(where, "has the query %q; write label_values(selector, label)", variableQuery(v))
		return
	}
	if m[1] == "" {
		return // any series' label
	}
	query := c.parse(where, m[1])
	if query == nil {
		return
	}
	c.checkQuery(where, &parser.AggregateExpr{Op: parser.GROUP, Expr: query}) // only its labels are asked for
	if labels := c.labelsOf(query); !labels.has(m[2]) {
		c.find(where, "%s has no label %s", m[1], m[2])
	}
}

// A selection is a value of every template variable of a dashboard.
type selection map[string][]string

// in puts the selection in a text as Grafana does for a Prometheus data source:
// one value as it is, more as an alternation.
func (s selection) in(text string) (string, error) {
	var err error
	out := substitute(text, func(name string) string {
		values, ok := s[name]
		switch {
		case !ok:
			err = fmt.Errorf("no value for $%s in %s", name, text)
			return ""
		case len(values) == 1:
			return values[0]
		}
		quoted := make([]string, len(values))
		for i, v := range values {
			quoted[i] = strings.ReplaceAll(regexp.QuoteMeta(v), `\`, `\\`)
		}
		return "(" + strings.Join(quoted, "|") + ")"
	})
	return out, err
}
