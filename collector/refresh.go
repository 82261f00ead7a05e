package collector

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dpu-exporter/dpu-exporter/internal/outcome"
	"github.com/dpu-exporter/dpu-exporter/internal/rtnl"
	"github.com/dpu-exporter/dpu-exporter/inventory"
)

// refreshEvery bounds the age of counters that a driver answers from its
// previous read.
const refreshEvery = 5 * time.Second

// refresh makes drivers renew the counters they will answer the next scrape
// with. The values are not used.
func (c *Interface) refresh(ctx context.Context, inv *inventory.Snapshot) error {
	stale := indexes(nil, inv, answersFromPreviousRead)
	if c.opts.StatsError != nil || len(stale) == 0 {
		return errNothingToRead
	}
	var errs []error
	err := c.opts.Refresh.StatsOf(ctx, stale, func(*rtnl.Stats) {}, func(index int, err error) {
		if outcome.Of(err) != outcome.Vanished {
			errs = append(errs, fmt.Errorf("%s: %w", nameOf(inv, index), err))
		}
	})
	return errors.Join(append(errs, err)...)
}

// answersFromPreviousRead: mlx5 queues the reading of its hardware counters and
// answers with those it has (mlx5e_get_stats and mlx5e_rep_get_stats,
// drivers/net/ethernet/mellanox/mlx5/core/en_main.c and en_rep.c). On
// representors and uplinks that is all of them, on PFs, VFs and SFs the errors
// and drops.
func answersFromPreviousRead(d *inventory.Device) bool {
	return (d.Driver == "mlx5_core" || d.Driver == "mlx5_core.sf") && d.Kind == ""
}
