package driver

import "github.com/dpu-exporter/dpu-exporter/metric"

// What the driver of a physical function counts of each virtual one. The
// collector of virtual functions exports it where the kernel's own list of them
// does not have it.
var (
	vfReceiveDropped = &Quantity{Row: &metric.Row{
		Name: "dpu_vf_receive_dropped_total", Kind: metric.Counter, Unit: "packets", Labels: []string{"device", "vf"}, Proof: metric.Live,
		Help:   "Packets for the virtual function that were dropped; of mlx5 those that its rules in the eswitch forbid" + unlessKept,
		Source: "IFLA_VF_STATS_RX_DROPPED, else the statistic of the physical function's driver (i40e)",
	}}
	vfTransmitDropped = &Quantity{Row: &metric.Row{
		Name: "dpu_vf_transmit_dropped_total", Kind: metric.Counter, Unit: "packets", Labels: []string{"device", "vf"}, Proof: metric.Live,
		Help:   "Packets from the virtual function that were dropped; of mlx5 those that its rules in the eswitch forbid, spoofed ones too" + unlessKept,
		Source: "IFLA_VF_STATS_TX_DROPPED, else the statistic of the physical function's driver (i40e)",
	}}
)

const unlessKept = "; absent where the driver keeps no count, for which the kernel answers zeros"

var vfQuantities = []*Quantity{vfReceiveDropped, vfTransmitDropped}

// VFRows are the rows of what drivers of physical functions count of virtual
// ones: packets dropped on their way in and out.
func VFRows() (receiveDropped, transmitDropped *metric.Row) {
	return vfReceiveDropped.Row, vfTransmitDropped.Row
}
