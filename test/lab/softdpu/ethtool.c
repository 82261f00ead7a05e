// SPDX-License-Identifier: GPL-2.0
/* ethtool of an uplink, a representor and a function. Its operations run under rtnl. */
#include "standard.h"

static void sd_get_drvinfo(struct net_device *dev, struct ethtool_drvinfo *info)
{
	struct sd_port *p = sd_port_of(dev);
	bool representor = p->kind != SD_UPLINK && sd_netdev(dev)->side == SD_ESWITCH;

	strscpy(info->driver, representor ? p->sd->rep_driver : p->sd->driver);
	strscpy(info->fw_version, SD_FIRMWARE " (" SD_PSID ")");
}

static u8 sd_set(const struct net_device *dev)
{
	if (sd_netdev(dev)->side == SD_FUNCTION)
		return SD_F;
	return sd_port_of(dev)->kind == SD_UPLINK ? SD_U : SD_R;
}

/* The core counts before each read of names or values, in the same hold of rtnl. */
static int sd_get_sset_count(struct net_device *dev, int sset)
{
	struct sd_netdev *nd = sd_netdev(dev);
	const struct sd_faults *f = &nd->port->faults;
	int err;

	if (sset != ETH_SS_STATS)
		return -EOPNOTSUPP;
	err = sd_fault(f, SD_OP_STRINGS);
	if (err)
		return err;
	nd->extra = READ_ONCE(f->more_strings);
	if (++nd->asked % 2 == 0)
		nd->extra += READ_ONCE(f->strings);
	return sd_strings(sd_set(dev), NULL) + nd->extra;
}

static void sd_get_strings(struct net_device *dev, u32 sset, u8 *to)
{
	unsigned int i;

	if (sset != ETH_SS_STATS)
		return;
	to += sd_strings(sd_set(dev), to) * ETH_GSTRING_LEN;
	for (i = 0; i < sd_netdev(dev)->extra; i++)
		ethtool_sprintf(&to, "extra_%u", i);
}

static void sd_get_stats(struct net_device *dev, struct ethtool_stats *stats, u64 *to)
{
	struct sd_netdev *nd = sd_netdev(dev);
	unsigned int i;

	if (sd_fault(&nd->port->faults, SD_OP_STATS))
		return;
	to += sd_values(nd->port, nd->side, sd_set(dev), to);
	for (i = 0; i < nd->extra; i++)
		to[i] = i;
	sd_counters_read(nd->port, nd->side);
}

/* what a QSFP56 port can do over fibre */
static const struct {
	unsigned int bit, speed, lanes;
} sd_modes[] = {
	{ ETHTOOL_LINK_MODE_25000baseSR_Full_BIT, 25000, 1 },
	{ ETHTOOL_LINK_MODE_50000baseSR_Full_BIT, 50000, 1 },
	{ ETHTOOL_LINK_MODE_50000baseSR2_Full_BIT, 50000, 2 },
	{ ETHTOOL_LINK_MODE_100000baseSR2_Full_BIT, 100000, 2 },
	{ ETHTOOL_LINK_MODE_100000baseSR4_Full_BIT, 100000, 4 },
	{ ETHTOOL_LINK_MODE_100000baseLR4_ER4_Full_BIT, 100000, 4 },
	{ ETHTOOL_LINK_MODE_200000baseSR4_Full_BIT, 200000, 4 },
	{ ETHTOOL_LINK_MODE_200000baseLR4_ER4_FR4_Full_BIT, 200000, 4 },
};

/* Speed and lanes are a test's to choose: what has both is advertised. */
static void sd_uplink_modes(struct ethtool_link_ksettings *k, unsigned int speed,
			    unsigned int lanes)
{
	static const unsigned int always[] = {
		ETHTOOL_LINK_MODE_FIBRE_BIT, ETHTOOL_LINK_MODE_Autoneg_BIT,
		ETHTOOL_LINK_MODE_Pause_BIT, ETHTOOL_LINK_MODE_FEC_RS_BIT,
	};
	unsigned int i;

	k->base.port = PORT_FIBRE;
	k->base.autoneg = AUTONEG_ENABLE;
	for (i = 0; i < ARRAY_SIZE(always); i++) {
		__set_bit(always[i], k->link_modes.supported);
		__set_bit(always[i], k->link_modes.advertising);
	}
	for (i = 0; i < ARRAY_SIZE(sd_modes); i++) {
		__set_bit(sd_modes[i].bit, k->link_modes.supported);
		if (sd_modes[i].speed == speed && sd_modes[i].lanes == lanes)
			__set_bit(sd_modes[i].bit, k->link_modes.advertising);
	}
}

