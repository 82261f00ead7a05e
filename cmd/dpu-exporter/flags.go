package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kingpin/v2"
	promslogflag "github.com/prometheus/common/promslog/flag"
	"github.com/prometheus/common/version"
	"github.com/prometheus/exporter-toolkit/web/kingpinflag"

	"github.com/dpu-exporter/dpu-exporter/metric"
)

// parse returns the options and the command to run; the command is empty when
// --help or --version said all there is to say.
func parse(args []string, stdout io.Writer) (*options, string, error) {
	o := &options{collectors: map[string]*collectorFlag{}}
	app := kingpin.New("dpu-exporter", appHelp)
	answered := false
	app.UsageWriter(stdout).ErrorWriter(stdout).Terminate(func(int) { answered = true })
	app.HelpFlag.Short('h')
	app.Version(version.Print("dpu-exporter"))

	collectorFlags(app, o)
	webFlags(app, o)
	promslogflag.AddFlags(app, &o.log)
	app.GetFlag(promslogflag.LevelFlagName).IsSetByUser(&o.logLevelAsked)
	app.Command("serve", serveHelp).Default()
	metricsFlags(app.Command("metrics", metricsHelp), o)
	app.Command("check", checkHelp)

	command, err := app.Parse(args)
	if answered {
		return o, "", nil
	}
	if err == nil {
		err = o.validate()
	}
	return o, command, err
}

func collectorFlags(app *kingpin.Application, o *options) {
	app.Flag("config.file", "Configuration file; may be repeated. An empty file is valid; this version knows no sections yet. Collectors are set by flags, not here.").
		PlaceHolder("FILE").StringsVar(&o.configFiles)
	for _, k := range known {
		f := &collectorFlag{}
		o.collectors[k.name] = f
		app.Flag("collector."+k.name, fmt.Sprintf("%s Default: %s.", k.describe().Help(), onOff(k.byDefault))).
			IsSetByUser(&f.asked).BoolVar(&f.on)
	}
	app.Flag("collector.disable-defaults", "Switch off all collectors but those asked for by --collector.NAME.").
		BoolVar(&o.disableDefaults)
	app.Flag("collector.timeout", "Time after which a collector is late and left out of a scrape.").
		Default("5s").DurationVar(&o.collectorTimeout)
	app.Flag("device.include", "Regexp of the devices to read. It must match the whole of a netdev's name or altname, an RDMA device's name, or a PCI address; may be repeated.").
		PlaceHolder("REGEXP").StringsVar(&o.include)
	app.Flag("device.exclude", "Regexp of devices that are never read; wins over --device.include; may be repeated.").
		PlaceHolder("REGEXP").StringsVar(&o.exclude)
	app.Flag("interface.fields", "Counters of an interface: main is the eight of packets, bytes, errors and drops; all is every field the kernel has; auto is all for uplinks and PFs, main for the rest.").
		Default("auto").PlaceHolder("auto|main|all").StringVar(&o.interfaceFields)
	ethtoolFlags(app, o)
	devlinkFlags(app, o)
	boardFlags(app, o)
	app.Flag("path.sysfs", "Where sysfs is mounted.").Default("/sys").StringVar(&o.sysfs)
	app.Flag("path.procfs", "Where procfs is mounted.").Default("/proc").StringVar(&o.procfs)
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// webFlags are those of serve; the other commands take them too, so that check
// can be given the command line of a unit as it is.
func webFlags(app *kingpin.Application, o *options) {
	o.web = kingpinflag.AddFlags(app, ":10042")
	app.Flag("web.telemetry-path", "Path of the metrics.").Default("/metrics").StringVar(&o.telemetryPath)
	app.Flag("web.disable-exporter-metrics", "Leave out the metrics about this process (go_* and process_*).").
		BoolVar(&o.noRuntime)
	app.Flag("web.max-requests", "Scrapes that may be collected at a time; more get 503. 0 is no limit.").
		Default("40").IntVar(&o.maxRequests)
	app.Flag("web.enable-lifecycle", "Allow POST /-/reload.").BoolVar(&o.lifecycle)
}

func metricsFlags(cmd *kingpin.CmdClause, o *options) {
	cmd.Flag("describe", "Print the table of all metrics as "+strings.Join(metric.Formats, ", ")+" instead of collecting.").
		PlaceHolder("FORMAT").IsSetByUser(&o.describeAsked).StringVar(&o.describe)
}
