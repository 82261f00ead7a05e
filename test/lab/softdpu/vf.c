// SPDX-License-Identifier: GPL-2.0
/*
 * What `ip link set vf` configures on an uplink, and what `ip link show` tells of its VFs. All of it
 * is kept and shown; only the link state has an effect, and the MAC address on the function's next
 * netdev. Under rtnl throughout.
 */
#include <linux/if_vlan.h>

#include "softdpu.h"

static struct sd_port *sd_vf(const struct net_device *dev, int vf)
{
	struct sd_port *uplink = sd_port_of(dev);

	return sd_port_find(uplink->sd, SD_VF, uplink->pf, vf);
}

int sd_set_vf_mac(struct net_device *dev, int vf, u8 *mac)
{
	struct sd_port *p = sd_vf(dev, vf);

	if (!p || is_multicast_ether_addr(mac))
		return -EINVAL;
	sd_mac_set(p, mac);
	return 0;
}

int sd_set_vf_vlan(struct net_device *dev, int vf, u16 vlan, u8 qos, __be16 proto)
{
	struct sd_port *p = sd_vf(dev, vf);

	if (!p || vlan >= VLAN_N_VID || qos > 7)
		return -EINVAL;
	p->vf.vlan = vlan;
	p->vf.qos = qos;
	p->vf.vlan_proto = proto;
	return 0;
}

int sd_set_vf_rate(struct net_device *dev, int vf, int min, int max)
{
	struct sd_port *p = sd_vf(dev, vf);

	if (!p || min < 0 || max < 0 || (max && min > max))
		return -EINVAL;
	p->vf.min_tx_rate = min;
	p->vf.max_tx_rate = max;
	return 0;
}

int sd_set_vf_spoofchk(struct net_device *dev, int vf, bool on)
{
	struct sd_port *p = sd_vf(dev, vf);

	if (!p)
		return -EINVAL;
	p->vf.spoofchk = on;
	return 0;
}

int sd_set_vf_trust(struct net_device *dev, int vf, bool on)
{
	struct sd_port *p = sd_vf(dev, vf);

	if (!p)
		return -EINVAL;
	p->vf.trusted = on;
	return 0;
}

int sd_set_vf_link_state(struct net_device *dev, int vf, int state)
{
	struct sd_port *p = sd_vf(dev, vf);

	if (!p)
		return -EINVAL;
	WRITE_ONCE(p->vf.linkstate, state);
	sd_link_update(p);
	return 0;
}

int sd_get_vf_config(struct net_device *dev, int vf, struct ifla_vf_info *info)
{
	struct sd_port *p = sd_vf(dev, vf);

	if (!p)
		return -EINVAL;
	*info = p->vf;
	sd_mac_get(p, info->mac);
	return sd_fault(&sd_port_of(dev)->faults, SD_OP_VF_CONFIG);
}

/* as the eswitch counts them, never stale: a VF receives what goes out of its port */
int sd_get_vf_stats(struct net_device *dev, int vf, struct ifla_vf_stats *s)
{
	struct sd_port *p = sd_vf(dev, vf);
	int err = p ? sd_fault(&sd_port_of(dev)->faults, SD_OP_VF_STATS) : -EINVAL;

	if (err)	/* rtnetlink does not ask: it tells what is there, zeros */
		return err;
	s->rx_packets = sd_gauge(p, SD_ESWITCH, SD_vport_tx_packets);
	s->rx_bytes = sd_gauge(p, SD_ESWITCH, SD_vport_tx_bytes);
	s->tx_packets = sd_gauge(p, SD_ESWITCH, SD_vport_rx_packets);
	s->tx_bytes = sd_gauge(p, SD_ESWITCH, SD_vport_rx_bytes);
	s->broadcast = sd_gauge(p, SD_ESWITCH, SD_vport_tx_broadcast);
	s->multicast = sd_gauge(p, SD_ESWITCH, SD_vport_tx_multicast);
	s->rx_dropped = sd_gauge(p, SD_ESWITCH, SD_vport_tx_dropped);
	s->tx_dropped = sd_gauge(p, SD_ESWITCH, SD_vport_rx_dropped);
	return 0;
}
