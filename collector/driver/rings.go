package driver

import "github.com/dpu-exporter/dpu-exporter/metric"

// What the driver's own rings carried and lost: the traffic of the CPU that the
// device belongs to, not of the port. On a representor it is the slow path.
var (
	ringReceivePackets     = queued(metric.Replayed, "receive_packets", "packets", "Packets that the driver's receive rings delivered; on a representor its slow path")
	ringTransmitPackets    = queued(metric.Replayed, "transmit_packets", "packets", "Packets that the driver's transmit rings took; on a representor its slow path")
	ringReceiveBytes       = queued(metric.Replayed, "receive_bytes", "bytes", "Bytes that the driver's receive rings delivered; on a representor its slow path")
	ringTransmitBytes      = queued(metric.Replayed, "transmit_bytes", "bytes", "Bytes that the driver's transmit rings took; on a representor its slow path")
	ringReceiveErrors      = queued(metric.Replayed, "receive_errors", "packets", "Packets that came with an error to the driver's receive rings")
	ringTransmitErrors     = queued(metric.Replayed, "transmit_errors", "packets", "Packets that the driver's transmit rings failed to send")
	ringReceiveDropped     = queued(metric.Replayed, "receive_dropped", "packets", "Packets dropped at the driver's receive rings")
	ringTransmitDropped    = queued(metric.Replayed, "transmit_dropped", "packets", "Packets dropped at the driver's transmit rings")
	ringOutOfBuffer        = queued(metric.Replayed, "receive_out_of_buffer", "packets", "Packets dropped because the host had given the receive rings no buffers")
	ringAllocationErrors   = queued(metric.Replayed, "receive_allocation_errors", "events", "Failures to allocate a receive buffer")
	ringReceiveCompletions = queued(metric.Replayed, "receive_completion_errors", "events", "Completions of receive rings with an error")
	ringTransmitCompletion = queued(metric.Replayed, "transmit_completion_errors", "events", "Completions of transmit rings with an error")
	ringReceiveRecoveries  = queued(metric.Replayed, "receive_recoveries", "events", "Recoveries or resets of a receive ring")
	ringTransmitRecoveries = queued(metric.Replayed, "transmit_recoveries", "events", "Recoveries of a transmit ring")
	ringStopped            = queued(metric.Replayed, "transmit_queue_stops", "events", "Times a transmit ring was full and its queue stopped")
	ringWoken              = queued(metric.Replayed, "transmit_queue_wakes", "events", "Times a stopped transmit queue was woken")
	ringTSOPackets         = queued(metric.Replayed, "transmit_tso_packets", "packets", "Packets handed to the device for segmentation")
	ringTSOBytes           = queued(metric.Replayed, "transmit_tso_bytes", "bytes", "Bytes handed to the device for segmentation")
	ringLROPackets         = queued(metric.Replayed, "receive_lro_packets", "packets", "Packets that the device merged (LRO, hardware GRO, TPA)")
	ringLROBytes           = queued(metric.Replayed, "receive_lro_bytes", "bytes", "Bytes of the packets that the device merged")
	ringChecksumErrors     = queued(metric.Replayed, "receive_checksum_errors", "packets", "Packets whose checksum the device found wrong")
	ringChecksumVerified   = queued(metric.Replayed, "receive_checksum_verified", "packets", "Packets whose checksum the device verified")
	ringChecksumNone       = queued(metric.Replayed, "receive_checksum_unverified", "packets", "Packets whose checksum was left to the CPU")
	ringLinearized         = queued(metric.Replayed, "transmit_linearized", "packets", "Packets copied because they had too many fragments")
	ringMappingErrors      = queued(metric.Replayed, "mapping_errors", "events", "Failures to map a buffer for the device")
	ringRearms             = queued(metric.Replayed, "event_queue_rearms", "events", "Lost interrupts that the driver made up for by polling the event queue")
	ringMissedInterrupts   = queued(metric.Replayed, "missed_interrupts", "events", "Interrupts that the driver found missing")
	ringXDPPackets         = queued(metric.Live, "xdp_packets", "packets", "Packets that an XDP program saw")
	ringXDPBytes           = queued(metric.Live, "xdp_bytes", "bytes", "Bytes of the packets that an XDP program saw")
	ringXDPDropped         = queued(metric.Live, "xdp_dropped", "packets", "Packets that an XDP program dropped")
	ringXDPTransmitted     = queued(metric.Live, "xdp_transmitted", "packets", "Packets that an XDP program sent back (XDP_TX)")
	ringXDPTransmitErrors  = queued(metric.Live, "xdp_transmit_errors", "packets", "Packets that an XDP program failed to send back")
	ringXDPRedirected      = queued(metric.Live, "xdp_redirected", "packets", "Packets that an XDP program redirected")
	ringXDPReceived        = queued(metric.Live, "xdp_forwarded", "packets", "Packets redirected to this device by XDP and sent by it")
	ringXDPReceiveErrors   = queued(metric.Live, "xdp_forward_errors", "packets", "Packets redirected to this device by XDP that it could not send")
	ringDrops              = queued(metric.Live, "receive_ring_full", "packets", "Packets dropped because a receive ring was full")
)

var ringQuantities = []*Quantity{
	ringReceivePackets, ringTransmitPackets, ringReceiveBytes, ringTransmitBytes,
	ringReceiveErrors, ringTransmitErrors, ringReceiveDropped, ringTransmitDropped,
	ringOutOfBuffer, ringAllocationErrors, ringReceiveCompletions, ringTransmitCompletion,
	ringReceiveRecoveries, ringTransmitRecoveries, ringStopped, ringWoken,
	ringTSOPackets, ringTSOBytes, ringLROPackets, ringLROBytes,
	ringChecksumErrors, ringChecksumVerified, ringChecksumNone, ringLinearized,
	ringMappingErrors, ringRearms, ringMissedInterrupts,
	ringXDPPackets, ringXDPBytes, ringXDPDropped, ringXDPTransmitted, ringXDPTransmitErrors,
	ringXDPRedirected, ringXDPReceived, ringXDPReceiveErrors, ringDrops,
}
