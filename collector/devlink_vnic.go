package collector

import (
	"context"
	"errors"

	"github.com/dpu-exporter/dpu-exporter/internal/devlink"
	"github.com/dpu-exporter/dpu-exporter/inventory"
	"github.com/dpu-exporter/dpu-exporter/metric"
)

// vnicReporter is the name of the reporter with which mlx5 tells counters of a
// function and, on the port that represents it, of another.
const vnicReporter = "vnic"

// maxDiagnoses bounds what one reading asks for: each may go to the firmware.
const maxDiagnoses = 512

// readVNIC asks the vnic reporters of a device and of its ports. Those of
// representors of VFs and subfunctions are many, and asked on request.
func (c *Devlink) readVNIC(ctx context.Context, h devlink.Handle, inv *inventory.Snapshot, r *reading) error {
	reporters, err := c.opts.Diagnoses.Reporters(ctx, h)
	errs := []error{err}
	few := fewPorts(inv)
	asked := 0
	for _, reporter := range reporters {
		port := portOf(h, reporter.Port)
		if reporter.Name != vnicReporter || port != "" && !c.opts.AllVNICs && !few[port] || asked == maxDiagnoses {
			continue
		}
		asked++
		found, err := c.opts.Diagnoses.Diagnose(ctx, h, reporter.Port, reporter.Name)
		errs = append(errs, err)
		for _, f := range found {
			if row := vnicRows[f.Name]; row != nil {
				r.add(row, float64(f.Value), h.String(), port)
			}
		}
	}
	if asked == 0 && err == nil {
		return errNoVNIC
	}
	return errors.Join(errs...)
}

var errNoVNIC = errUnsupported("no vnic reporter")

// fewPorts are the ports of which a device has few: those of uplinks and of
// physical functions.
func fewPorts(inv *inventory.Snapshot) map[string]bool {
	few := map[string]bool{}
	for _, list := range [][]*inventory.Device{inv.Devices, inv.Detached} {
		for _, d := range list {
			switch d.Role {
			case inventory.Uplink, inventory.PF, inventory.PFRepresentor:
				few[d.DevlinkPort] = true
			}
		}
	}
	return few
}

// vnicRows are the rows of mlx5's counters by their names
// (Documentation/networking/devlink/mlx5.rst, "vnic reporter").
var vnicRows = map[string]*metric.Row{
	"total_error_queues":              vnicGauge("error_queues", "queues", "Queues in an error state", "total_error_queues"),
	"send_queue_priority_update_flow": vnic("send_queue_priority_updates", "events", "Changes of a send queue's priority", "send_queue_priority_update_flow"),
	"comp_eq_overrun":                 vnic("completion_event_queue_overruns", "events", "Times a completion event queue overran", "comp_eq_overrun"),
	"async_eq_overrun":                vnic("async_event_queue_overruns", "events", "Times an asynchronous event queue overran", "async_eq_overrun"),
	"cq_overrun":                      vnic("completion_queue_overruns", "events", "Times a completion queue overran", "cq_overrun"),
	"invalid_command":                 vnic("invalid_commands", "commands", "Commands that failed", "invalid_command"),
	"quota_exceeded_command":          vnic("quota_exceeded_commands", "commands", "Commands that failed because the function's quota was used up", "quota_exceeded_command"),
	"nic_receive_steering_discard":    vnic("receive_steering_discards", "packets", "Packets that no rule of the function's receive steering took", "nic_receive_steering_discard"),
	"generated_pkt_steering_fail":     vnic("generated_packet_steering_failures", "packets", "Packets that the function made and that steering dropped", "generated_pkt_steering_fail"),
	"handled_pkt_steering_fail":       vnic("handled_packet_steering_failures", "packets", "Packets that the function handled and that steering dropped", "handled_pkt_steering_fail"),
	"bar_uar_access":                  notSeen(vnic("uar_accesses", "accesses", "Accesses to the function's UAR", "bar_uar_access")),
	"odp_local_triggered_page_fault":  notSeen(vnic("local_page_faults", "events", "Page faults that the function's own on-demand paging caused", "odp_local_triggered_page_fault")),
	"odp_remote_triggered_page_fault": notSeen(vnic("remote_page_faults", "events", "Page faults that a remote RDMA access caused", "odp_remote_triggered_page_fault")),
}

func vnic(name, unit, help, counter string) *metric.Row {
	return &metric.Row{
		Name: "dpu_vport_vnic_" + name + "_total", Kind: metric.Counter, Unit: unit, Labels: []string{"devlink", "devlink_port"}, Proof: metric.Live,
		Help:   help + "; of the device's own function where devlink_port is empty",
		Source: counter + " of the devlink health reporter vnic (DEVLINK_CMD_HEALTH_REPORTER_DIAGNOSE)",
	}
}

// notSeen is a row that no test reads from a kernel: softdpu does not have it.
func notSeen(r *metric.Row) *metric.Row {
	r.Proof = metric.FromSource
	return r
}

func vnicGauge(name, unit, help, counter string) *metric.Row {
	r := vnic(name, unit, help, counter)
	r.Name, r.Kind = "dpu_vport_vnic_"+name, metric.Gauge
	return r
}
