// Package driver says what the drivers' own statistics mean: which string of
// `ethtool -S` is which row of the table of metrics. One file a family of
// drivers, as data.
package driver

import (
	"strings"

	"github.com/dpu-exporter/dpu-exporter/metric"
)

// Quantity is something that drivers count, whatever they call it. Strings of
// several queues are summed into Row; Queue has them apart.
type Quantity struct {
	Row   *metric.Row // labels: device, and at most one more
	Queue *metric.Row // labels: device, queue; nil where no driver counts it by queue

	// Standard is what ethtool netlink calls it, its group first: "eth-mac
	// FramesReceivedOK"; "" where only drivers' own statistics have it.
	Standard string
}

// extra is the name of the row's second label, "" without one.
func (q *Quantity) extra() string {
	if len(q.Row.Labels) < 2 {
		return ""
	}
	return q.Row.Labels[1]
}

const fromDriver = "driver statistics (ETHTOOL_GSTATS); collector/driver has each driver's string"

// counter is a quantity of a layer; label is the second one, or "".
func counter(proof metric.Proof, name, unit, help, label string) *Quantity {
	return &Quantity{Row: row(proof, metric.Counter, "dpu_"+name+"_total", unit, help, fromDriver, label)}
}

// standard is a counter that ethtool's standard statistics have too; attribute
// is the kernel's name of it there, and it is taken from there where a driver
// gives it.
func standard(proof metric.Proof, name, unit, help, attribute string) *Quantity {
	return labelled(proof, name, unit, help, attribute, "")
}

// labelled is standard with a second label.
func labelled(proof metric.Proof, name, unit, help, attribute, label string) *Quantity {
	return &Quantity{Standard: attribute, Row: row(proof, metric.Counter, "dpu_"+name+"_total", unit, help,
		attribute+" (ethtool netlink), else a driver statistic, by the tables of collector/driver", label)}
}

// queued is what the driver counts in its rings: it has a row for the device,
// dpu_interface_driver_*, and one for each queue, dpu_interface_queue_*.
func queued(proof metric.Proof, name, unit, help string) *Quantity {
	return &Quantity{
		Row: row(proof, metric.Counter, "dpu_interface_driver_"+name+"_total", unit, help+", all queues", fromDriver, ""),
		Queue: row(proof, metric.Counter, "dpu_interface_queue_"+name+"_total", unit,
			help+", of one queue; only with --ethtool.per-queue", fromDriver, "queue"),
	}
}

func row(proof metric.Proof, kind metric.Kind, name, unit, help, source, label string) *metric.Row {
	labels := []string{"device"}
	if label != "" {
		labels = append(labels, label)
	}
	return &metric.Row{Name: name, Kind: kind, Unit: unit, Labels: labels, Help: help, Source: source, Proof: proof}
}

// Quantities are all quantities, in the order in which they are exposed.
func Quantities() []*Quantity {
	var all []*Quantity
	for _, group := range [][]*Quantity{ringQuantities, vportQuantities, portQuantities, priorityQuantities, healthQuantities, vfQuantities} {
		all = append(all, group...)
	}
	return all
}

// Rows are the rows of all quantities but those of VFs, which the collector of
// virtual functions exports.
func Rows() []*metric.Row {
	var rows []*metric.Row
	for _, q := range Quantities() {
		if !isOf("vf", q.Row) {
			rows = append(rows, q.Row)
		}
	}
	for _, q := range Quantities() {
		if q.Queue != nil {
			rows = append(rows, q.Queue)
		}
	}
	return rows
}

// Standard are the rows of ethtool's standard statistics by their names.
func Standard() map[string]*metric.Row {
	rows := map[string]*metric.Row{}
	for _, q := range Quantities() {
		if q.Standard != "" {
			rows[q.Standard] = q.Row
		}
	}
	return rows
}

// isOf says whether the row is of a layer.
func isOf(layer string, r *metric.Row) bool { return strings.HasPrefix(r.Name, "dpu_"+layer+"_") }

// OfPort says whether a row is of the physical port and what it is plugged
// into, which all functions on it share.
func OfPort(r *metric.Row) bool {
	return isOf("port", r) || isOf("pci", r) || isOf("module", r)
}

// OnlyOfRepresentors says whether a row has what no other source tells of a
// representor and what is worth a series of each: its RDMA traffic and its lack
// of buffers.
func OnlyOfRepresentors(r *metric.Row) bool {
	switch r {
	case vportRDMAReceiveUnicastBytes.Row, vportRDMASendUnicastBytes.Row, vportOutOfBuffer.Row:
		return true
	}
	return false
}
