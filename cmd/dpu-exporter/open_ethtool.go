package main

import (
	"github.com/alecthomas/kingpin/v2"

	"github.com/dpu-exporter/dpu-exporter/collector"
	"github.com/dpu-exporter/dpu-exporter/internal/ethtool"
)

func ethtoolFlags(app *kingpin.Application, o *options) {
	app.Flag("ethtool.per-queue", "Export what drivers count by queue also by queue (dpu_interface_queue_*): thousands of series on a NIC with many.").
		BoolVar(&o.perQueue)
	app.Flag("ethtool.raw-include", "Regexp of driver statistics to export as dpu_ethtool_stat, of those that no other row has. It must match the whole of the driver's string; may be repeated.").
		PlaceHolder("REGEXP").StringsVar(&o.rawInclude)
}

func openEthtool(n *node) collector.Collector {
	statistics, err := opened(n, ethtool.OpenStatistics)
	standard, standardErr := opened(n, ethtool.Dial)
	n.ethtool = collector.NewEthtool(collector.EthtoolOptions{
		Statistics:      statistics,
		StatisticsError: err,
		Standard:        standard,
		StandardError:   standardErr,
		PerQueue:        n.options.perQueue,
		Raw:             n.options.raw,
		AllOfOthers:     n.options.interfaceFields == string(collector.AllFields),
	})
	return n.ethtool
}

func openLink(n *node) collector.Collector {
	settings, err := opened(n, ethtool.Dial)
	return collector.NewLink(collector.LinkOptions{
		Settings:      settings,
		SettingsError: err,
		AllOfOthers:   n.options.interfaceFields == string(collector.AllFields),
	})
}

// openModule opens a connection of its own: a module that hangs holds up none
// of the others.
func openModule(n *node) collector.Collector {
	modules, err := opened(n, ethtool.Dial)
	return collector.NewModule(collector.ModuleOptions{Modules: modules, ModulesError: err})
}
