package ethtool

import (
	"context"

	"github.com/dpu-exporter/dpu-exporter/internal/genl"
	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// Timestamping is what a device can put time stamps on
// (ETHTOOL_MSG_TSINFO_GET, `ethtool -T`).
type Timestamping struct {
	Clock              *uint32 // N of its /dev/ptpN; nil without a clock of its own
	Transmit, Receive  bool    // by the hardware
	SoftwareTransmit   bool    // by the driver when it hands the packet over
	ReceiveEveryPacket bool    // not only those of PTP
}

// Timestamping reads one device. No privilege is needed.
func (c *Conn) Timestamping(ctx context.Context, index int) (Timestamping, error) {
	var v Timestamping
	err := ask(ctx, c, question{what: "timestamping", command: unix.ETHTOOL_MSG_TSINFO_GET}, index, &v, timestampingFields)
	return v, err
}

var timestampingFields = []genl.Field[Timestamping]{
	{Type: unix.ETHTOOL_A_TSINFO_PHC_INDEX, Name: "ETHTOOL_A_TSINFO_PHC_INDEX",
		Read: func(v *Timestamping, d *netlink.AttributeDecoder) { v.Clock = new(d.Uint32()) }},
	{Type: unix.ETHTOOL_A_TSINFO_TIMESTAMPING, Name: "ETHTOOL_A_TSINFO_TIMESTAMPING",
		Read: func(v *Timestamping, d *netlink.AttributeDecoder) {
			for _, name := range namesOf(d) {
				switch name {
				case "hardware-transmit":
					v.Transmit = true
				case "hardware-receive":
					v.Receive = true
				case "software-transmit":
					v.SoftwareTransmit = true
				}
			}
		}},
	{Type: unix.ETHTOOL_A_TSINFO_RX_FILTERS, Name: "ETHTOOL_A_TSINFO_RX_FILTERS",
		Read: func(v *Timestamping, d *netlink.AttributeDecoder) {
			for _, name := range namesOf(d) {
				v.ReceiveEveryPacket = v.ReceiveEveryPacket || name == "all"
			}
		}},
}
