package driver

import "github.com/dpu-exporter/dpu-exporter/metric"

// What the physical port counted: all of its functions' traffic together.
var (
	portReceivePackets  = standard(metric.Replayed, "port_receive_packets", "packets", "Good packets that the physical port received, of all functions together", "eth-mac FramesReceivedOK")
	portTransmitPackets = standard(metric.Replayed, "port_transmit_packets", "packets", "Good packets that the physical port sent, of all functions together", "eth-mac FramesTransmittedOK")
	portReceiveBytes    = standard(metric.Replayed, "port_receive_bytes", "bytes", "Bytes that the physical port received, of all functions together; whether headers and FCS are counted is the driver's choice", "eth-mac OctetsReceivedOK")
	portTransmitBytes   = standard(metric.Replayed, "port_transmit_bytes", "bytes", "Bytes that the physical port sent, of all functions together; whether headers and FCS are counted is the driver's choice", "eth-mac OctetsTransmittedOK")
	portReceiveUnicast  = counter(metric.Replayed, "port_receive_unicast_packets", "packets", "Unicast packets that the physical port received", "")
	portSendUnicast     = counter(metric.Replayed, "port_transmit_unicast_packets", "packets", "Unicast packets that the physical port sent", "")
	portReceiveMulti    = standard(metric.Replayed, "port_receive_multicast_packets", "packets", "Multicast packets that the physical port received", "eth-mac MulticastFramesReceivedOK")
	portSendMulti       = standard(metric.Replayed, "port_transmit_multicast_packets", "packets", "Multicast packets that the physical port sent", "eth-mac MulticastFramesXmittedOK")
	portReceiveBroad    = standard(metric.Replayed, "port_receive_broadcast_packets", "packets", "Broadcast packets that the physical port received", "eth-mac BroadcastFramesReceivedOK")
	portSendBroad       = standard(metric.Replayed, "port_transmit_broadcast_packets", "packets", "Broadcast packets that the physical port sent", "eth-mac BroadcastFramesXmittedOK")

	portReceiveErrors   = counter(metric.Replayed, "port_receive_errors", "packets", "Bad packets that the physical port received, for any reason", "")
	portTransmitErrors  = standard(metric.Replayed, "port_transmit_errors", "packets", "Packets that the physical port failed to send", "eth-mac FramesLostDueToIntMACXmitError")
	portReceiveDiscards = counter(metric.Replayed, "port_receive_discards", "packets", "Packets that the physical port received and dropped for lack of buffers", "")
	portSendDiscards    = counter(metric.Replayed, "port_transmit_discards", "packets", "Packets that the physical port dropped instead of sending", "")
	portCRCErrors       = standard(metric.Replayed, "port_receive_crc_errors", "packets", "Packets with a wrong frame check sequence", "eth-mac FrameCheckSequenceErrors")
	portAlignErrors     = standard(metric.Replayed, "port_receive_alignment_errors", "packets", "Packets that were no whole number of octets", "eth-mac AlignmentErrors")
	portLengthErrors    = standard(metric.Replayed, "port_receive_length_errors", "packets", "Packets whose length field contradicts their length", "eth-mac InRangeLengthErrors")
	portLengthRange     = standard(metric.Replayed, "port_receive_length_out_of_range", "packets", "Packets whose length field is out of range", "eth-mac OutOfRangeLengthField")
	portTooLong         = standard(metric.Replayed, "port_receive_too_long", "packets", "Packets that were longer than allowed", "eth-mac FrameTooLongErrors")
	portMACErrors       = standard(metric.FromSource, "port_receive_mac_errors", "packets", "Packets lost inside the MAC", "eth-mac FramesLostDueToIntMACRcvError")
	portSymbolErrors    = standard(metric.Replayed, "port_receive_symbol_errors", "packets", "Packets with a symbol error on the wire", "eth-phy SymbolErrorDuringCarrier")
	portUndersize       = standard(metric.Replayed, "port_receive_undersize", "packets", "Packets shorter than 64 octets with a good FCS", "rmon etherStatsUndersizePkts")
	portOversize        = standard(metric.Replayed, "port_receive_oversize", "packets", "Packets longer than the maximum with a good FCS", "rmon etherStatsOversizePkts")
	portFragments       = standard(metric.Replayed, "port_receive_fragments", "packets", "Packets shorter than 64 octets with a bad FCS", "rmon etherStatsFragments")
	portJabbers         = standard(metric.Replayed, "port_receive_jabbers", "packets", "Packets longer than the maximum with a bad FCS", "rmon etherStatsJabbers")

	portCollisions      = counter(metric.Replayed, "port_transmit_collisions", "collisions", "Collisions while sending", "")
	portSingleCollision = standard(metric.Replayed, "port_transmit_single_collisions", "packets", "Packets sent after one collision", "eth-mac SingleCollisionFrames")
	portMultiCollisions = standard(metric.Replayed, "port_transmit_multiple_collisions", "packets", "Packets sent after more than one collision", "eth-mac MultipleCollisionFrames")
	portLateCollisions  = standard(metric.Replayed, "port_transmit_late_collisions", "packets", "Packets lost to a late collision", "eth-mac LateCollisions")
	portExcessCollision = standard(metric.Replayed, "port_transmit_excessive_collisions", "packets", "Packets lost to too many collisions", "eth-mac FramesAbortedDueToXSColls")
	portDeferred        = standard(metric.Replayed, "port_transmit_deferred", "packets", "Packets delayed because the medium was busy", "eth-mac FramesWithDeferredXmissions")
	portExcessDeferral  = standard(metric.FromSource, "port_transmit_excessive_deferral", "packets", "Packets delayed for too long", "eth-mac FramesWithExcessiveDeferral")
	portCarrierErrors   = standard(metric.Replayed, "port_transmit_carrier_errors", "packets", "Packets during which the carrier was lost", "eth-mac CarrierSenseErrors")

	portControlReceived = standard(metric.Replayed, "port_receive_control_packets", "packets", "MAC control packets received", "eth-ctrl MACControlFramesReceived")
	portControlSent     = standard(metric.Replayed, "port_transmit_control_packets", "packets", "MAC control packets sent", "eth-ctrl MACControlFramesTransmitted")
	portControlUnknown  = standard(metric.Replayed, "port_receive_control_unsupported", "packets", "MAC control packets with an unsupported operation", "eth-ctrl UnsupportedOpcodesReceived")

	portReceiveSizes  = labelled(metric.Replayed, "port_receive_packets_by_size", "packets", "Packets received by their size in octets, as the driver groups them", "rmon rx-pktsNtoM", "size")
	portTransmitSizes = labelled(metric.Replayed, "port_transmit_packets_by_size", "packets", "Packets sent by their size in octets, as the driver groups them", "rmon tx-pktsNtoM", "size")

	portReceivePause          = standard(metric.Replayed, "port_receive_pause_packets", "packets", "Pause packets received: the peer asked this port to stop", "pause rx_pause_frames")
	portTransmitPause         = standard(metric.Replayed, "port_transmit_pause_packets", "packets", "Pause packets sent: this port asked the peer to stop", "pause tx_pause_frames")
	portReceivePauseSeconds   = counter(metric.Replayed, "port_receive_pause_seconds", "seconds", "Time that the peer's pause packets kept this port from sending", "")
	portTransmitPauseSeconds  = counter(metric.Replayed, "port_transmit_pause_seconds", "seconds", "Time for which this port's pause packets kept the peer from sending", "")
	portReceivePauseChanges   = counter(metric.Replayed, "port_receive_pause_transitions", "events", "Times this port was paused after it was not", "")
	portPauseStorms           = labelled(metric.Replayed, "port_transmit_pause_storms", "events", "Times this port paused its peer for so long that the device warned, or (error) stopped sending pause", "pause tx_pause_storm_events", "severity")
	portReceivePriorityPauses = counter(metric.Replayed, "port_receive_priority_pause_packets", "packets", "Priority flow control packets received, of all priorities together", "")
	portSendPriorityPauses    = counter(metric.Replayed, "port_transmit_priority_pause_packets", "packets", "Priority flow control packets sent, of all priorities together", "")
)

var portQuantities = []*Quantity{
	portReceivePackets, portTransmitPackets, portReceiveBytes, portTransmitBytes,
	portReceiveUnicast, portSendUnicast, portReceiveMulti, portSendMulti, portReceiveBroad, portSendBroad,
	portReceiveErrors, portTransmitErrors, portReceiveDiscards, portSendDiscards,
	portCRCErrors, portAlignErrors, portLengthErrors, portLengthRange, portTooLong, portMACErrors, portSymbolErrors,
	portUndersize, portOversize, portFragments, portJabbers,
	portCollisions, portSingleCollision, portMultiCollisions, portLateCollisions, portExcessCollision,
	portDeferred, portExcessDeferral, portCarrierErrors,
	portControlReceived, portControlSent, portControlUnknown, portReceiveSizes, portTransmitSizes,
	portReceivePause, portTransmitPause, portReceivePauseSeconds, portTransmitPauseSeconds,
	portReceivePauseChanges, portPauseStorms, portReceivePriorityPauses, portSendPriorityPauses,
}
