package collector

import (
	"github.com/dpu-exporter/dpu-exporter/collector/driver"
	"github.com/dpu-exporter/dpu-exporter/metric"
)

var byVF = []string{"device", "vf"}

var (
	vfsRow = &metric.Row{
		Name: "dpu_pci_sriov_vfs", Kind: metric.Gauge, Unit: "functions", Labels: []string{"device", "pci"}, Proof: metric.Live,
		Help: "Virtual functions that the PCI function has", Source: "sriov_numvfs of sysfs",
	}
	vfsMaxRow = &metric.Row{
		Name: "dpu_pci_sriov_vfs_max", Kind: metric.Gauge, Unit: "functions", Labels: []string{"device", "pci"}, Proof: metric.Live,
		Help: "Virtual functions that the PCI function can have", Source: "sriov_totalvfs of sysfs",
	}
	vfInfoRow = &metric.Row{
		Name: "dpu_vf_info", Kind: metric.Gauge, Proof: metric.Live,
		Labels: []string{"device", "vf", "address", "vlan", "vlan_protocol", "link_state"},
		Help:   "How the physical function's driver has set up its virtual function: its address, the VLAN it is in (empty for none), and whether its link follows the port's (auto)",
		Source: "IFLA_VF_MAC, IFLA_VF_VLAN, IFLA_VF_VLAN_LIST, IFLA_VF_LINK_STATE",
	}
	vfSpoofCheckRow = &metric.Row{
		Name: "dpu_vf_spoof_check", Kind: metric.Gauge, Labels: byVF, Proof: metric.Live,
		Help: "1 if the device drops what the virtual function sends under a false address, else 0", Source: "IFLA_VF_SPOOFCHK",
	}
	vfTrustedRow = &metric.Row{
		Name: "dpu_vf_trusted", Kind: metric.Gauge, Labels: byVF, Proof: metric.Live,
		Help: "1 if the virtual function may set its address and be promiscuous, else 0", Source: "IFLA_VF_TRUST",
	}
	vfRateMinRow = &metric.Row{
		Name: "dpu_vf_transmit_rate_min_bytes_per_second", Kind: metric.Gauge, Unit: "bytes_per_second", Labels: byVF, Proof: metric.Live,
		Help: "The rate promised to the virtual function; absent where there is none", Source: "IFLA_VF_RATE, Mbit/s × 125,000",
	}
	vfRateMaxRow = &metric.Row{
		Name: "dpu_vf_transmit_rate_max_bytes_per_second", Kind: metric.Gauge, Unit: "bytes_per_second", Labels: byVF, Proof: metric.Live,
		Help: "The rate the virtual function is limited to; absent where it is not", Source: "IFLA_VF_RATE, Mbit/s × 125,000",
	}
)

const vfKept = "; absent where the driver keeps none, for which the kernel answers zeros, and behind an uplink, where the representor has it, unless --interface.fields=all"

func vfStat(name, unit, help, attribute string) *metric.Row {
	return &metric.Row{
		Name: "dpu_vf_" + name + "_total", Kind: metric.Counter, Unit: unit, Labels: byVF, Proof: metric.Live,
		Help: help + vfKept, Source: "IFLA_VF_STATS_" + attribute,
	}
}

// Drops have two sources, of which the first that has them is used.
var vfReceiveDroppedRow, vfTransmitDroppedRow = driver.VFRows()

// vfStatRows are beside the fields of rtnl.VFStats.
var vfStatRows = []*metric.Row{
	vfStat("receive_packets", "packets", "Packets that the virtual function received", "RX_PACKETS"),
	vfStat("transmit_packets", "packets", "Packets that the virtual function sent", "TX_PACKETS"),
	vfStat("receive_bytes", "bytes", "Bytes that the virtual function received", "RX_BYTES"),
	vfStat("transmit_bytes", "bytes", "Bytes that the virtual function sent", "TX_BYTES"),
	vfStat("receive_broadcast_packets", "packets", "Broadcast packets that the virtual function received", "BROADCAST"),
	vfStat("receive_multicast_packets", "packets", "Multicast packets that the virtual function received", "MULTICAST"),
	vfReceiveDroppedRow,
	vfTransmitDroppedRow,
}

var sriovRows = append([]*metric.Row{
	vfsRow, vfsMaxRow, vfInfoRow, vfSpoofCheckRow, vfTrustedRow, vfRateMinRow, vfRateMaxRow,
}, vfStatRows...)
