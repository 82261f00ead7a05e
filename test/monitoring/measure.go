package monitoring

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A measure is what the numbers of a result stand for.
type measure struct {
	powers map[string]int // exponents of the base units: bytes 1, seconds -1
	scale  float64        // 8: the numbers are bits where the base unit is bytes
	ratio  bool           // a quotient of two of a kind
	moment bool           // seconds since the Unix epoch, not a length of time
	number bool           // a number of the query itself, which fits any unit
}

// String names the base units: "8 × bytes per seconds".
func (m measure) String() string {
	var over, under []string
	for _, unit := range slices.Sorted(maps.Keys(m.powers)) {
		for p := m.powers[unit]; p > 0; p-- {
			over = append(over, unit)
		}
		for p := m.powers[unit]; p < 0; p++ {
			under = append(under, unit)
		}
	}
	name := strings.Join(over, " × ")
	switch {
	case m.moment:
		name = "a moment in " + name
	case m.ratio:
		name = "ratio"
	case name == "":
		name = "a plain number"
	}
	if len(under) > 0 {
		name += " per " + strings.Join(under, " per ")
	}
	if m.scale != 1 {
		name = fmt.Sprintf("%g × %s", m.scale, name)
	}
	return name
}

// measureOfUnit reads the unit of a row of the table: bytes_per_second.
func measureOfUnit(unit string) measure {
	m := measure{powers: map[string]int{}, scale: 1}
	if unit == "ratio" {
		m.ratio = true
		return m
	}
	for i, part := range strings.Split(unit, "_per_") {
		switch {
		case part == "":
		case i == 0:
			m.powers[part]++
		default:
			m.powers[strings.TrimSuffix(part, "s")+"s"]--
		}
	}
	return m
}

// plain is a number that counts or states something.
func plain() measure { return measureOfUnit("") }

// times is the product of two measures, with sign -1 the quotient.
func (m measure) times(o measure, sign int) measure {
	product := measure{powers: maps.Clone(m.powers), scale: m.scale * o.scale, number: m.number && o.number}
	if sign < 0 {
		product.scale = m.scale / o.scale
	}
	for unit, p := range o.powers {
		if product.powers[unit] += sign * p; product.powers[unit] == 0 {
			delete(product.powers, unit)
		}
	}
	none := len(product.powers) == 0
	product.ratio = none && (m.ratio || o.ratio || sign < 0 && !m.number && !o.number)
	return product
}

// like says whether two measures may be added or compared.
func (m measure) like(o measure) bool {
	return m.number || o.number || maps.Equal(m.powers, o.powers) && m.moment == o.moment && m.scale == o.scale
}
