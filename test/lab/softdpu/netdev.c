// SPDX-License-Identifier: GPL-2.0
/* The netdevs of ports: of an uplink, a representor, a function. */
#include <linux/rtnetlink.h>

#include "softdpu.h"

static int sd_open(struct net_device *dev)
{
	sd_link_update(sd_port_of(dev));
	return 0;
}

static int sd_set_mac(struct net_device *dev, void *addr)
{
	int err = eth_mac_addr(dev, addr);

	if (!err && sd_netdev(dev)->side == SD_FUNCTION)
		sd_mac_set(sd_port_of(dev), dev->dev_addr);
	return err;
}

#define SD_NETDEV_OPS \
	.ndo_open = sd_open, .ndo_stop = sd_open, .ndo_get_stats64 = sd_stats64, \
	.ndo_set_mac_address = sd_set_mac, .ndo_validate_addr = eth_validate_addr

#define SD_ESWITCH_OPS \
	.ndo_start_xmit = sd_eswitch_xmit, .ndo_setup_tc = sd_setup_tc, \
	.ndo_has_offload_stats = sd_has_offload_stats, .ndo_get_offload_stats = sd_get_offload_stats

static const struct net_device_ops sd_function_ops = {
	SD_NETDEV_OPS,
	.ndo_start_xmit = sd_function_xmit,
};

static const struct net_device_ops sd_representor_ops = {
	SD_NETDEV_OPS,
	SD_ESWITCH_OPS,
};

/* rtnetlink asks each netdev that can tell of VFs for all VFs of its parent: only an uplink may. */
static const struct net_device_ops sd_uplink_ops = {
	SD_NETDEV_OPS,
	SD_ESWITCH_OPS,
	.ndo_set_vf_mac = sd_set_vf_mac,
	.ndo_set_vf_vlan = sd_set_vf_vlan,
	.ndo_set_vf_rate = sd_set_vf_rate,
	.ndo_set_vf_spoofchk = sd_set_vf_spoofchk,
	.ndo_set_vf_trust = sd_set_vf_trust,
	.ndo_set_vf_link_state = sd_set_vf_link_state,
	.ndo_get_vf_config = sd_get_vf_config,
	.ndo_get_vf_stats = sd_get_vf_stats,
};

bool sd_is_eswitch_netdev(const struct net_device *dev)
{
	return dev->netdev_ops == &sd_uplink_ops || dev->netdev_ops == &sd_representor_ops;
}

/* DEVp0, DEVpf0, DEVpf0vf3, DEVpf0sf88; as its host sees a function: DEVh0, DEVh0v3, DEVh0s88 */
static void sd_netdev_name(const struct sd_port *p, enum sd_side side, char *name)
{
	static const char *const kinds[] = { [SD_VF] = "v", [SD_SF] = "s" };
	char port[IFNAMSIZ];

	sd_port_name(p, port, sizeof(port));
	if (side == SD_ESWITCH)
		snprintf(name, IFNAMSIZ, "%s%s", p->sd->name, port);
	else if (p->kind == SD_PF)
		snprintf(name, IFNAMSIZ, "%sh%u", p->sd->name, p->pf);
	else
		snprintf(name, IFNAMSIZ, "%sh%u%s%u", p->sd->name, p->pf, kinds[p->kind], p->nr);
}

static void sd_setup_eswitch(struct net_device *dev, struct sd_port *p)
{
	bool uplink = p->kind == SD_UPLINK;

	dev->netdev_ops = uplink ? &sd_uplink_ops : &sd_representor_ops;
	dev->ethtool_ops = uplink ? &sd_ethtool_uplink : &sd_ethtool_representor;
	dev->hw_features |= NETIF_F_HW_TC;
	dev->netns_immutable = !uplink;
	eth_hw_addr_random(dev);
	SET_NETDEV_DEVLINK_PORT(dev, &p->dl);
}

static void sd_setup_function(struct net_device *dev, struct sd_port *p)
{
	u8 mac[ETH_ALEN];

	dev->netdev_ops = &sd_function_ops;
	dev->ethtool_ops = &sd_ethtool_function;
	sd_mac_get(p, mac);
	eth_hw_addr_set(dev, mac);
}

static void sd_netdev_release(struct net_device *dev)
{
	sd_port_put(sd_port_of(dev));
}

static int sd_netdev_register(struct sd_port *p, enum sd_side side, struct net_device *dev)
{
	int err;

	rtnl_lock();
	if (p->gone)
		err = -ENODEV;
	else if (rtnl_dereference(p->netdev[side]))
		err = -EEXIST;
	else
		err = register_netdevice(dev);
	if (!err) {
		kref_get(&p->ref);
		dev->priv_destructor = sd_netdev_release;
		rcu_assign_pointer(p->netdev[side], dev);
	}
	rtnl_unlock();
	return err;
}

int sd_netdev_up(struct sd_port *p, enum sd_side side, struct device *parent)
{
	struct net_device *dev = alloc_etherdev_mq(sizeof(struct sd_netdev), SD_QUEUES);
	int err;

	if (!dev)
		return -ENOMEM;
	*sd_netdev(dev) = (struct sd_netdev){ .port = p, .side = side };
	sd_netdev_name(p, side, dev->name);
	SET_NETDEV_DEV(dev, parent);
	dev->hw_features = NETIF_F_SG | NETIF_F_HW_CSUM | NETIF_F_HIGHDMA;
	if (side == SD_ESWITCH)
		sd_setup_eswitch(dev, p);
	else
		sd_setup_function(dev, p);
	dev->features = dev->hw_features;
	dev->lltx = true;
	dev->priv_flags &= ~IFF_TX_SKB_SHARING;	/* a frame is handed on, not copied */
	dev->max_mtu = 9978;
	dev->needs_free_netdev = true;
	netif_carrier_off(dev);
	err = sd_netdev_register(p, side, dev);
	if (err) {
		free_netdev(dev);
		return err;
	}
	sd_link_update(p);
	return 0;
}

/* The kernel waits for RCU readers before it frees what is unregistered. */
void sd_netdev_queue(struct sd_port *p, enum sd_side side, struct list_head *netdevs)
{
	struct net_device *dev = rtnl_dereference(p->netdev[side]);

	if (!dev)
		return;
	RCU_INIT_POINTER(p->netdev[side], NULL);
	unregister_netdevice_queue(dev, netdevs);
}

void sd_netdev_down(struct sd_port *p, enum sd_side side)
{
	LIST_HEAD(netdevs);

	rtnl_lock();
	sd_netdev_queue(p, side, &netdevs);
	unregister_netdevice_many(&netdevs);
	rtnl_unlock();
}
