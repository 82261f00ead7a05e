package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/prometheus/common/promslog"

	"github.com/dpu-exporter/dpu-exporter/collector"
)

// metrics prints one collection, or the table of all metrics.
func metrics(ctx context.Context, o *options, stdout, stderr io.Writer) error {
	if o.describeAsked {
		return table().Describe(stdout, o.describe)
	}
	o.log.Writer = stderr
	if !o.logLevelAsked {
		_ = o.log.Level.Set("warn") // what a timer mails should mean something
	}
	n, err := openNode(ctx, o, promslog.New(&o.log))
	if err != nil {
		return err
	}
	defer n.Close()
	if len(n.runner.Names()) == 0 {
		return errors.New("no collector is switched on")
	}
	n.runner.SampleOnce(ctx)
	sets := n.runner.Gather(ctx, n.runner.Names())
	if err := allFailed(n.runner.Latest()); err != nil {
		return err
	}
	var text []byte
	for _, set := range sets {
		text = set.AppendText(text)
	}
	_, err = stdout.Write(text)
	return err
}

// allFailed is the failure of every collector that reads the machine, and nil
// when one of them worked or there is none.
func allFailed(reports []collector.Report) error {
	var errs []error
	for _, r := range reports {
		switch {
		case r.Err != nil:
			errs = append(errs, fmt.Errorf("collector %s: %w", r.Collector, r.Err))
		case r.Collector != "exporter": // which reads only this program
			return nil
		}
	}
	return errors.Join(errs...)
}
