package collector

import (
	"slices"

	"github.com/dpu-exporter/dpu-exporter/metric"
)

// rdmaCounter ties a counter to its row.
type rdmaCounter struct {
	row  *metric.Row
	unit float64 // of the row's unit in one count
}

// words are what InfiniBand counts data in, whatever the number of lanes.
const words = 4 // bytes

// The rows of traffic have two sources: counters/ first.
var (
	rdmaReceiveBytes    = rdmaRow("receive_bytes", "bytes", "Bytes received", "port_rcv_data, 32-bit words × 4; else rx_bytes of hw_counters (bnxt_re, efa)", metric.Live)
	rdmaTransmitBytes   = rdmaRow("transmit_bytes", "bytes", "Bytes sent", "port_xmit_data, 32-bit words × 4; else tx_bytes of hw_counters (bnxt_re, efa)", metric.Live)
	rdmaReceivePackets  = rdmaRow("receive_packets", "packets", "Packets received", "port_rcv_packets, else rx_pkts of hw_counters (bnxt_re, efa)", metric.Live)
	rdmaTransmitPackets = rdmaRow("transmit_packets", "packets", "Packets sent", "port_xmit_packets, else tx_pkts of hw_counters (bnxt_re, efa)", metric.Live)
	rdmaLinkDowned      = rdmaRow("link_downed", "events", "Times the port failed to recover its link and went down", "link_downed", metric.Live)
)

// architectureCounters are the files of counters/ (InfiniBand Architecture
// Specification 16.1.3.5, PortCounters and PortCountersExtended;
// Documentation/ABI/stable/sysfs-class-infiniband).
var architectureCounters = map[string]rdmaCounter{
	"port_rcv_data":                   {rdmaReceiveBytes, words},
	"port_xmit_data":                  {rdmaTransmitBytes, words},
	"port_rcv_packets":                {rdmaReceivePackets, 1},
	"port_xmit_packets":               {rdmaTransmitPackets, 1},
	"link_downed":                     {rdmaLinkDowned, 1},
	"unicast_rcv_packets":             replayed("receive_unicast_packets", "packets", "Unicast packets received", "unicast_rcv_packets"),
	"unicast_xmit_packets":            replayed("transmit_unicast_packets", "packets", "Unicast packets sent", "unicast_xmit_packets"),
	"multicast_rcv_packets":           replayed("receive_multicast_packets", "packets", "Multicast packets received", "multicast_rcv_packets"),
	"multicast_xmit_packets":          replayed("transmit_multicast_packets", "packets", "Multicast packets sent", "multicast_xmit_packets"),
	"port_rcv_errors":                 replayed("receive_errors", "packets", "Packets received with an error", "port_rcv_errors"),
	"port_rcv_remote_physical_errors": replayed("receive_remote_physical_errors", "packets", "Packets received that were marked bad by the sender", "port_rcv_remote_physical_errors"),
	"port_rcv_switch_relay_errors":    replayed("receive_switch_relay_errors", "packets", "Packets received that a switch could not relay", "port_rcv_switch_relay_errors"),
	"port_rcv_constraint_errors":      replayed("receive_constraint_errors", "packets", "Packets received and dropped by partition or raw filters", "port_rcv_constraint_errors"),
	"port_xmit_constraint_errors":     replayed("transmit_constraint_errors", "packets", "Packets not sent because of partition or raw filters", "port_xmit_constraint_errors"),
	"port_xmit_discards":              replayed("transmit_discards", "packets", "Packets dropped because the port was down or congested", "port_xmit_discards"),
	"port_xmit_wait":                  replayed("transmit_wait_ticks", "ticks", "Ticks in which the port had data and no credit to send it; how long one is, is the device's choice", "port_xmit_wait"),
	"symbol_error":                    replayed("symbol_errors", "errors", "Minor link errors on the lanes", "symbol_error"),
	"link_error_recovery":             replayed("link_error_recoveries", "events", "Times the port recovered its link from an error", "link_error_recovery"),
	"local_link_integrity_errors":     replayed("local_link_integrity_errors", "errors", "Times local physical errors passed their threshold", "local_link_integrity_errors"),
	"excessive_buffer_overrun_errors": replayed("excessive_buffer_overruns", "errors", "Times the receive buffer overran again and again", "excessive_buffer_overrun_errors"),
	"VL15_dropped":                    replayed("vl15_dropped", "packets", "Management packets dropped for lack of buffers", "VL15_dropped"),
}

func rdmaRow(name, unit, help, source string, proof metric.Proof) *metric.Row {
	return &metric.Row{
		Name: "dpu_rdma_port_" + name + "_total", Kind: metric.Counter, Unit: unit, Labels: byRDMAPort, Proof: proof, Help: help, Source: source,
	}
}

func replayed(name, unit, help, file string) rdmaCounter {
	return rdmaCounter{rdmaRow(name, unit, help, "counters/"+file+" of sysfs", metric.Replayed), 1}
}

