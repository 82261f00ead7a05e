package main

import (
	"github.com/dpu-exporter/dpu-exporter/collector"
	"github.com/dpu-exporter/dpu-exporter/metric"
)

// knownCollector is a collector that can be switched on.
type knownCollector struct {
	name      string
	byDefault bool
	open      func(n *node) collector.Collector
}

// known are all collectors, in the order of their families on /metrics.
var known = []knownCollector{
	{name: "exporter", byDefault: true, open: openExporter},
	{name: "interface", byDefault: true, open: openInterface},
	{name: "ethtool", byDefault: true, open: openEthtool},
	{name: "link", byDefault: true, open: openLink},
	{name: "module", byDefault: true, open: openModule},
	{name: "devlink", byDefault: true, open: openDevlink},
	{name: "sriov", byDefault: true, open: openSRIOV},
	{name: "rdma", byDefault: true, open: openRDMA},
	{name: "pci", byDefault: true, open: openPCI},
	{name: "address", byDefault: true, open: openAddress},
	{name: "board", byDefault: true, open: openBoard},
}

func openExporter(n *node) collector.Collector {
	return collector.NewExporter(collector.ExporterOptions{
		Health: n.inventory.Health,
		Config: n.config.Status,
	})
}

func openInterface(n *node) collector.Collector {
	return collector.NewInterface(collector.InterfaceOptions{
		Fields:         collector.Fields(n.options.interfaceFields),
		Stats:          n.stats,
		Refresh:        n.refresh,
		StatsError:     n.statsError,
		LinkModes:      n.linkModes,
		LinkModesError: n.linkModesError,
	})
}

// describe makes the collector without a node: for its words and rows only.
func (k knownCollector) describe() collector.Collector {
	return k.open(&node{options: &options{}})
}

// table is the table of all metrics, whether their collectors are on or not.
func table() metric.Table {
	t := metric.Table{collector.HealthGroup()}
	for _, k := range known {
		c := k.describe()
		t = append(t, metric.Group{Name: c.Name(), Help: c.Help(), Rows: c.Rows()})
	}
	return append(t, metric.NewRuntime().Group())
}
