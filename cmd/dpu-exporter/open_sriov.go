package main

import (
	"cmp"

	"github.com/dpu-exporter/dpu-exporter/collector"
	"github.com/dpu-exporter/dpu-exporter/internal/rtnl"
	"github.com/dpu-exporter/dpu-exporter/internal/sysfs"
)

func openSRIOV(n *node) collector.Collector {
	config, err := opened(n, rtnl.Dial)
	stats, statsErr := opened(n, rtnl.Dial)
	o := collector.SRIOVOptions{Config: config, Stats: stats, VFsError: cmp.Or(err, statsErr), Counts: sysfs.FS(n.options.sysfs),
		All: n.options.interfaceFields == string(collector.AllFields)}
	if n.ethtool != nil {
		o.Drops = n.ethtool
	}
	return collector.NewSRIOV(o)
}
