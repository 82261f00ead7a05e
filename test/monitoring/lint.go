package monitoring

import (
	"fmt"
	"path/filepath"

	"github.com/prometheus/prometheus/promql/parser"
)

// lint returns what is wrong in a dashboard (.json) or a file of rules (.yml).
func lint(path string, known metrics, recorded map[string]parser.Expr) ([]string, error) {
	c := &check{metrics: known, recorded: recorded}
	switch extension := filepath.Ext(path); extension {
	case ".json":
		d, err := loadDashboard(path)
		if err != nil {
			return nil, err
		}
		c.checkDashboard(d)
	case ".yml":
		rules, err := rulesOf(path)
		if err != nil {
			return nil, err
		}
		c.checkRules(rules)
	default:
		return nil, fmt.Errorf("%s: neither a dashboard nor a file of rules", path)
	}
	return c.findings, nil
}
