package main

import (
	"context"
	"runtime"

	"github.com/alecthomas/kingpin/v2"

	"github.com/dpu-exporter/dpu-exporter/collector"
	"github.com/dpu-exporter/dpu-exporter/internal/devlink"
	"github.com/dpu-exporter/dpu-exporter/internal/host"
	"github.com/dpu-exporter/dpu-exporter/internal/mlxconfig"
	"github.com/dpu-exporter/dpu-exporter/internal/rtnl"
	"github.com/dpu-exporter/dpu-exporter/internal/sysfs"
)

func boardFlags(app *kingpin.Application, o *options) {
	app.Flag("pci.mlxconfig", "Path of mlxconfig, of NVIDIA's firmware tools: asked once at the start for the mode of each BlueField. It needs root. Without it the mode is inferred from devlink and sysfs.").
		PlaceHolder("PATH").StringVar(&o.mlxconfig)
}

func openBoard(n *node) collector.Collector {
	eswitch, err := opened(n, devlink.Dial)
	o := collector.BoardOptions{
		CPU:          func() (host.CPU, error) { return host.ReadCPU(n.options.procfs) },
		Architecture: runtime.GOARCH,
		Functions:    sysfs.FS(n.options.sysfs),
		Eswitch:      eswitch, EswitchError: err,
	}
	if path := n.options.mlxconfig; path != "" {
		o.Mlxconfig = func(ctx context.Context, address string) (map[string]string, error) {
			return mlxconfig.Query(ctx, path, address, "INTERNAL_CPU_MODEL", "INTERNAL_CPU_OFFLOAD_ENGINE")
		}
	}
	return collector.NewBoard(o)
}

func openPCI(n *node) collector.Collector { return collector.NewPCI(sysfs.FS(n.options.sysfs)) }

func openAddress(n *node) collector.Collector {
	addresses, err := opened(n, rtnl.Dial)
	return collector.NewAddress(collector.AddressOptions{Addresses: addresses, AddressesError: err})
}
