package collector

import (
	"maps"
	"slices"

	"github.com/dpu-exporter/dpu-exporter/metric"
)

var byRDMAPort = []string{"rdma_device", "port"}

var (
	rdmaInfoRow = &metric.Row{
		Name: "dpu_rdma_info", Kind: metric.Gauge, Labels: []string{"rdma_device", "parent", "protocol", "firmware"}, Proof: metric.Live,
		Help:   "An RDMA device; parent is the PCI function or auxiliary device below it, empty of software devices",
		Source: "/sys/class/infiniband, RDMA_NLDEV_CMD_GET",
	}
	rdmaPortRow = &metric.Row{
		Name: "dpu_rdma_port_info", Kind: metric.Gauge, Labels: []string{"rdma_device", "port", "device", "link_layer"}, Proof: metric.Live,
		Help:   "A port of an RDMA device and its network device, to join on; device is empty where it has none here",
		Source: "RDMA_NLDEV_ATTR_NDEV_INDEX; link_layer of sysfs",
	}
	rdmaStateRow = &metric.Row{
		Name: "dpu_rdma_port_state", Kind: metric.Gauge, Labels: []string{"rdma_device", "port", "state"}, Proof: metric.Live,
		Help:   "1 for the logical state the port is in (down, init, armed, active, active_defer); the other states are absent",
		Source: "ports/<port>/state",
	}
	rdmaActiveRow = &metric.Row{
		Name: "dpu_rdma_port_active", Kind: metric.Gauge, Labels: byRDMAPort, Proof: metric.Live,
		Help: "1 if the port's logical state is active, else 0", Source: "ports/<port>/state",
	}
	rdmaPhysicalStateRow = &metric.Row{
		Name: "dpu_rdma_port_physical_state", Kind: metric.Gauge, Labels: []string{"rdma_device", "port", "state"}, Proof: metric.Live,
		Help:   "1 for the physical state the port is in (LinkUp, Polling, Disabled, Sleep…); the other states are absent",
		Source: "ports/<port>/phys_state",
	}
	rdmaRateRow = &metric.Row{
		Name: "dpu_rdma_port_rate_bytes_per_second", Kind: metric.Gauge, Unit: "bytes_per_second", Labels: byRDMAPort, Proof: metric.Live,
		Help: "Signalling rate of the port, all lanes", Source: "ports/<port>/rate, Gb/sec × 125,000,000",
	}
	rdmaGIDsRow = &metric.Row{
		Name: "dpu_rdma_port_gids", Kind: metric.Gauge, Unit: "addresses", Labels: []string{"rdma_device", "port", "type"}, Proof: metric.Live,
		Help: "Addresses in the port's GID table by their type: IB/RoCE v1, RoCE v2", Source: "ports/<port>/gid_attrs/types",
	}
	rdmaResourcesRow = &metric.Row{
		Name: "dpu_rdma_resources", Kind: metric.Gauge, Unit: "objects", Labels: []string{"rdma_device", "resource"}, Proof: metric.Live,
		Help:   "Objects in use: qp, cq, mr, pd, cm_id, srq, ctx (user contexts)",
		Source: "RDMA_NLDEV_CMD_RES_GET",
	}
	rdmaNamespaceRow = &metric.Row{
		Name: "dpu_rdma_namespace_mode_info", Kind: metric.Gauge, Labels: []string{"mode"}, Proof: metric.Live,
		Help:   "How RDMA devices belong to network namespaces: shared (all see all) or exclusive; a pod of a shared node sees devices without their counters",
		Source: "RDMA_NLDEV_SYS_ATTR_NETNS_MODE",
	}
	rdmaOptionalRow = &metric.Row{
		Name: "dpu_rdma_optional_counter_enabled", Kind: metric.Gauge, Labels: []string{"rdma_device", "port", "counter"}, Proof: metric.FromSource,
		Help:   "1 if the optional counter is switched on (rdma statistic set), so that dpu_rdma_hw_counter_total has it, else 0",
		Source: "RDMA_NLDEV_CMD_STAT_GET_STATUS",
	}
	rdmaOwnCounterRow = &metric.Row{
		Name: "dpu_rdma_hw_counter_total", Kind: metric.Counter, Labels: []string{"rdma_device", "port", "counter"}, Proof: metric.Live,
		Help:   "Hardware counters that no other row has, by the driver's names",
		Source: "RDMA_NLDEV_CMD_STAT_GET, else hw_counters of sysfs",
	}
	rdmaOwnLevelRow = &metric.Row{
		Name: "dpu_rdma_hw_level", Kind: metric.Gauge, Labels: []string{"rdma_device", "port", "name"}, Proof: metric.FromSource,
		Help:   "What a driver has among its hardware counters and is none: objects in use (active_qps) and the most that were (watermark_qps), by its names",
		Source: "RDMA_NLDEV_CMD_STAT_GET, else hw_counters of sysfs",
	}
)

var rdmaRows = allRDMARows()

func allRDMARows() []*metric.Row {
	rows := []*metric.Row{
		rdmaInfoRow, rdmaPortRow, rdmaStateRow, rdmaActiveRow, rdmaPhysicalStateRow, rdmaRateRow, rdmaGIDsRow,
		rdmaResourcesRow, rdmaNamespaceRow, rdmaOptionalRow,
	}
	for _, name := range slices.Sorted(maps.Keys(architectureCounters)) {
		rows = append(rows, architectureCounters[name].row)
	}
	return append(append(rows, curatedRDMARows()...), rdmaOwnCounterRow, rdmaOwnLevelRow)
}
