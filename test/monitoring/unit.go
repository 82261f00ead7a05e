package monitoring

import (
	"maps"
	"slices"
	"strings"
)

// grafanaUnits are the units of Grafana
// (packages/grafana-data/src/valueFormats/categories.ts) by the measure they fit.
var grafanaUnits = map[string][]string{
	"bytes":                      {"bytes", "decbytes"},
	"8 × bytes":                  {"bits", "decbits"},
	"bytes per seconds":          {"Bps", "binBps"},
	"8 × bytes per seconds":      {"bps", "binbps"},
	"packets per seconds":        {"pps"},
	"seconds":                    {"s", "dtdurations"},
	"1000 × seconds":             {"ms", "dtdurationms"},
	"1000 × a moment in seconds": {"dateTimeAsIso", "dateTimeAsIsoNoDateIfToday", "dateTimeFromNow"},
	"ratio":                      {"percentunit"},
	"100 × ratio":                {"percent"},
	"a plain number":             {"none", "short", "bool", "bool_yes_no", "bool_on_off"},
	"a plain number per seconds": {"cps", "eps", "ops"},
	"celsius":                    {"celsius"},
	"watts":                      {"watt"},
	"volts":                      {"volt"},
	"amperes":                    {"amp"},
}

// things fit everything that is counted (packets, devices), and thingsPerSecond
// its rate.
var (
	things          = []string{"none", "short"}
	thingsPerSecond = []string{"cps", "eps", "ops"}
)

// unitsFor are the units in which Grafana may show m; none are known where it
// is nothing that a reader could read.
func unitsFor(m measure) []string {
	if units, ok := grafanaUnits[m.String()]; ok {
		return units
	}
	if m.scale != 1 || m.moment {
		return nil
	}
	var counted []string
	for _, unit := range slices.Sorted(maps.Keys(m.powers)) {
		if !slices.Contains([]string{"bytes", "seconds"}, unit) {
			counted = append(counted, unit)
		}
	}
	switch {
	case len(counted) != 1 || m.powers[counted[0]] != 1:
		return nil
	case len(m.powers) == 1:
		return things
	case len(m.powers) == 2 && m.powers["seconds"] == -1:
		return thingsPerSecond
	}
	return nil
}

// checkUnit finds a unit that is not that of the numbers it stands beside.
func (c *check) checkUnit(where, unit string, m measure) {
	if m.number {
		return
	}
	units := unitsFor(m)
	switch {
	case unit == "":
		c.find(where, "has no unit; the query gives %s", m)
	case m.moment && m.scale == 1:
		c.find(where, "the query gives %s; Grafana's dates are in milliseconds: * 1000", m)
	case len(units) == 0:
		c.find(where, "the query gives %s, for which no unit is known", m)
	case !slices.Contains(units, unit):
		c.find(where, "has the unit %s, but the query gives %s: %s", unit, m, strings.Join(units, " or "))
	}
}
