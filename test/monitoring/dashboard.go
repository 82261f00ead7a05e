package monitoring

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
)

// classic is the schema that every Grafana imports. The SDK prefers a newer one,
// which older Grafanas cannot read.
type classic = dashboard.Dashboard //nolint:staticcheck // deprecated in the SDK, not in Grafana

// loadDashboard reads a dashboard as strictly as its schema allows: every field
// of it, of its panels and of their options is one that Grafana knows.
func loadDashboard(path string) (classic, error) {
	var d classic
	text, err := os.ReadFile(path)
	if err != nil {
		return d, err
	}
	registerPanels()
	if err := checkSchema(text); err != nil {
		return d, fmt.Errorf("%s: %w", path, err)
	}
	if err := json.Unmarshal(text, &d); err != nil {
		return d, fmt.Errorf("%s: %w", path, err)
	}
	if err := d.Validate(); err != nil {
		return d, fmt.Errorf("%s: %w", path, err)
	}
	return d, nil
}

// checkSchema decodes strictly and throws the result away: the SDK's strict
// decoder loses every panel that is without fault, since it takes its own empty
// list of faults for an error.
func checkSchema(text []byte) error {
	err := new(classic).UnmarshalJSONStrict(text)
	if faults := (cog.BuildErrors)(nil); errors.As(err, &faults) && len(faults) == 0 {
		return nil
	}
	return err
}

// panelsOf are the panels of d that are no rows, those in collapsed rows too.
func panelsOf(d classic) []dashboard.Panel {
	var all []dashboard.Panel
	for _, p := range d.Panels {
		if p.Panel != nil {
			all = append(all, *p.Panel)
		}
		if p.RowPanel != nil {
			all = append(all, p.RowPanel.Panels...)
		}
	}
	return all
}

// nameOf is how findings call a panel: by its title, or its number.
func nameOf(p dashboard.Panel) string {
	if title := orEmpty(p.Title); title != "" {
		return "panel " + title
	}
	return fmt.Sprintf("panel %d", orEmpty(p.Id))
}

// queriesOf are the Prometheus queries of a panel; another data source's are
// an error.
func queriesOf(p dashboard.Panel) ([]prometheus.Dataquery, error) {
	var all []prometheus.Dataquery
	for i, target := range p.Targets {
		switch q := target.(type) {
		case prometheus.Dataquery:
			all = append(all, q)
		case *prometheus.Dataquery:
			all = append(all, *q)
		default:
			return nil, fmt.Errorf("query %d is a %T; only Prometheus is known here", i, target)
		}
	}
	return all, nil
}

// variableQuery is the text of a query variable: label_values(…).
func variableQuery(v dashboard.VariableModel) string {
	switch {
	case v.Query == nil:
		return ""
	case v.Query.String != nil:
		return *v.Query.String
	}
	text, _ := v.Query.Map["query"].(string)
	return text
}

// unitOf is the unit in which a panel shows the query refID.
func unitOf(p dashboard.Panel, refID string) string {
	if p.FieldConfig == nil {
		return ""
	}
	unit := orEmpty(p.FieldConfig.Defaults.Unit)
	for _, o := range p.FieldConfig.Overrides {
		if o.Matcher.Id != "byFrameRefID" || o.Matcher.Options != refID {
			continue
		}
		for _, property := range o.Properties {
			if own, ok := property.Value.(string); ok && property.Id == "unit" {
				unit = own
			}
		}
	}
	return unit
}

// orEmpty is *p, or the zero value where there is none.
func orEmpty[T any](p *T) T {
	if p == nil {
		return *new(T)
	}
	return *p
}

// texts calls visit for every string of v, at any depth, as in its JSON.
func texts(v any, visit func(string)) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	var tree any
	if err := json.Unmarshal(b, &tree); err != nil {
		return err
	}
	walkTexts(tree, visit)
	return nil
}

func walkTexts(tree any, visit func(string)) {
	switch node := tree.(type) {
	case string:
		visit(node)
	case []any:
		for _, v := range node {
			walkTexts(v, visit)
		}
	case map[string]any:
		for _, v := range node {
			walkTexts(v, visit)
		}
	}
}
