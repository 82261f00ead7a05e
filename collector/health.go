package collector

import (
	"github.com/dpu-exporter/dpu-exporter/internal/outcome"
	"github.com/dpu-exporter/dpu-exporter/metric"
)

// result is what one Gather got of one collector.
type result struct {
	job *job
	run *run
	err error
}

// healthSet is the health of the collectors of one Gather.
func healthSet(results []*result) *metric.Set {
	set := metric.NewSet(HealthGroup().Rows)
	e := set.Begin()
	for _, r := range results {
		r.emit(e)
	}
	set.Commit(e)
	return set
}

func (r *result) emit(e *metric.Emitter) {
	name := r.job.collector.Name()
	e.Add(successRow, oneIf(r.err == nil), name)
	e.Add(durationRow, r.run.took.Seconds(), name)
	e.Add(errorsRow, float64(r.job.errors.Load()), name)
	for _, t := range r.run.tallies {
		for o, n := range t.counts {
			if n > 0 {
				e.Add(devicesRow, float64(n), name, t.source, outcome.Outcome(o).String())
			}
		}
	}
	for _, s := range r.job.samples {
		if at, ok := s.lastSuccess(); ok {
			e.Add(lastSampleRow, at, name, s.Source)
		}
	}
	d := r.job.set.Dropped()
	e.Add(droppedRow, float64(d.Duplicate), name, "duplicate")
	e.Add(droppedRow, float64(d.NotANumber), name, "not_a_number")
	e.Add(droppedRow, float64(d.Malformed), name, "malformed")
}

func (r *result) report() Report {
	report := Report{Collector: r.job.collector.Name(), Help: r.job.collector.Help(), Began: r.run.started, Took: r.run.took, Err: r.err}
	for _, t := range r.run.tallies {
		report.Devices = append(report.Devices, t.reports()...)
	}
	return report
}

func (t tally) reports() (reports []DeviceReport) {
	for o, n := range t.counts {
		if n == 0 {
			continue
		}
		reports = append(reports, DeviceReport{Source: t.source, Outcome: outcome.Outcome(o), Count: n, Err: t.errs[o]})
	}
	return reports
}
