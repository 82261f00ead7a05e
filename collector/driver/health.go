package driver

import "github.com/dpu-exporter/dpu-exporter/metric"

// What a port counts for each IEEE 802.1p priority.
var (
	priorityReceiveBytes    = counter(metric.Replayed, "port_priority_receive_bytes", "bytes", "Bytes received with this priority", "priority")
	priorityTransmitBytes   = counter(metric.Replayed, "port_priority_transmit_bytes", "bytes", "Bytes sent with this priority", "priority")
	priorityReceivePackets  = counter(metric.Replayed, "port_priority_receive_packets", "packets", "Packets received with this priority", "priority")
	priorityTransmitPackets = counter(metric.Replayed, "port_priority_transmit_packets", "packets", "Packets sent with this priority", "priority")
	priorityReceiveDiscards = counter(metric.Replayed, "port_priority_receive_discards", "packets", "Packets of this priority dropped for lack of buffers", "priority")
	priorityBufferDiscards  = counter(metric.Replayed, "port_priority_receive_buffer_discards", "packets", "Packets of this priority dropped for lack of room in its host buffer", "priority")
	priorityCongestion      = counter(metric.Replayed, "port_priority_receive_congestion_discards", "packets", "Packets of this priority dropped because of congestion", "priority")
	priorityMarked          = counter(metric.Replayed, "port_priority_receive_ecn_marked", "packets", "Packets of this priority that the NIC marked with ECN", "priority")
	priorityReceivePause    = counter(metric.Replayed, "port_priority_receive_pause_packets", "packets", "Priority flow control packets received: the peer asked to stop this priority", "priority")
	priorityTransmitPause   = counter(metric.Replayed, "port_priority_transmit_pause_packets", "packets", "Priority flow control packets sent: this port asked to stop this priority", "priority")
	priorityReceiveSeconds  = counter(metric.Replayed, "port_priority_receive_pause_seconds", "seconds", "Time that the peer kept this priority from sending", "priority")
	priorityTransmitSeconds = counter(metric.Replayed, "port_priority_transmit_pause_seconds", "seconds", "Time for which this port kept the peer's priority from sending", "priority")
	priorityReceiveChanges  = counter(metric.Replayed, "port_priority_receive_pause_transitions", "events", "Times this priority was paused after it was not", "priority")
	priorityTransmitChanges = counter(metric.Replayed, "port_priority_transmit_pause_transitions", "events", "Times this port paused the peer's priority after it had not", "priority")
)

var priorityQuantities = []*Quantity{
	priorityReceiveBytes, priorityTransmitBytes, priorityReceivePackets, priorityTransmitPackets,
	priorityReceiveDiscards, priorityBufferDiscards, priorityCongestion, priorityMarked,
	priorityReceivePause, priorityTransmitPause, priorityReceiveSeconds, priorityTransmitSeconds,
	priorityReceiveChanges, priorityTransmitChanges,
}

// The health of cable, module and PCI link, and of the driver.
var (
	portLinkDown         = standard(metric.Replayed, "port_link_down_events", "events", "Times the physical link went down", "linkstate link_down_events")
	portSymbolErrorsPCS  = counter(metric.Replayed, "port_receive_pcs_symbol_errors", "errors", "Symbol errors left after forward error correction", "")
	portCorrectedBits    = standard(metric.Replayed, "port_fec_corrected_errors", "errors", "Bit errors that forward error correction mended", "fec corrected_bits")
	portCorrectedBlocks  = standard(metric.Replayed, "port_fec_corrected_blocks", "blocks", "FEC blocks with errors that were mended", "fec corrected_blocks")
	portLostBlocks       = standard(metric.Replayed, "port_fec_uncorrectable_blocks", "blocks", "FEC blocks with errors that could not be mended", "fec uncorrectable_blocks")
	laneCorrectedBits    = labelled(metric.FromSource, "port_fec_lane_corrected_errors", "errors", "Bit errors of one lane that forward error correction mended", "fec corrected_bits lane", "lane")
	laneCorrectedBlocks  = labelled(metric.FromSource, "port_fec_lane_corrected_blocks", "blocks", "FEC blocks of one lane with errors that were mended", "fec corrected_blocks lane", "lane")
	laneLostBlocks       = labelled(metric.FromSource, "port_fec_lane_uncorrectable_blocks", "blocks", "FEC blocks of one lane with errors that could not be mended", "fec uncorrectable_blocks lane", "lane")
	portLaneErrors       = counter(metric.Replayed, "port_lane_receive_errors", "errors", "Bit errors of one lane before or after correction, as the driver counts them", "lane")
	portBufferThreshold  = counter(metric.Replayed, "port_receive_buffer_passed_threshold", "events", "Times the port's receive buffer filled beyond its threshold", "")
	portLocalFaults      = counter(metric.FromSource, "port_local_faults", "events", "Faults of the local end of the link", "")
	portRemoteFaults     = counter(metric.FromSource, "port_remote_faults", "events", "Faults that the remote end of the link reported", "")
	moduleEvents         = counter(metric.Replayed, "module_events", "events", "What befell the module: unplugged, its bus stuck, too hot, shorted", "event")
	pciReceiveIntegrity  = counter(metric.Replayed, "pci_receive_signal_integrity_errors", "errors", "Signal integrity errors on the PCI link towards the device", "")
	pciTransmitIntegrity = counter(metric.Replayed, "pci_transmit_signal_integrity_errors", "errors", "Signal integrity errors on the PCI link towards the host", "")
	pciStalledReads      = gauge("pci_outbound_stalled_read_ratio", "Share of the last second that reads of host memory waited for the PCI link")
	pciStalledWrites     = gauge("pci_outbound_stalled_write_ratio", "Share of the last second that writes to host memory waited for the PCI link")
	pciStalledReadTime   = counter(metric.Replayed, "pci_outbound_stalled_read_seconds", "seconds", "Seconds in which reads of host memory waited for more than 30 % of the time", "")
	pciStalledWriteTime  = counter(metric.Replayed, "pci_outbound_stalled_write_seconds", "seconds", "Seconds in which writes to host memory waited for more than 30 % of the time", "")
	pciBufferOverflow    = counter(metric.FromSource, "pci_outbound_buffer_overflow", "packets", "Packets dropped because the PCI link was slower than the wire", "")
	driverTimeouts       = counter(metric.Replayed, "interface_driver_transmit_timeouts", "events", "Times the transmit watchdog found the device stuck", "")
	driverAllowance      = counter(metric.FromSource, "interface_driver_allowance_exceeded", "packets", "Packets queued or dropped because they exceeded what the cloud allows this instance", "allowance")
)

func gauge(name, help string) *Quantity {
	return &Quantity{Row: row(metric.Replayed, metric.Gauge, "dpu_"+name, "ratio", help, fromDriver, "")}
}

var healthQuantities = []*Quantity{
	portLinkDown, portSymbolErrorsPCS, portCorrectedBits, portCorrectedBlocks, portLostBlocks,
	laneCorrectedBits, laneCorrectedBlocks, laneLostBlocks, portLaneErrors,
	portBufferThreshold, portLocalFaults, portRemoteFaults, moduleEvents,
	pciReceiveIntegrity, pciTransmitIntegrity, pciStalledReads, pciStalledWrites, pciStalledReadTime, pciStalledWriteTime,
	pciBufferOverflow, driverTimeouts, driverAllowance,
}
