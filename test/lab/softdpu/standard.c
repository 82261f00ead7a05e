// SPDX-License-Identifier: GPL-2.0
/*
 * The statistics of an uplink that have the same name with every vendor, each from the counter of
 * its meaning in IEEE 802.3 clause 30 or RFC 2819. What fails leaves them as not told.
 */
#include "standard.h"

static u64 sd_phy(const struct sd_port *p, enum sd_counter c)
{
	return sd_counter(p, SD_ESWITCH, c);
}

void sd_get_pauseparam(struct net_device *dev, struct ethtool_pauseparam *pause)
{
	pause->rx_pause = true;
	pause->tx_pause = true;
}

void sd_get_pause_stats(struct net_device *dev, struct ethtool_pause_stats *s)
{
	struct sd_port *p = sd_port_of(dev);

	if (sd_fault(&p->faults, SD_OP_PAUSE))
		return;
	s->tx_pause_frames = sd_phy(p, SD_tx_pause_ctrl_phy);
	s->rx_pause_frames = sd_phy(p, SD_rx_pause_ctrl_phy);
	s->tx_pause_storm_events = sd_phy(p, SD_tx_pause_storm_events);
	sd_counters_read(p, SD_ESWITCH);
}

/* The core asks for this before the statistics, and for those only if this is well. */
int sd_get_fecparam(struct net_device *dev, struct ethtool_fecparam *fec)
{
	fec->fec = ETHTOOL_FEC_AUTO | ETHTOOL_FEC_RS;
	fec->active_fec = netif_carrier_ok(dev) ? ETHTOOL_FEC_RS : ETHTOOL_FEC_NONE;
	return sd_fault(&sd_port_of(dev)->faults, SD_OP_FEC);
}

/* corrected symbols in a codeword of RS(544,514), which can correct 15 */
static const struct ethtool_fec_hist_range sd_fec_ranges[] = {
	{ 0, 0 }, { 1, 3 }, { 4, 7 }, { 8, 15 }, {}
};

/* Lanes or a total: the core shows the sum of lanes where there are both. */
void sd_get_fec_stats(struct net_device *dev, struct ethtool_fec_stats *s,
		      struct ethtool_fec_hist *hist)
{
	struct sd_port *p = sd_port_of(dev);
	unsigned int i;

	s->corrected_blocks.total = sd_phy(p, SD_fec_corrected_blocks);
	s->uncorrectable_blocks.total = sd_phy(p, SD_fec_uncorrectable_blocks);
	for (i = 0; i < 4; i++)
		s->corrected_bits.lanes[i] = sd_phy(p, SD_rx_err_lane_phy + i);
	hist->ranges = sd_fec_ranges;
	for (i = 0; i < 4; i++)
		hist->values[i].sum = sd_phy(p, SD_fec_hist_phy + i);
	sd_counters_read(p, SD_ESWITCH);
}

void sd_get_eth_mac_stats(struct net_device *dev, struct ethtool_eth_mac_stats *s)
{
	struct sd_port *p = sd_port_of(dev);

	if (sd_fault(&p->faults, SD_OP_MAC))
		return;
	s->FramesTransmittedOK = sd_phy(p, SD_tx_packets_phy);
	s->FramesReceivedOK = sd_phy(p, SD_rx_packets_phy);
	s->FrameCheckSequenceErrors = sd_phy(p, SD_rx_crc_errors_phy);
	s->OctetsTransmittedOK = sd_phy(p, SD_tx_bytes_phy);
	s->OctetsReceivedOK = sd_phy(p, SD_rx_bytes_phy);
	s->MulticastFramesXmittedOK = sd_phy(p, SD_tx_multicast_phy);
	s->BroadcastFramesXmittedOK = sd_phy(p, SD_tx_broadcast_phy);
	s->MulticastFramesReceivedOK = sd_phy(p, SD_rx_multicast_phy);
	s->BroadcastFramesReceivedOK = sd_phy(p, SD_rx_broadcast_phy);
	s->InRangeLengthErrors = sd_phy(p, SD_rx_in_range_len_errors_phy);
	s->OutOfRangeLengthField = sd_phy(p, SD_rx_out_of_range_len_phy);
	s->FrameTooLongErrors = sd_phy(p, SD_rx_oversize_pkts_phy);
	sd_counters_read(p, SD_ESWITCH);
}

void sd_get_eth_phy_stats(struct net_device *dev, struct ethtool_eth_phy_stats *s)
{
	struct sd_port *p = sd_port_of(dev);

	if (sd_fault(&p->faults, SD_OP_PHY))
		return;
	s->SymbolErrorDuringCarrier = sd_phy(p, SD_rx_symbol_err_phy);
	sd_counters_read(p, SD_ESWITCH);
}

void sd_get_eth_ctrl_stats(struct net_device *dev, struct ethtool_eth_ctrl_stats *s)
{
	struct sd_port *p = sd_port_of(dev);

	if (sd_fault(&p->faults, SD_OP_CTRL))
		return;
	s->MACControlFramesTransmitted = sd_phy(p, SD_tx_mac_control_phy);
	s->MACControlFramesReceived = sd_phy(p, SD_rx_mac_control_phy);
	s->UnsupportedOpcodesReceived = sd_phy(p, SD_rx_unsupported_op_phy);
	sd_counters_read(p, SD_ESWITCH);
}

/* as the names of rx_64_bytes_phy and those that follow it say */
static const struct ethtool_rmon_hist_range sd_lengths[] = {
	{ 0, 64 }, { 65, 127 }, { 128, 255 }, { 256, 511 }, { 512, 1023 }, { 1024, 1518 },
	{ 1519, 2047 }, { 2048, 4095 }, { 4096, 8191 }, { 8192, 10239 }, {}
};

void sd_get_rmon_stats(struct net_device *dev, struct ethtool_rmon_stats *s,
		       const struct ethtool_rmon_hist_range **ranges)
{
	struct sd_port *p = sd_port_of(dev);
	unsigned int i;

	if (sd_fault(&p->faults, SD_OP_RMON))
		return;
	s->undersize_pkts = sd_phy(p, SD_rx_undersize_pkts_phy);
	s->oversize_pkts = sd_phy(p, SD_rx_oversize_pkts_phy);
	s->fragments = sd_phy(p, SD_rx_fragments_phy);
	s->jabbers = sd_phy(p, SD_rx_jabbers_phy);
	for (i = 0; i < ARRAY_SIZE(sd_lengths) - 1; i++) {
		s->hist[i] = sd_phy(p, SD_rx_64_bytes_phy + i);
		s->hist_tx[i] = sd_phy(p, SD_tx_hist_phy + i);
	}
	*ranges = sd_lengths;
	sd_counters_read(p, SD_ESWITCH);
}
