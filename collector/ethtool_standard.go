package collector

import (
	"context"

	"github.com/dpu-exporter/dpu-exporter/inventory"
)

const sourceStandard = "standard_statistics"

// StandardReader reads ethtool's standard statistics.
type StandardReader interface{}

type standardReading struct{}

func (standardReading) has(int) bool { return false }

func (c *Ethtool) sampleStandard(context.Context, *inventory.Snapshot) error { return errNothingToRead }

func (c *Ethtool) emitStandard(*ethtoolReading, *Emit) {}
