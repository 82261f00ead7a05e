/* SPDX-License-Identifier: GPL-2.0 */
/* What only an uplink has of ethtool's operations: ethtool.c lists them. */
#ifndef SOFTDPU_STANDARD_H
#define SOFTDPU_STANDARD_H

#include "softdpu.h"

/* standard.c */
void sd_get_pauseparam(struct net_device *dev, struct ethtool_pauseparam *pause);
void sd_get_pause_stats(struct net_device *dev, struct ethtool_pause_stats *s);
int sd_get_fecparam(struct net_device *dev, struct ethtool_fecparam *fec);
void sd_get_fec_stats(struct net_device *dev, struct ethtool_fec_stats *s,
		      struct ethtool_fec_hist *hist);
void sd_get_eth_mac_stats(struct net_device *dev, struct ethtool_eth_mac_stats *s);
void sd_get_eth_phy_stats(struct net_device *dev, struct ethtool_eth_phy_stats *s);
void sd_get_eth_ctrl_stats(struct net_device *dev, struct ethtool_eth_ctrl_stats *s);
void sd_get_rmon_stats(struct net_device *dev, struct ethtool_rmon_stats *s,
		       const struct ethtool_rmon_hist_range **ranges);

/* transceiver.c */
int sd_get_module_page(struct net_device *dev, const struct ethtool_module_eeprom *page,
		       struct netlink_ext_ack *extack);

#endif
