package monitoring

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/grafana/grafana-foundation-sdk/go/common"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/prometheus/prometheus/promql/parser"
)

// checkDashboard finds what is wrong in a dashboard.
func (c *check) checkDashboard(d classic) {
	c.dashboard = true
	c.checkVariables(d)
	c.checkGrid(d)
	c.checkAnnotations(d)
	for _, p := range panelsOf(d) {
		c.checkPanel(p)
	}
}

func (c *check) checkAnnotations(d classic) {
	for _, a := range d.Annotations.List {
		where := "annotation " + a.Name
		if a.Expr == nil {
			continue // Grafana's own marks
		}
		c.checkDatasource(where, a.Datasource)
		if query := c.parse(where, *a.Expr); query != nil {
			c.checkQuery(where, query)
			c.measureOf(where, query)
		}
	}
}

func (c *check) checkPanel(p dashboard.Panel) {
	where := nameOf(p)
	c.checkType(where, p.Type)
	c.checkAlterations(where, p)
	if strings.TrimSpace(orEmpty(p.Title)) == "" {
		c.find(where, "has no title")
	}
	if strings.TrimSpace(orEmpty(p.Description)) == "" {
		c.find(where, "has no description")
	}
	if p.Datasource != nil {
		c.checkDatasource(where, p.Datasource)
	}
	queries, err := queriesOf(p)
	switch {
	case err != nil:
		c.find(where, "%v", err)
	case len(queries) == 0 && p.Type != "text":
		c.find(where, "has no query")
	}
	seen := map[string]bool{}
	for _, q := range queries {
		refID := orEmpty(q.RefId)
		if refID == "" || seen[refID] {
			c.find(where, "refId %q is missing or there twice", refID)
		}
		seen[refID] = true
		c.checkPanelQuery(fmt.Sprintf("%s, query %s", where, refID), unitOf(p, refID), q)
	}
}

// arrangements are the transformations that change no number and leave none out
// by its value or its labels.
var arrangements = []string{"organize", "merge", "sortBy", "labelsToFields", "joinByField"} //nolint:misspell // Grafana's own spelling

// checkAlterations finds what changes the numbers or units of queries where
// nobody compares the two.
func (c *check) checkAlterations(where string, p dashboard.Panel) {
	for _, t := range p.Transformations {
		if !slices.Contains(arrangements, t.Id) {
			c.find(where, "has the transformation %s; select and calculate in the query", t.Id)
		}
	}
	for _, o := range orEmpty(p.FieldConfig).Overrides {
		for _, property := range o.Properties {
			if property.Id == "unit" && o.Matcher.Id != "byFrameRefID" {
				c.find(where, "overrides the unit %s; units go with queries: byFrameRefID", o.Matcher.Id)
			}
		}
	}
}

func (c *check) checkPanelQuery(where, unit string, q prometheus.Dataquery) {
	c.checkDatasource(where, q.Datasource)
	if orEmpty(q.Hide) {
		c.find(where, "is hidden")
	}
	query := c.parse(where, q.Expr)
	if query == nil {
		return
	}
	c.checkQuery(where, query)
	c.checkUnit(where, unit, c.measureOf(where, query))
	if orEmpty(q.Format) != prometheus.PromQueryFormatTable {
		c.checkLegend(where, orEmpty(q.LegendFormat), query)
	}
}

// checkDatasource finds a data source that the reader cannot choose.
func (c *check) checkDatasource(where string, ref *common.DataSourceRef) {
	if ref == nil || orEmpty(ref.Uid) != "${datasource}" || orEmpty(ref.Type) != "prometheus" {
		c.find(where, `has not the data source {"type": "prometheus", "uid": "${datasource}"}`)
	}
}

// legendLabel is a label in a legend: {{device}}.
var legendLabel = regexp.MustCompile(`\{\{\s*(\w+)\s*\}\}`)

// checkLegend finds a missing legend and labels of it that the result has not.
func (c *check) checkLegend(where, legend string, query parser.Expr) {
	if legend == "" || legend == "__auto" {
		c.find(where, "has no legend")
	}
	labels := c.labelsOf(query)
	for _, m := range legendLabel.FindAllStringSubmatch(legend, -1) {
		if !labels.has(m[1]) {
			c.find(where, "the legend shows %s, which the result has not", m[1])
		}
	}
}
