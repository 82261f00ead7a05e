package monitoring

import (
	"fmt"
	"os"

	"github.com/prometheus/prometheus/promql/parser"
	"go.yaml.in/yaml/v3"
)

// A rule is a recording or an alert rule.
type rule struct {
	Record      string            `yaml:"record"` // or Alert: one of them is its name
	Alert       string            `yaml:"alert"`
	Expr        string            `yaml:"expr"`
	Labels      map[string]string `yaml:"labels"`
	Annotations map[string]string `yaml:"annotations"`
}

// rulesOf reads the rules of all groups of a file.
func rulesOf(path string) (rules []rule, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var file struct {
		Groups []struct {
			Rules []rule `yaml:"rules"`
		} `yaml:"groups"`
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, g := range file.Groups {
		rules = append(rules, g.Rules...)
	}
	return rules, nil
}

// recordedIn are the series that the rules of files make, by name.
func recordedIn(files []string) (map[string]parser.Expr, error) {
	all := map[string]parser.Expr{}
	for _, file := range files {
		rules, err := rulesOf(file)
		if err != nil {
			return nil, err
		}
		for _, r := range rules {
			if r.Record == "" {
				continue
			}
			if all[r.Record], err = parser.ParseExpr(r.Expr); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", file, r.Record, err)
			}
		}
	}
	return all, nil
}

// checkRules finds what is wrong in the expressions of rules.
func (c *check) checkRules(rules []rule) {
	for _, r := range rules {
		where := "rule " + r.Record + r.Alert
		if query := c.parse(where, r.Expr); query != nil {
			c.checkQuery(where, query)
			c.measureOf(where, query)
		}
	}
}