static int sd_get_link_ksettings(struct net_device *dev, struct ethtool_link_ksettings *k)
{
	struct sd_netdev *nd = sd_netdev(dev);
	unsigned int speed = sd_gauge(nd->port, nd->side, SD_speed_megabits);
	unsigned int lanes = sd_gauge(nd->port, nd->side, SD_lanes);
	bool up = netif_carrier_ok(dev);

	ethtool_link_ksettings_zero_link_mode(k, supported);
	ethtool_link_ksettings_zero_link_mode(k, advertising);
	k->base.port = PORT_OTHER;
	k->base.autoneg = AUTONEG_DISABLE;
	k->base.speed = up ? speed : SPEED_UNKNOWN;
	k->base.duplex = up ? DUPLEX_FULL : DUPLEX_UNKNOWN;
	k->lanes = up ? lanes : 0;
	if (nd->port->kind == SD_UPLINK)
		sd_uplink_modes(k, speed, lanes);
	return sd_fault(&nd->port->faults, SD_OP_LINK);
}

/* A link with a wire is down for the reason that a test has set. */
static int sd_get_link_ext_state(struct net_device *dev, struct ethtool_link_ext_state_info *info)
{
	struct sd_port *p = sd_port_of(dev);
	int err = sd_fault(&p->faults, SD_OP_LINK);

	if (err)
		return err;
	if (netif_carrier_ok(dev))
		return -ENODATA;
	if (!rcu_access_pointer(p->wire)) {
		info->link_ext_state = ETHTOOL_LINK_EXT_STATE_NO_CABLE;
		return 0;
	}
	info->link_ext_state = sd_gauge(p, SD_ESWITCH, SD_ext_state);
	info->__link_ext_substate = sd_gauge(p, SD_ESWITCH, SD_ext_substate);
	return 0;
}

static void sd_get_link_ext_stats(struct net_device *dev, struct ethtool_link_ext_stats *s)
{
	s->link_down_events = sd_counter(sd_port_of(dev), SD_ESWITCH, SD_link_down_events_phy);
}

static void sd_get_channels(struct net_device *dev, struct ethtool_channels *channels)
{
	channels->max_combined = SD_QUEUES;
	channels->combined_count = SD_QUEUES;
}

static void sd_get_ringparam(struct net_device *dev, struct ethtool_ringparam *ring,
			     struct kernel_ethtool_ringparam *more, struct netlink_ext_ack *extack)
{
	ring->rx_max_pending = 8192;
	ring->tx_max_pending = 8192;
	ring->rx_pending = 1024;
	ring->tx_pending = 2048;
}

static int sd_get_coalesce(struct net_device *dev, struct ethtool_coalesce *coalesce,
			   struct kernel_ethtool_coalesce *more, struct netlink_ext_ack *extack)
{
	coalesce->rx_coalesce_usecs = 8;
	coalesce->rx_max_coalesced_frames = 128;
	coalesce->tx_coalesce_usecs = 16;
	coalesce->tx_max_coalesced_frames = 32;
	coalesce->use_adaptive_rx_coalesce = 1;
	return 0;
}

#define SD_ETHTOOL_OPS \
	.supported_coalesce_params = ETHTOOL_COALESCE_USECS | ETHTOOL_COALESCE_MAX_FRAMES | \
				     ETHTOOL_COALESCE_USE_ADAPTIVE, \
	.get_drvinfo = sd_get_drvinfo, .get_link = ethtool_op_get_link, \
	.get_sset_count = sd_get_sset_count, .get_strings = sd_get_strings, \
	.get_ethtool_stats = sd_get_stats, .get_link_ksettings = sd_get_link_ksettings, \
	.get_channels = sd_get_channels, .get_ringparam = sd_get_ringparam, \
	.get_coalesce = sd_get_coalesce

const struct ethtool_ops sd_ethtool_representor = { SD_ETHTOOL_OPS };
const struct ethtool_ops sd_ethtool_function = { SD_ETHTOOL_OPS };
const struct ethtool_ops sd_ethtool_uplink = {
	SD_ETHTOOL_OPS,
	.cap_link_lanes_supported = true,
	.get_link_ext_state = sd_get_link_ext_state,
	.get_link_ext_stats = sd_get_link_ext_stats,
	.get_pauseparam = sd_get_pauseparam,
	.get_pause_stats = sd_get_pause_stats,
	.get_fecparam = sd_get_fecparam,
	.get_fec_stats = sd_get_fec_stats,
	.get_eth_mac_stats = sd_get_eth_mac_stats,
	.get_eth_phy_stats = sd_get_eth_phy_stats,
	.get_eth_ctrl_stats = sd_get_eth_ctrl_stats,
	.get_rmon_stats = sd_get_rmon_stats,
	.get_module_eeprom_by_page = sd_get_module_page,
};
