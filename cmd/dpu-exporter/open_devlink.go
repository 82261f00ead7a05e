package main

import (
	"cmp"

	"github.com/alecthomas/kingpin/v2"

	"github.com/dpu-exporter/dpu-exporter/collector"
	"github.com/dpu-exporter/dpu-exporter/internal/devlink"
)

func devlinkFlags(app *kingpin.Application, o *options) {
	app.Flag("devlink.vnic-of-representors", "Export the counters of the vnic health reporter also of each VF's and subfunction's representor (dpu_vport_vnic_*): thirteen series each, and a question to the firmware.").
		BoolVar(&o.allVNICs)
}

// openDevlink opens two connections: a diagnosis that waits for the firmware
// holds up no other reading.
func openDevlink(n *node) collector.Collector {
	devices, err := opened(n, devlink.Dial)
	diagnoses, diagnosesErr := opened(n, devlink.Dial)
	return collector.NewDevlink(collector.DevlinkOptions{
		Devices: devices, Diagnoses: diagnoses, Error: cmp.Or(err, diagnosesErr), AllVNICs: n.options.allVNICs,
	})
}
