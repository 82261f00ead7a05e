/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is counted of a port, by the names that mlx5's `ethtool -S` has for it. A side of a port
 * (enum sd_side) has all of them; the sets say which a netdev tells. Those in no set are told in
 * other ways, and all can be set by debugfs.
 *
 * Packets of the software, which rx_packets and its like count, are those of the netdev itself: on
 * an uplink or a representor the slow path. vport_*, *_phy are the eswitch's own, of all traffic.
 */
#ifndef SOFTDPU_COUNTERS_H
#define SOFTDPU_COUNTERS_H

#define SD_QUEUES 4

#define SD_F 1	/* netdev of a function: PF, VF, SF */
#define SD_R 2	/* representor */
#define SD_U 4	/* uplink */
#define SD_FU (SD_F | SD_U)
#define SD_ALL (SD_F | SD_R | SD_U)

/*
 * X(name, sets); XN(name, pattern, sets, how many); XA is an XN whose names alternate with those of
 * the one before it, as mlx5's do: rx_prio0_bytes, rx_prio0_packets, rx_prio1_bytes, ...
 */
#define SD_COUNTERS(X, XN, XA) \
	/* software */ \
	X(rx_packets, SD_ALL) X(rx_bytes, SD_ALL) X(tx_packets, SD_ALL) X(tx_bytes, SD_ALL) \
	X(tx_tso_packets, SD_FU) X(tx_tso_bytes, SD_FU) X(tx_added_vlan_packets, SD_FU) \
	X(rx_lro_packets, SD_FU) X(rx_lro_bytes, SD_FU) X(rx_ecn_mark, SD_FU) \
	X(rx_removed_vlan_packets, SD_FU) X(rx_csum_unnecessary, SD_FU) X(rx_csum_none, SD_FU) \
	X(rx_csum_complete, SD_FU) X(rx_xdp_drop, SD_FU) X(tx_csum_none, SD_FU) \
	X(tx_csum_partial, SD_FU) X(tx_queue_stopped, SD_FU) X(tx_queue_dropped, SD_FU) \
	X(tx_recover, SD_FU) X(tx_queue_wake, SD_FU) X(tx_cqe_err, SD_FU) X(rx_wqe_err, SD_FU) \
	X(rx_oversize_pkts_sw_drop, SD_FU) X(rx_buff_alloc_err, SD_FU) X(rx_recover, SD_FU) \
	X(ch_events, SD_FU) X(ch_poll, SD_FU) X(ch_eq_rearm, SD_FU) \
	/* the representor's view of the vport */ \
	X(vport_rx_packets, SD_R) X(vport_rx_bytes, SD_R) X(vport_tx_packets, SD_R) X(vport_tx_bytes, SD_R) \
	/* queue counters and steering */ \
	X(rx_out_of_buffer, SD_FU) X(rx_if_down_packets, SD_FU) X(rx_steer_missed_packets, SD_FU) \
	/* the netdev's own vport */ \
	X(rx_vport_unicast_packets, SD_FU) X(rx_vport_unicast_bytes, SD_FU) \
	X(tx_vport_unicast_packets, SD_FU) X(tx_vport_unicast_bytes, SD_FU) \
	X(rx_vport_multicast_packets, SD_FU) X(rx_vport_multicast_bytes, SD_FU) \
	X(tx_vport_multicast_packets, SD_FU) X(tx_vport_multicast_bytes, SD_FU) \
	X(rx_vport_broadcast_packets, SD_FU) X(rx_vport_broadcast_bytes, SD_FU) \
	X(tx_vport_broadcast_packets, SD_FU) X(tx_vport_broadcast_bytes, SD_FU) \
	X(rx_vport_rdma_unicast_packets, SD_ALL) X(rx_vport_rdma_unicast_bytes, SD_ALL) \
	X(tx_vport_rdma_unicast_packets, SD_ALL) X(tx_vport_rdma_unicast_bytes, SD_ALL) \
	X(rx_vport_rdma_multicast_packets, SD_ALL) X(rx_vport_rdma_multicast_bytes, SD_ALL) \
	X(tx_vport_rdma_multicast_packets, SD_ALL) X(tx_vport_rdma_multicast_bytes, SD_ALL) \
	X(vport_loopback_packets, SD_R) X(vport_loopback_bytes, SD_R) X(rx_vport_out_of_buffer, SD_R) \
	/* the physical port: IEEE 802.3, RFC 2863, RFC 2819 */ \
	X(tx_packets_phy, SD_U) X(rx_packets_phy, SD_U) X(rx_crc_errors_phy, SD_U) X(tx_bytes_phy, SD_U) \
	X(rx_bytes_phy, SD_U) X(tx_multicast_phy, SD_U) X(tx_broadcast_phy, SD_U) X(rx_multicast_phy, SD_U) \
	X(rx_broadcast_phy, SD_U) X(rx_in_range_len_errors_phy, SD_U) X(rx_out_of_range_len_phy, SD_U) \
	X(rx_oversize_pkts_phy, SD_U) X(rx_symbol_err_phy, SD_U) X(tx_mac_control_phy, SD_U) \
	X(rx_mac_control_phy, SD_U) X(rx_unsupported_op_phy, SD_U) X(rx_pause_ctrl_phy, SD_U) \
	X(tx_pause_ctrl_phy, SD_U) X(rx_discards_phy, SD_U) X(tx_discards_phy, SD_U) X(tx_errors_phy, SD_U) \
	X(rx_undersize_pkts_phy, SD_U) X(rx_fragments_phy, SD_U) X(rx_jabbers_phy, SD_U) \
	X(rx_64_bytes_phy, SD_U) X(rx_65_to_127_bytes_phy, SD_U) X(rx_128_to_255_bytes_phy, SD_U) \
	X(rx_256_to_511_bytes_phy, SD_U) X(rx_512_to_1023_bytes_phy, SD_U) X(rx_1024_to_1518_bytes_phy, SD_U) \
	X(rx_1519_to_2047_bytes_phy, SD_U) X(rx_2048_to_4095_bytes_phy, SD_U) \
	X(rx_4096_to_8191_bytes_phy, SD_U) X(rx_8192_to_10239_bytes_phy, SD_U) X(link_down_events_phy, SD_U) \
	X(rx_pcs_symbol_err_phy, SD_U) X(rx_corrected_bits_phy, SD_U) \
	XN(rx_err_lane_phy, "rx_err_lane_%u_phy", SD_U, 4) \
	X(rx_buffer_passed_thres_phy, SD_U) X(rx_pci_signal_integrity, SD_U) X(tx_pci_signal_integrity, SD_U) \
	X(outbound_pci_stalled_rd, SD_U) X(outbound_pci_stalled_wr, SD_U) \
	XN(rx_prio_bytes, "rx_prio%u_bytes", SD_U, 8) XA(rx_prio_packets, "rx_prio%u_packets", SD_U, 8) \
	XA(rx_prio_discards, "rx_prio%u_discards", SD_U, 8) XA(tx_prio_bytes, "tx_prio%u_bytes", SD_U, 8) \
	XA(tx_prio_packets, "tx_prio%u_packets", SD_U, 8) XN(rx_prio_pause, "rx_prio%u_pause", SD_U, 8) \
	XA(rx_prio_pause_duration, "rx_prio%u_pause_duration", SD_U, 8) \
	XA(tx_prio_pause, "tx_prio%u_pause", SD_U, 8) \
	XA(tx_prio_pause_duration, "tx_prio%u_pause_duration", SD_U, 8) \
	X(tx_pause_storm_warning_events, SD_U) X(tx_pause_storm_error_events, SD_U) X(module_unplug, SD_U) \
	X(module_bus_stuck, SD_U) X(module_high_temp, SD_U) X(module_bad_shorted, SD_U) \
	/* queues */ \
	XN(ch_n_events, "ch%u_events", SD_FU, SD_QUEUES) XA(ch_n_poll, "ch%u_poll", SD_FU, SD_QUEUES) \
	XN(rx_n_packets, "rx%u_packets", SD_FU, SD_QUEUES) XA(rx_n_bytes, "rx%u_bytes", SD_FU, SD_QUEUES) \
	XA(rx_n_csum_none, "rx%u_csum_none", SD_FU, SD_QUEUES) XA(rx_n_wqe_err, "rx%u_wqe_err", SD_FU, SD_QUEUES) \
	XA(rx_n_buff_alloc_err, "rx%u_buff_alloc_err", SD_FU, SD_QUEUES) \
	XN(tx_n_packets, "tx%u_packets", SD_FU, SD_QUEUES) XA(tx_n_bytes, "tx%u_bytes", SD_FU, SD_QUEUES) \
	XA(tx_n_stopped, "tx%u_stopped", SD_FU, SD_QUEUES) XA(tx_n_dropped, "tx%u_dropped", SD_FU, SD_QUEUES) \
	XA(tx_n_wake, "tx%u_wake", SD_FU, SD_QUEUES) XA(tx_n_cqe_err, "tx%u_cqe_err", SD_FU, SD_QUEUES) \
	XN(rx_prio_buf_discard, "rx_prio%u_buf_discard", SD_U, 8) \
	XN(rx_prio_cong_discard, "rx_prio%u_cong_discard", SD_U, 8) \
	XA(rx_prio_marked, "rx_prio%u_marked", SD_U, 8) \
	/* stats64 and VF statistics alone */ \
	X(rx_dropped, 0) X(tx_dropped, 0) X(vport_rx_multicast, 0) X(vport_rx_broadcast, 0) \
	X(vport_rx_dropped, 0) X(vport_tx_multicast, 0) X(vport_tx_broadcast, 0) X(vport_tx_dropped, 0) \
	/* standard statistics alone */ \
	XN(tx_hist_phy, "tx_hist_phy_%u", 0, 10) XN(fec_hist_phy, "fec_hist_phy_%u", 0, 4) \
	X(fec_corrected_blocks, 0) X(fec_uncorrectable_blocks, 0) X(tx_pause_storm_events, 0) \
	/* the vnic health reporter */ \
	X(total_error_queues, 0) X(send_queue_priority_update_flow, 0) X(comp_eq_overrun, 0) \
	X(async_eq_overrun, 0) X(cq_overrun, 0) X(invalid_command, 0) X(quota_exceeded_command, 0) \
	X(nic_receive_steering_discard, 0) X(generated_pkt_steering_fail, 0) X(handled_pkt_steering_fail, 0) \
	/* gauges: the module and the link */ \
	X(module_temperature_millidegrees, 0) X(module_voltage_millivolts, 0) \
	XN(module_rx_power_nanowatts, "module_rx_power_nanowatts_%u", 0, 4) \
	XN(module_tx_power_nanowatts, "module_tx_power_nanowatts_%u", 0, 4) \
	XN(module_tx_bias_microamperes, "module_tx_bias_microamperes_%u", 0, 4) \
	X(speed_megabits, 0) X(lanes, 0) X(ext_state, 0) X(ext_substate, 0)

#define X(name, sets) SD_##name,
#define XN(name, pattern, sets, n) SD_##name, SD_##name##_last = SD_##name + (n) - 1,
enum sd_counter { SD_COUNTERS(X, XN, XN) SD_COUNTER_MAX };
#undef X
#undef XN

#endif
