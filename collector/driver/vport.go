package driver

import "github.com/dpu-exporter/dpu-exporter/metric"

// What the NIC's switch counted at the virtual port of one function, whoever
// carried it: CPU or, as with RDMA, nobody's. On a representor the directions
// are those of the representor: received is what its function sent.
var (
	vportReceivePackets   = counter(metric.FromSource, "vport_receive_packets", "packets", "Packets that the function's virtual port received, offloaded ones included; on a representor what its function sent", "")
	vportTransmitPackets  = counter(metric.FromSource, "vport_transmit_packets", "packets", "Packets that the function's virtual port sent, offloaded ones included; on a representor what its function received", "")
	vportReceiveBytes     = counter(metric.Replayed, "vport_receive_bytes", "bytes", "Bytes that the function's virtual port received; on a representor what its function sent", "")
	vportTransmitBytes    = counter(metric.Replayed, "vport_transmit_bytes", "bytes", "Bytes that the function's virtual port sent; on a representor what its function received", "")
	vportReceiveUnicast   = counter(metric.Replayed, "vport_receive_unicast_packets", "packets", "Unicast packets that the function's virtual port received, without RDMA", "")
	vportReceiveMulticast = counter(metric.Replayed, "vport_receive_multicast_packets", "packets", "Multicast packets that the function's virtual port received, without RDMA", "")
	vportReceiveBroadcast = counter(metric.Replayed, "vport_receive_broadcast_packets", "packets", "Broadcast packets that the function's virtual port received", "")
	vportSendUnicast      = counter(metric.Replayed, "vport_transmit_unicast_packets", "packets", "Unicast packets that the function's virtual port sent, without RDMA", "")
	vportSendMulticast    = counter(metric.Replayed, "vport_transmit_multicast_packets", "packets", "Multicast packets that the function's virtual port sent, without RDMA", "")
	vportSendBroadcast    = counter(metric.Replayed, "vport_transmit_broadcast_packets", "packets", "Broadcast packets that the function's virtual port sent", "")

	vportReceiveUnicastBytes   = counter(metric.Replayed, "vport_receive_unicast_bytes", "bytes", "Bytes of unicast packets that the function's virtual port received, without RDMA", "")
	vportReceiveMulticastBytes = counter(metric.Replayed, "vport_receive_multicast_bytes", "bytes", "Bytes of multicast packets that the function's virtual port received, without RDMA", "")
	vportReceiveBroadcastBytes = counter(metric.Replayed, "vport_receive_broadcast_bytes", "bytes", "Bytes of broadcast packets that the function's virtual port received", "")
	vportSendUnicastBytes      = counter(metric.Replayed, "vport_transmit_unicast_bytes", "bytes", "Bytes of unicast packets that the function's virtual port sent, without RDMA", "")
	vportSendMulticastBytes    = counter(metric.Replayed, "vport_transmit_multicast_bytes", "bytes", "Bytes of multicast packets that the function's virtual port sent, without RDMA", "")
	vportSendBroadcastBytes    = counter(metric.Replayed, "vport_transmit_broadcast_bytes", "bytes", "Bytes of broadcast packets that the function's virtual port sent", "")

	vportReceiveDropped  = counter(metric.Replayed, "vport_receive_dropped", "packets", "Packets dropped on their way into the function's virtual port", "")
	vportTransmitDropped = counter(metric.Replayed, "vport_transmit_dropped", "packets", "Packets of the function dropped on their way out", "")
	vportReceiveErrors   = counter(metric.Replayed, "vport_receive_errors", "packets", "Bad packets at the function's virtual port", "")
	vportTransmitErrors  = counter(metric.Replayed, "vport_transmit_errors", "packets", "Packets that the function's virtual port could not send", "")
	vportUnknownProtocol = counter(metric.Replayed, "vport_receive_unknown_protocol", "packets", "Packets of a protocol that the device does not handle", "")
	vportOutOfBuffer     = counter(metric.FromSource, "vport_receive_out_of_buffer", "packets", "Packets lost because the function behind a representor had no receive buffers", "")
	vportSteerMissed     = counter(metric.Replayed, "vport_receive_steering_missed", "packets", "Packets that matched no steering rule and were dropped; some are normal (unknown MAC address or VLAN)", "")
	vportIfDown          = counter(metric.Replayed, "vport_receive_interface_down", "packets", "Packets that came while the interface was down", "")
	vportLoopbackPackets = counter(metric.FromSource, "vport_loopback_packets", "packets", "Packets between functions of this NIC that never were on the wire", "")
	vportLoopbackBytes   = counter(metric.FromSource, "vport_loopback_bytes", "bytes", "Bytes between functions of this NIC that never were on the wire", "")

	vportRDMAReceiveUnicast        = counter(metric.Replayed, "vport_rdma_receive_unicast_packets", "packets", "RDMA unicast packets that the function's virtual port received", "")
	vportRDMAReceiveUnicastBytes   = counter(metric.Replayed, "vport_rdma_receive_unicast_bytes", "bytes", "Bytes of RDMA unicast packets that the function's virtual port received", "")
	vportRDMASendUnicast           = counter(metric.Replayed, "vport_rdma_transmit_unicast_packets", "packets", "RDMA unicast packets that the function's virtual port sent", "")
	vportRDMASendUnicastBytes      = counter(metric.Replayed, "vport_rdma_transmit_unicast_bytes", "bytes", "Bytes of RDMA unicast packets that the function's virtual port sent", "")
	vportRDMAReceiveMulticast      = counter(metric.Replayed, "vport_rdma_receive_multicast_packets", "packets", "RDMA multicast packets that the function's virtual port received", "")
	vportRDMAReceiveMulticastBytes = counter(metric.Replayed, "vport_rdma_receive_multicast_bytes", "bytes", "Bytes of RDMA multicast packets that the function's virtual port received", "")
	vportRDMASendMulticast         = counter(metric.Replayed, "vport_rdma_transmit_multicast_packets", "packets", "RDMA multicast packets that the function's virtual port sent", "")
	vportRDMASendMulticastBytes    = counter(metric.Replayed, "vport_rdma_transmit_multicast_bytes", "bytes", "Bytes of RDMA multicast packets that the function's virtual port sent", "")
)

var vportQuantities = []*Quantity{
	vportReceivePackets, vportTransmitPackets, vportReceiveBytes, vportTransmitBytes,
	vportReceiveUnicast, vportReceiveMulticast, vportReceiveBroadcast, vportSendUnicast, vportSendMulticast, vportSendBroadcast,
	vportReceiveUnicastBytes, vportReceiveMulticastBytes, vportReceiveBroadcastBytes,
	vportSendUnicastBytes, vportSendMulticastBytes, vportSendBroadcastBytes,
	vportReceiveDropped, vportTransmitDropped, vportReceiveErrors, vportTransmitErrors, vportUnknownProtocol,
	vportOutOfBuffer, vportSteerMissed, vportIfDown, vportLoopbackPackets, vportLoopbackBytes,
	vportRDMAReceiveUnicast, vportRDMAReceiveUnicastBytes, vportRDMASendUnicast, vportRDMASendUnicastBytes,
	vportRDMAReceiveMulticast, vportRDMAReceiveMulticastBytes, vportRDMASendMulticast, vportRDMASendMulticastBytes,
}
