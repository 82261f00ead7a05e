package collector

import (
	"github.com/dpu-exporter/dpu-exporter/internal/rtnl"
	"github.com/dpu-exporter/dpu-exporter/metric"
)

// fieldRow ties a field of struct rtnl_link_stats64 to its row.
type fieldRow struct {
	field rtnl.Field
	row   *metric.Row
}

// mainFields is how many rows at the head of statsRows every device exports.
const mainFields = 8

// statsRows is struct rtnl_link_stats64 in the kernel's order; meanings are
// those of Documentation/networking/statistics.rst and if_link.h.
var statsRows = []fieldRow{
	{rtnl.RxPackets, stat("receive_packets", "packets", "Good packets received. On a representor: what its function sent", "rx_packets")},
	{rtnl.TxPackets, stat("transmit_packets", "packets", "Packets handed to the device. On a representor: what its function received", "tx_packets")},
	{rtnl.RxBytes, stat("receive_bytes", "bytes", "Bytes of the good packets received. On a representor: what its function sent", "rx_bytes")},
	{rtnl.TxBytes, stat("transmit_bytes", "bytes", "Bytes of the packets handed to the device. On a representor: what its function received", "tx_bytes")},
	{rtnl.RxErrors, stat("receive_errors", "packets", "Bad packets received; includes the length, crc and frame errors", "rx_errors")},
	{rtnl.TxErrors, stat("transmit_errors", "packets", "Packets that could not be sent; includes the aborted, carrier, fifo, heartbeat and window errors", "tx_errors")},
	{rtnl.RxDropped, stat("receive_dropped", "packets", "Packets received but not processed, for lack of resources or an unsupported protocol", "rx_dropped")},
	{rtnl.TxDropped, stat("transmit_dropped", "packets", "Packets dropped on their way out, for lack of resources", "tx_dropped")},
	{rtnl.Multicast, stat("receive_multicast_packets", "packets", "Multicast packets received; some hardware counts those it filtered too", "multicast")},
	{rtnl.Collisions, stat("transmit_collisions", "collisions", "Collisions while sending", "collisions")},
	{rtnl.RxLengthErrors, stat("receive_length_errors", "packets", "Packets received with an invalid length", "rx_length_errors")},
	{rtnl.RxOverErrors, stat("receive_over_errors", "events", "Receiver FIFO overflows; on fast NICs frames that did not fit the buffers of the host", "rx_over_errors")},
	{rtnl.RxCRCErrors, stat("receive_crc_errors", "packets", "Packets received with a CRC error", "rx_crc_errors")},
	{rtnl.RxFrameErrors, stat("receive_frame_errors", "packets", "Frame alignment errors", "rx_frame_errors")},
	{rtnl.RxFIFOErrors, stat("receive_fifo_errors", "events", "Receiver FIFO errors; not one for each dropped packet", "rx_fifo_errors")},
	{rtnl.RxMissedErrors, stat("receive_missed_errors", "packets", "Packets missed by the host for lack of buffers", "rx_missed_errors")},
	{rtnl.TxAbortedErrors, stat("transmit_aborted_errors", "packets", "Transmissions aborted; some drivers count all discards of the device here", "tx_aborted_errors")},
	{rtnl.TxCarrierErrors, stat("transmit_carrier_errors", "packets", "Transmissions that failed because the carrier was lost", "tx_carrier_errors")},
	{rtnl.TxFIFOErrors, stat("transmit_fifo_errors", "packets", "Transmissions that failed because of a device FIFO underrun", "tx_fifo_errors")},
	{rtnl.TxHeartbeatErrors, stat("transmit_heartbeat_errors", "packets", "Heartbeat (SQE test) errors", "tx_heartbeat_errors")},
	{rtnl.TxWindowErrors, stat("transmit_window_errors", "packets", "Transmissions that failed because of a late collision", "tx_window_errors")},
	{rtnl.RxCompressed, stat("receive_compressed_packets", "packets", "Compressed packets received", "rx_compressed")},
	{rtnl.TxCompressed, stat("transmit_compressed_packets", "packets", "Compressed packets sent", "tx_compressed")},
	{rtnl.RxNoHandler, stat("receive_nohandler_dropped", "packets", "Packets dropped by the stack because nothing handles them on an inactive device", "rx_nohandler")},
	{rtnl.RxOtherHostDropped, stat("receive_otherhost_dropped", "packets", "Packets dropped because their destination address is another host's", "rx_otherhost_dropped")},
}

// slowPathRows is the part of struct rtnl_link_stats64 that every driver fills
// for IFLA_OFFLOAD_XSTATS_CPU_HIT (mlx5, mlxsw, nfp, ice, octeontx2, dpaa2-switch);
// in the rest some leave zeros, which would be made up.
var slowPathRows = []fieldRow{
	{rtnl.RxPackets, slowPath("receive_packets", "packets", "rx_packets")},
	{rtnl.TxPackets, slowPath("transmit_packets", "packets", "tx_packets")},
	{rtnl.RxBytes, slowPath("receive_bytes", "bytes", "rx_bytes")},
	{rtnl.TxBytes, slowPath("transmit_bytes", "bytes", "tx_bytes")},
}

