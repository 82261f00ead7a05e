package collector

import (
	"maps"
	"slices"

	"github.com/dpu-exporter/dpu-exporter/metric"
)

var (
	devlinkInfoRow = &metric.Row{
		Name: "dpu_devlink_info", Kind: metric.Gauge, Labels: []string{"devlink", "driver"}, Proof: metric.Live,
		Help: "A devlink device by its handle, such as pci/0000:03:00.0", Source: "DEVLINK_CMD_INFO_GET",
	}
	devlinkVersionRow = &metric.Row{
		Name: "dpu_devlink_version_info", Kind: metric.Gauge, Labels: []string{"devlink", "type", "name", "version"}, Proof: metric.Live,
		Help:   "Versions by type: fixed of the board, running, and stored, which runs after a reset",
		Source: "DEVLINK_ATTR_INFO_VERSION_FIXED, _RUNNING, _STORED",
	}
	devlinkPendingRow = &metric.Row{
		Name: "dpu_devlink_version_pending", Kind: metric.Gauge, Labels: []string{"devlink", "name"}, Proof: metric.Live,
		Help:   "1 if the stored version is not the running one, so that a reset changes it, else 0",
		Source: "DEVLINK_ATTR_INFO_VERSION_RUNNING and _STORED",
	}
	devlinkEswitchRow = &metric.Row{
		Name: "dpu_devlink_eswitch_info", Kind: metric.Gauge, Labels: []string{"devlink", "mode", "inline_mode", "encap_mode"}, Proof: metric.Live,
		Help:   "How the eswitch is set: mode legacy or switchdev; needs CAP_NET_ADMIN",
		Source: "DEVLINK_CMD_ESWITCH_GET",
	}
	devlinkPortRow = &metric.Row{
		Name: "dpu_devlink_port_info", Kind: metric.Gauge, Proof: metric.Live,
		Labels: []string{"devlink", "devlink_port", "device", "flavour", "port", "controller", "pf", "vf", "sf", "external", "rdma_device"},
		Help:   "A devlink port and whose traffic it is; device is empty where it has no network device here",
		Source: "DEVLINK_CMD_PORT_GET",
	}
	functionActiveRow = &metric.Row{
		Name: "dpu_devlink_port_function_active", Kind: metric.Gauge, Labels: []string{"devlink", "devlink_port"}, Proof: metric.Live,
		Help: "1 if the function behind the port is active, 0 if it is inactive", Source: "DEVLINK_PORT_FN_ATTR_STATE",
	}
	functionAttachedRow = &metric.Row{
		Name: "dpu_devlink_port_function_attached", Kind: metric.Gauge, Labels: []string{"devlink", "devlink_port"}, Proof: metric.Live,
		Help: "1 if a driver uses the function behind the port, 0 if none does", Source: "DEVLINK_PORT_FN_ATTR_OPSTATE",
	}
	devlinkHealthyRow = &metric.Row{
		Name: "dpu_devlink_health_healthy", Kind: metric.Gauge, Labels: byReporter, Proof: metric.Live,
		Help:   "1 if the health reporter is healthy, 0 if it is in error; devlink_port is empty where it is the device's",
		Source: "DEVLINK_ATTR_HEALTH_REPORTER_STATE",
	}
	devlinkErrorsRow = &metric.Row{
		Name: "dpu_devlink_health_errors_total", Kind: metric.Counter, Unit: "errors", Labels: byReporter, Proof: metric.Live,
		Help: "Errors that the health reporter saw", Source: "DEVLINK_ATTR_HEALTH_REPORTER_ERR_COUNT",
	}
	devlinkRecoveriesRow = &metric.Row{
		Name: "dpu_devlink_health_recoveries_total", Kind: metric.Counter, Unit: "recoveries", Labels: byReporter, Proof: metric.Live,
		Help: "Recoveries from an error that the health reporter saw", Source: "DEVLINK_ATTR_HEALTH_REPORTER_RECOVER_COUNT",
	}
	trapInfoRow = &metric.Row{
		Name: "dpu_devlink_trap_info", Kind: metric.Gauge, Labels: []string{"devlink", "trap", "group", "type", "action"}, Proof: metric.Live,
		Help:   "A packet trap: type drop, exception or control; action drop, trap (to the CPU) or mirror",
		Source: "DEVLINK_CMD_TRAP_GET",
	}
	trapRows      = newTrapRows("trap", "trap", "of the trap")
	trapGroupRows = newTrapGroupRows()

	resourceSizeRow = &metric.Row{
		Name: "dpu_devlink_resource_size", Kind: metric.Gauge, Unit: "entries", Labels: []string{"devlink", "resource"}, Proof: metric.Live,
		Help: "How many of the resource the device has; absent where there is no limit", Source: "DEVLINK_ATTR_RESOURCE_SIZE",
	}
	resourceOccupiedRow = &metric.Row{
		Name: "dpu_devlink_resource_occupancy", Kind: metric.Gauge, Unit: "entries", Labels: []string{"devlink", "resource"}, Proof: metric.Live,
		Help: "How many of the resource are in use", Source: "DEVLINK_ATTR_RESOURCE_OCC",
	}
	rateShareRow = &metric.Row{
		Name: "dpu_devlink_rate_share_bytes_per_second", Kind: metric.Gauge, Unit: "bytes_per_second", Labels: byRate, Proof: metric.Live,
		Help: "The rate that a port's function, or a group, is promised; absent where none is", Source: "DEVLINK_ATTR_RATE_TX_SHARE",
	}
	rateMaxRow = &metric.Row{
		Name: "dpu_devlink_rate_max_bytes_per_second", Kind: metric.Gauge, Unit: "bytes_per_second", Labels: byRate, Proof: metric.Live,
		Help: "The rate that a port's function, or a group, is limited to; absent where it is not", Source: "DEVLINK_ATTR_RATE_TX_MAX",
	}
	devlinkParamRow = &metric.Row{
		Name: "dpu_devlink_param_info", Kind: metric.Gauge, Labels: []string{"devlink", "param", "mode", "value"}, Proof: metric.Live,
		Help:   "A parameter of the device; mode is when it holds: runtime, driverinit (after a reload) or permanent (after a reset)",
		Source: "DEVLINK_CMD_PARAM_GET",
	}

	byReporter = []string{"devlink", "devlink_port", "reporter"}
	byRate     = []string{"devlink", "devlink_port", "node", "parent"}
)