// ownCounters are what drivers count in hw_counters, by the row: the name of
// each driver for it. What is not here comes out under its own name.
var ownCounters = []struct {
	row   *metric.Row
	names []string
}{
	{rdmaReceiveBytes, []string{"rx_bytes", "rx_rdma_ucast_bytes", "rx_rdma_mcast_bytes", "rcvd_bytes"}},
	{rdmaTransmitBytes, []string{"tx_bytes", "tx_rdma_ucast_bytes", "tx_rdma_mcast_bytes", "sent_bytes"}},
	{rdmaReceivePackets, []string{"rx_pkts", "rx_rdma_ucast_pkts", "rx_rdma_mcast_pkts", "rcvd_pkts"}},
	{rdmaTransmitPackets, []string{"tx_pkts", "tx_rdma_ucast_pkts", "tx_rdma_mcast_pkts", "sent_pkts"}},
	{rdmaLinkDowned, []string{"link_downed"}},
	{own("out_of_buffer", "packets", "Packets dropped because the receiver had posted no buffer", metric.FromSource), []string{"out_of_buffer"}},
	{own("out_of_sequence", "packets", "Packets that arrived out of sequence", metric.Live), []string{"out_of_sequence", "out_of_seq_request", "res_oos_drop_count"}},
	{own("sequence_errors", "packets", "Negative acknowledgements for a sequence error that the requester received", metric.Live), []string{"packet_seq_err", "rcvd_seq_err", "seq_err_naks_rcvd"}},
	{own("implied_sequence_errors", "packets", "Acknowledgements that skipped a response, which the requester then asked for again", metric.FromSource), []string{"implied_nak_seq_err"}},
	{own("duplicate_requests", "packets", "Requests that arrived once more", metric.Live), []string{"duplicate_request", "dup_req"}},
	{own("ack_timeouts", "events", "Times the requester waited in vain for an acknowledgement and sent again", metric.FromSource), []string{"local_ack_timeout_err", "to_retransmits"}},
	{own("retries_exceeded", "events", "Times the requester gave up after its retries", metric.Live), []string{"retry_exceeded_err", "max_retry_exceeded", "req_transport_retries_exceeded"}},
	{own("receiver_not_ready", "packets", "Negative acknowledgements of a receiver that was not ready", metric.Live), []string{"rnr_nak_retry_err", "rcvd_rnr_err", "rnr_naks_rcvd"}},
	{own("adaptive_retransmissions", "packets", "Packets sent again by adaptive retransmission", metric.FromSource), []string{"roce_adp_retrans"}},
	{own("retransmitted_packets", "packets", "Packets sent again", metric.FromSource), []string{"retrans_pkts"}},
	{own("receive_icrc_errors", "packets", "RoCE packets with a wrong invariant CRC", metric.FromSource), []string{"rx_icrc_encapsulated"}},
	{own("cnp_sent", "packets", "Congestion notification packets sent: this port saw marked packets", metric.FromSource), []string{"np_cnp_sent", "tx_cnp_pkts", "cnpSent"}},
	{own("cnp_handled", "packets", "Congestion notification packets received that made this port slow down", metric.FromSource), []string{"rp_cnp_handled", "rx_cnp_pkts", "cnpHandled"}},
	{own("cnp_ignored", "packets", "Congestion notification packets received and ignored", metric.FromSource), []string{"rp_cnp_ignored", "cnpIgnored"}},
	{own("ecn_marked_packets", "packets", "Packets received with a mark of congestion", metric.FromSource), []string{"np_ecn_marked_roce_packets", "rx_ecn_marked_pkts", "RxECNMrkd"}},
	{own("request_cqe_errors", "completions", "Completions in error of the requester", metric.FromSource), []string{"req_cqe_error"}},
	{own("response_cqe_errors", "completions", "Completions in error of the responder", metric.FromSource), []string{"resp_cqe_error"}},
	{own("remote_access_errors", "errors", "Accesses that a key or its rights did not allow, as requester and responder", metric.FromSource), []string{"req_remote_access_errors", "resp_remote_access_errors"}},
	{own("receive_drops", "packets", "Packets received and dropped", metric.FromSource), []string{"rx_drops"}},
}

func own(name, unit, help string, proof metric.Proof) *metric.Row {
	return rdmaRow(name, unit, help, "hardware counters (RDMA_NLDEV_CMD_STAT_GET, else hw_counters of sysfs); collector/rdma_counters.go has each driver's name", proof)
}

// rowOfOwn is the row of a hardware counter, nil for one without.
func rowOfOwn(name string) *metric.Row {
	for _, c := range ownCounters {
		if slices.Contains(c.names, name) {
			return c.row
		}
	}
	return nil
}

// curatedRDMARows are the rows of ownCounters that no file of counters/ has.
func curatedRDMARows() []*metric.Row {
	var rows []*metric.Row
	for _, c := range ownCounters {
		known := false
		for _, a := range architectureCounters {
			known = known || a.row == c.row
		}
		if !known {
			rows = append(rows, c.row)
		}
	}
	return rows
}
