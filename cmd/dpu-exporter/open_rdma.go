package main

import (
	"github.com/dpu-exporter/dpu-exporter/collector"
	"github.com/dpu-exporter/dpu-exporter/internal/nldev"
	"github.com/dpu-exporter/dpu-exporter/internal/sysfs"
)

func openRDMA(n *node) collector.Collector {
	netlink, err := opened(n, nldev.Dial)
	return collector.NewRDMA(collector.RDMAOptions{Files: sysfs.FS(n.options.sysfs), Netlink: netlink, NetlinkError: err})
}
