package metric

import (
	"cmp"
	"slices"

	dto "github.com/prometheus/client_model/go"
)

// Families returns a copy of the last committed round as protobuf families
// (io.prometheus.client.MetricFamily): those with samples, rows in order,
// samples in the order added, label pairs sorted by name.
func (s *Set) Families() []*dto.MetricFamily {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var families []*dto.MetricFamily
	for i := range s.front.families {
		if f := &s.front.families[i]; f.n > 0 {
			families = append(families, f.protobuf())
		}
	}
	return families
}

// protobuf copies a family. All samples share a few large allocations.
func (f *Family) protobuf() *dto.MetricFamily {
	r := *f.row
	k, n := len(r.Labels), f.n-f.duplicates
	var (
		names   = slices.Clone(r.Labels)
		order   = byName(names)
		metrics = make([]dto.Metric, n)
		points  = make([]*dto.Metric, n)
		pairs   = make([]dto.LabelPair, n*k)
		labels  = make([]*dto.LabelPair, n*k)
		texts   = make([]string, n*k)
		values  = make([]float64, n)
	)
	at := 0
	for i := range f.samples[:f.n] {
		if f.samples[i].duplicate {
			continue
		}
		given := f.sampleLabels(i)
		for j, place := range order {
			l := at*k + j
			texts[l] = cleanLabel(given[place])
			pairs[l].Name, pairs[l].Value = &names[place], &texts[l]
			labels[l] = &pairs[l]
		}
		values[at] = f.samples[i].value
		metrics[at].Label = labels[at*k : (at+1)*k : (at+1)*k]
		setValue(&metrics[at], r.Kind, &values[at])
		points[at] = &metrics[at]
		at++
	}
	return &dto.MetricFamily{Name: &r.Name, Help: &r.Help, Type: protobufType(r.Kind), Metric: points}
}

// byName returns the places of names in sorted order.
func byName(names []string) []int {
	order := make([]int, len(names))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(names[a], names[b]) })
	return order
}

func setValue(m *dto.Metric, k Kind, v *float64) {
	if k == Counter {
		m.Counter = &dto.Counter{Value: v}
	} else {
		m.Gauge = &dto.Gauge{Value: v}
	}
}

func protobufType(k Kind) *dto.MetricType {
	switch k {
	case Counter:
		return dto.MetricType_COUNTER.Enum()
	case Summary:
		return dto.MetricType_SUMMARY.Enum()
	}
	return dto.MetricType_GAUGE.Enum()
}
