package collector

import "github.com/dpu-exporter/dpu-exporter/metric"

// offloadFeature is what must be on for tc rules to be carried by the hardware.
const offloadFeature = "hw-tc-offload"

// exportedFeatures are those that decide whether the device or the CPU does the
// work, by their names in net/ethtool/common.c, netdev_features_strings.
var exportedFeatures = []string{
	offloadFeature, "rx-checksum", "tx-checksum-ip-generic", "tx-scatter-gather",
	"tx-tcp-segmentation", "tx-tcp6-segmentation", "tx-udp-segmentation",
	"tx-udp_tnl-segmentation", "tx-gre-segmentation",
	"rx-gro", "rx-gro-hw", "rx-lro", "rx-udp-gro-forwarding", "rx-hashing", "rx-ntuple-filter",
	"rx-vlan-filter", "rx-vlan-hw-parse", "tx-vlan-hw-insert",
	"esp-hw-offload", "tls-hw-tx-offload", "tls-hw-rx-offload", "macsec-hw-offload",
}

var byDeviceDirection = []string{"device", "direction"}

var (
	featureRow = &metric.Row{
		Name: "dpu_interface_feature", Kind: metric.Gauge, Labels: []string{"device", "feature"}, Proof: metric.Live,
		Help:   "1 if the feature is on, 0 if it is off and can be switched on; absent where the device does not have it",
		Source: "ETHTOOL_A_FEATURES_ACTIVE and ETHTOOL_A_FEATURES_HW; names as in ethtool -k",
	}
	ringRow = &metric.Row{
		Name: "dpu_interface_ring_descriptors", Kind: metric.Gauge, Unit: "descriptors", Labels: []string{"device", "ring"}, Proof: metric.Live,
		Help: "Size of each ring of that kind", Source: "ETHTOOL_A_RINGS_RX, _TX, _RX_MINI, _RX_JUMBO",
	}
	ringMaxRow = &metric.Row{
		Name: "dpu_interface_ring_descriptors_max", Kind: metric.Gauge, Unit: "descriptors", Labels: []string{"device", "ring"}, Proof: metric.Live,
		Help: "The most that dpu_interface_ring_descriptors can be set to", Source: "ETHTOOL_A_RINGS_*_MAX",
	}
	channelsRow = &metric.Row{
		Name: "dpu_interface_channels", Kind: metric.Gauge, Unit: "channels", Labels: []string{"device", "type"}, Proof: metric.Live,
		Help:   "Channels in use: sets of queues with an interrupt; combined ones receive and transmit",
		Source: "ETHTOOL_A_CHANNELS_*_COUNT",
	}
	channelsMaxRow = &metric.Row{
		Name: "dpu_interface_channels_max", Kind: metric.Gauge, Unit: "channels", Labels: []string{"device", "type"}, Proof: metric.Live,
		Help: "The most that dpu_interface_channels can be set to", Source: "ETHTOOL_A_CHANNELS_*_MAX",
	}
	coalesceDelayRow = &metric.Row{
		Name: "dpu_interface_coalesce_delay_seconds", Kind: metric.Gauge, Unit: "seconds", Labels: byDeviceDirection, Proof: metric.Live,
		Help:   "How long an interrupt is held back after a packet",
		Source: "ETHTOOL_A_COALESCE_RX_USECS, _TX_USECS",
	}
	coalescePacketsRow = &metric.Row{
		Name: "dpu_interface_coalesce_packets", Kind: metric.Gauge, Unit: "packets", Labels: byDeviceDirection, Proof: metric.Live,
		Help:   "After how many packets an interrupt is held back no longer; 0 where only the time counts",
		Source: "ETHTOOL_A_COALESCE_RX_MAX_FRAMES, _TX_MAX_FRAMES",
	}
	coalesceAdaptiveRow = &metric.Row{
		Name: "dpu_interface_coalesce_adaptive", Kind: metric.Gauge, Labels: byDeviceDirection, Proof: metric.Live,
		Help:   "1 if the driver chooses delay and packets by the traffic, else 0",
		Source: "ETHTOOL_A_COALESCE_USE_ADAPTIVE_RX, _TX",
	}
	timestampingRow = &metric.Row{
		Name: "dpu_interface_timestamping_info", Kind: metric.Gauge, Labels: []string{"device", "clock", "transmit", "receive"}, Proof: metric.Live,
		Help:   "What the device can put time stamps on: clock is N of its /dev/ptpN, transmit hardware, software or none, receive by hardware all packets, some or none",
		Source: "ETHTOOL_MSG_TSINFO_GET",
	}
)

var linkRows = []*metric.Row{
	featureRow, ringRow, ringMaxRow, channelsRow, channelsMaxRow,
	coalesceDelayRow, coalescePacketsRow, coalesceAdaptiveRow, timestampingRow,
}