type trapRowSet struct{ packets, bytes, dropped *metric.Row }

func newTrapRows(name, label, of string) trapRowSet {
	row := func(what, unit, help, attribute string) *metric.Row {
		return &metric.Row{
			Name: "dpu_devlink_" + name + "_" + what + "_total", Kind: metric.Counter, Unit: unit,
			Labels: []string{"devlink", label}, Proof: metric.Live, Help: help, Source: "DEVLINK_ATTR_STATS_" + attribute,
		}
	}
	return trapRowSet{
		row("packets", "packets", "Packets handed to the CPU because "+of, "RX_PACKETS"),
		row("bytes", "bytes", "Bytes handed to the CPU because "+of, "RX_BYTES"),
		row("dropped", "packets", "Packets that the device dropped because "+of, "RX_DROPPED"),
	}
}

// newTrapGroupRows are those of groups, of which no driver of the lab counts drops.
func newTrapGroupRows() trapRowSet {
	rows := newTrapRows("trap_group", "group", "of all traps of the group")
	rows.dropped.Proof = metric.FromSource
	return rows
}

var devlinkRows = allDevlinkRows()

func allDevlinkRows() []*metric.Row {
	rows := []*metric.Row{
		devlinkInfoRow, devlinkVersionRow, devlinkPendingRow, devlinkEswitchRow, devlinkPortRow, functionActiveRow, functionAttachedRow,
		devlinkHealthyRow, devlinkErrorsRow, devlinkRecoveriesRow, trapInfoRow,
		trapRows.packets, trapRows.bytes, trapRows.dropped, trapGroupRows.packets, trapGroupRows.bytes, trapGroupRows.dropped,
		resourceSizeRow, resourceOccupiedRow, rateShareRow, rateMaxRow, devlinkParamRow,
	}
	for _, name := range slices.Sorted(maps.Keys(vnicRows)) {
		rows = append(rows, vnicRows[name])
	}
	return rows
}
