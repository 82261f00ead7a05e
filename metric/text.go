package metric

import "strconv"

// maxPlain is the largest integer up to which every integer is exact in a
// float64, and up to which values are written as plain digits.
const maxPlain = 1 << 53

// AppendText appends the last committed round in the Prometheus text format
// 0.0.4, rows in order; a row without samples leaves no trace.
func (s *Set) AppendText(b []byte) []byte {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for i := range s.front.families {
		f := &s.front.families[i]
		if f.n == 0 {
			continue
		}
		b = append(b, f.head...)
		for j := range f.samples[:f.n] {
			p := &f.samples[j]
			if p.duplicate {
				continue
			}
			b = append(b, p.prefix...)
			b = appendValue(b, p.value)
			b = append(b, '\n')
		}
	}
	return b
}

// textHead renders the HELP and TYPE lines of a row.
func textHead(r *Row) string {
	b := append([]byte("# HELP "), r.Name...)
	b = append(b, ' ')
	b = appendEscaped(b, cleanLabel(r.Help), false)
	b = append(b, "\n# TYPE "...)
	b = append(b, r.Name...)
	b = append(b, ' ')
	b = append(b, r.Kind.String()...)
	return string(append(b, '\n'))
}

// appendValue writes integers as digits and everything else in the shortest
// form that reads back to the same float64; infinities as +Inf and -Inf.
func appendValue(b []byte, v float64) []byte {
	if v >= -maxPlain && v <= maxPlain {
		if n := int64(v); float64(n) == v {
			return strconv.AppendInt(b, n, 10)
		}
	}
	return strconv.AppendFloat(b, v, 'g', -1, 64)
}