// State of a device.
var (
	upRow = &metric.Row{
		Name: "dpu_interface_up", Kind: metric.Gauge, Labels: byDevice, Proof: metric.Live,
		Help:   "1 if the device is administratively up, else 0",
		Source: "ifi_flags, IFF_UP",
	}
	carrierRow = &metric.Row{
		Name: "dpu_interface_carrier", Kind: metric.Gauge, Labels: byDevice, Proof: metric.Live,
		Help:   "1 if the device has a carrier, else 0; absent while it is down, when no carrier is sensed",
		Source: "IFLA_CARRIER and IFF_UP",
	}
	operStateRow = &metric.Row{
		Name: "dpu_interface_operational_state", Kind: metric.Gauge, Labels: []string{"device", "state"}, Proof: metric.Live,
		Help:   "1 for the operational state the device is in (up, down, lowerlayerdown, dormant, testing, notpresent, unknown); the other states are absent",
		Source: "IFLA_OPERSTATE (RFC 2863 ifOperStatus)",
	}
	carrierChangesRow = &metric.Row{
		Name: "dpu_interface_carrier_changes_total", Kind: metric.Counter, Unit: "changes", Labels: byDevice, Proof: metric.Live,
		Help: "Times the carrier came or went", Source: "IFLA_CARRIER_CHANGES",
	}
	carrierUpsRow = &metric.Row{
		Name: "dpu_interface_carrier_up_total", Kind: metric.Counter, Unit: "changes", Labels: byDevice, Proof: metric.Live,
		Help: "Times the carrier came", Source: "IFLA_CARRIER_UP_COUNT",
	}
	carrierDownsRow = &metric.Row{
		Name: "dpu_interface_carrier_down_total", Kind: metric.Counter, Unit: "changes", Labels: byDevice, Proof: metric.Live,
		Help: "Times the carrier went", Source: "IFLA_CARRIER_DOWN_COUNT",
	}
	mtuRow = &metric.Row{
		Name: "dpu_interface_mtu_bytes", Kind: metric.Gauge, Unit: "bytes", Labels: byDevice, Proof: metric.Live,
		Help: "Maximum transmission unit", Source: "IFLA_MTU",
	}
	speedRow = &metric.Row{
		Name: "dpu_interface_speed_bytes_per_second", Kind: metric.Gauge, Unit: "bytes_per_second", Labels: byDevice, Proof: metric.Live,
		Help:   "Speed of the link; absent when the driver does not know it, made up by the kernel for veth, tun and bridges",
		Source: "ETHTOOL_A_LINKMODES_SPEED, Mbit/s × 125000",
	}
	speedMaxRow = &metric.Row{
		Name: "dpu_interface_speed_max_bytes_per_second", Kind: metric.Gauge, Unit: "bytes_per_second", Labels: byDevice, Proof: metric.Live,
		Help:   "The highest speed that the device supports; absent where it has no list of link modes, or one with modes that this version does not know",
		Source: "ETHTOOL_A_LINKMODES_OURS (its mask)",
	}
	lanesRow = &metric.Row{
		Name: "dpu_interface_link_lanes", Kind: metric.Gauge, Unit: "lanes", Labels: byDevice, Proof: metric.Live,
		Help: "Lanes that the link runs over", Source: "ETHTOOL_A_LINKMODES_LANES",
	}
	autonegRow = &metric.Row{
		Name: "dpu_interface_autonegotiation", Kind: metric.Gauge, Labels: byDevice, Proof: metric.Live,
		Help: "1 if the port negotiates its link mode, 0 if it was set; of ports only", Source: "ETHTOOL_A_LINKMODES_AUTONEG",
	}
	fullDuplexRow = &metric.Row{
		Name: "dpu_interface_full_duplex", Kind: metric.Gauge, Labels: byDevice, Proof: metric.Live,
		Help:   "1 if the link is full duplex, 0 if half; absent when the driver does not know it",
		Source: "ETHTOOL_A_LINKMODES_DUPLEX",
	}
	infoRow = &metric.Row{
		Name: "dpu_interface_info", Kind: metric.Gauge, Proof: metric.Live,
		Labels: []string{
			"device", "role", "kind", "driver", "pci_address", "devlink_port", "switch_id", "port_name",
			"controller", "pf", "vf", "sf", "rdma_device",
		},
		Help:   "Always 1: what the device is; join on device. Labels that do not apply are empty",
		Source: "IFLA_* of RTM_NEWLINK, DEVLINK_CMD_PORT_NEW, links in sysfs",
	}
	configInfoRow = &metric.Row{
		Name: "dpu_interface_config_info", Kind: metric.Gauge, Proof: metric.Live,
		Labels: []string{"device", "master", "lower", "address", "alias"},
		Help:   "Always 1: what an operator may change about the device (lower is the device below, of a veth its peer); apart from dpu_interface_info so that a change breaks no join",
		Source: "IFLA_MASTER, IFLA_LINK, IFLA_ADDRESS, IFLA_IFALIAS",
	}
)

var byDevice = []string{"device"}

func stat(name, unit, help, field string) *metric.Row {
	return &metric.Row{
		Name: "dpu_interface_" + name + "_total", Kind: metric.Counter, Unit: unit, Labels: byDevice, Proof: metric.Live,
		Help: help, Source: "IFLA_STATS_LINK_64, rtnl_link_stats64." + field,
	}
}

func slowPath(name, unit, field string) *metric.Row {
	return &metric.Row{
		Name: "dpu_offload_slow_path_" + name + "_total", Kind: metric.Counter, Unit: unit, Labels: byDevice, Proof: metric.Live,
		Help:   "The part of dpu_interface_" + name + "_total that the CPU handled and no hardware offload carried",
		Source: "IFLA_OFFLOAD_XSTATS_CPU_HIT, rtnl_link_stats64." + field,
	}
}

func interfaceRows() []*metric.Row {
	rows := []*metric.Row{
		infoRow, configInfoRow, upRow, carrierRow, operStateRow, carrierChangesRow, carrierUpsRow, carrierDownsRow,
		mtuRow, speedRow, speedMaxRow, lanesRow, autonegRow, fullDuplexRow,
	}
	for _, table := range [][]fieldRow{statsRows, slowPathRows} {
		for _, f := range table {
			rows = append(rows, f.row)
		}
	}
	return rows
}
