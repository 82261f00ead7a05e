package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/common/promslog"
	toolkit "github.com/prometheus/exporter-toolkit/web"

	"github.com/dpu-exporter/dpu-exporter/inventory"
	"github.com/dpu-exporter/dpu-exporter/metric"
	"github.com/dpu-exporter/dpu-exporter/web"
)

// options are the flags of all commands.
type options struct {
	configFiles      []string
	collectors       map[string]*collectorFlag
	disableDefaults  bool
	collectorTimeout time.Duration
	include, exclude []string
	filter           *inventory.Filter // of both
	interfaceFields  string
	perQueue         bool
	allVNICs         bool
	mlxconfig        string
	rawInclude       []string
	raw              *regexp.Regexp // of rawInclude
	sysfs, procfs    string
	log              promslog.Config
	logLevelAsked    bool // the user said --log.level

	web           *toolkit.FlagConfig
	telemetryPath string
	maxRequests   int
	lifecycle     bool
	noRuntime     bool

	describe      string
	describeAsked bool // the user said --describe
}

// collectorFlag is --collector.NAME.
type collectorFlag struct {
	on, asked bool // asked: the user said it
}

// enabled says whether the collector that is on by default runs.
func (o *options) enabled(name string, byDefault bool) bool {
	f := o.collectors[name]
	if f.asked {
		return f.on
	}
	return byDefault && !o.disableDefaults
}

// validate names all flags whose values can never work.
func (o *options) validate() error {
	var errs []error
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	var err error
	if o.filter, err = inventory.NewFilter(o.include, o.exclude); err != nil {
		errs = append(errs, err)
	}
	if o.raw, err = patterns("ethtool.raw-include", o.rawInclude); err != nil {
		errs = append(errs, err)
	}
	if o.collectorTimeout <= 0 {
		fault("--collector.timeout=%s: must be above 0", o.collectorTimeout)
	}
	if fields := []string{"auto", "main", "all"}; !slices.Contains(fields, o.interfaceFields) {
		fault("--interface.fields=%s: must be one of %s", o.interfaceFields, strings.Join(fields, ", "))
	}
	if o.describeAsked && !slices.Contains(metric.Formats, o.describe) {
		fault("--describe=%s: must be one of %s", o.describe, strings.Join(metric.Formats, ", "))
	}
	if slices.Contains(o.configFiles, "") {
		fault("--config.file: a name is empty")
	}
	if info, err := os.Stat(o.mlxconfig); o.mlxconfig != "" && (err != nil || info.Mode()&0o111 == 0 || info.IsDir()) {
		fault("--pci.mlxconfig=%s: no program", o.mlxconfig)
	}
	if isNoDirectory(o.sysfs, "/sys") {
		fault("--path.sysfs=%s: not a directory", o.sysfs)
	}
	if isNoDirectory(o.procfs, "/proc") {
		fault("--path.procfs=%s: not a directory", o.procfs)
	}
	return errors.Join(append(errs, o.validateWeb())...)
}

func (o *options) validateWeb() error {
	var errs []error
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if o.maxRequests < 0 {
		fault("--web.max-requests=%d: must not be negative; 0 is no limit", o.maxRequests)
	}
	if err := web.CheckTelemetryPath(o.telemetryPath); err != nil {
		fault("--web.telemetry-path: %w", err)
	}
	for i, address := range *o.web.WebListenAddresses {
		if err := web.CheckAddress(address); err != nil {
			fault("--web.listen-address=%s: %w", address, err)
		}
		if slices.Contains((*o.web.WebListenAddresses)[:i], address) {
			fault("--web.listen-address=%s: given twice", address)
		}
	}
	return errors.Join(errs...)
}

// isNoDirectory says whether a path that was asked for is no directory. The
// usual one may be missing: what it hides is a finding, not a fault of a flag.
func isNoDirectory(path, usual string) bool {
	info, err := os.Stat(path)
	return path != usual && (err != nil || !info.IsDir())
}
