package collector

import (
	"github.com/dpu-exporter/dpu-exporter/internal/module"
	"github.com/dpu-exporter/dpu-exporter/metric"
)

const moduleSource = "module memory (ETHTOOL_MSG_MODULE_EEPROM_GET): SFF-8472, SFF-8636 or CMIS"

var (
	moduleInfoRow = &metric.Row{
		Name: "dpu_module_info", Kind: metric.Gauge, Proof: metric.Live,
		Labels: []string{"device", "type", "vendor", "part_number", "revision", "serial_number"},
		Help:   "The pluggable module of a port, as its vendor wrote it there", Source: moduleSource,
	}
	moduleAlarmRow = &metric.Row{
		Name: "dpu_module_alarm", Kind: metric.Gauge, Labels: []string{"device", "quantity", "level"}, Proof: metric.Live,
		Help:   "1 if the module saw the quantity pass that limit, on any lane, since its memory was read before, else 0; reading clears it, whoever reads",
		Source: moduleSource,
	}
)

// monitorRows are the rows of each quantity.
var monitorRows = [module.Quantities]struct{ value, limit *metric.Row }{
	module.Temperature:   monitorRow("temperature", "celsius", "Temperature of the module", "device"),
	module.Voltage:       monitorRow("voltage", "volts", "Supply voltage of the module", "device"),
	module.ReceivePower:  monitorRow("receive_power", "watts", "Optical power received", "device", "lane"),
	module.TransmitPower: monitorRow("transmit_power", "watts", "Optical power sent", "device", "lane"),
	module.Bias:          monitorRow("laser_bias", "amperes", "Bias current of the laser", "device", "lane"),
}

func monitorRow(name, unit, help string, labels ...string) struct{ value, limit *metric.Row } {
	return struct{ value, limit *metric.Row }{
		&metric.Row{
			Name: "dpu_module_" + name + "_" + unit, Kind: metric.Gauge, Unit: unit, Labels: labels, Proof: metric.Live,
			Help: help + "; absent where the module has no sensor", Source: moduleSource,
		},
		&metric.Row{
			Name: "dpu_module_" + name + "_limit_" + unit, Kind: metric.Gauge, Unit: unit, Labels: []string{"device", "level"}, Proof: metric.Live,
			Help: help + ": the limits that its vendor set", Source: moduleSource,
		},
	}
}

var moduleRows = allModuleRows()

func allModuleRows() []*metric.Row {
	rows := []*metric.Row{moduleInfoRow}
	for _, m := range monitorRows {
		rows = append(rows, m.value, m.limit)
	}
	return append(rows, moduleAlarmRow)
}
