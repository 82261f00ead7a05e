// SPDX-License-Identifier: GPL-2.0
/* How frames move: into the eswitch, past the rules, and out of it or to the slow path. */
#include <linux/if_vlan.h>

#include "softdpu.h"

/* What is counted of a frame, kept while others may already have changed or freed it. */
struct sd_frame {
	unsigned int len, queue, priority;
	enum { SD_UNICAST, SD_MULTICAST, SD_BROADCAST } cast;
};

static struct sd_frame sd_frame(struct sk_buff *skb)
{
	const struct vlan_ethhdr *eth = (const struct vlan_ethhdr *)skb->data;
	struct sd_frame f = { .len = skb->len, .queue = skb_get_queue_mapping(skb) % SD_QUEUES };

	if (is_broadcast_ether_addr(eth->h_dest))
		f.cast = SD_BROADCAST;
	else if (is_multicast_ether_addr(eth->h_dest))
		f.cast = SD_MULTICAST;
	if (skb_vlan_tag_present(skb))
		f.priority = skb_vlan_tag_get_prio(skb);
	else if (eth_type_vlan(eth->h_vlan_proto) && skb_headlen(skb) >= VLAN_ETH_HLEN)
		f.priority = ntohs(eth->h_vlan_TCI) >> VLAN_PRIO_SHIFT;
	return f;
}

/* what the eswitch counts at a port, by direction: into it, out of it */
enum sd_way { SD_IN, SD_OUT };

static const struct {
	enum sd_counter packets, bytes, multicast, broadcast, dropped;
} sd_at[2][2] = {	/* of a function's port, of an uplink */
#define SD_AT(prefix, suffix, dropped) \
	{ SD_##prefix##_packets##suffix, SD_##prefix##_bytes##suffix, SD_##prefix##_multicast##suffix, \
	  SD_##prefix##_broadcast##suffix, SD_##prefix##_##dropped##suffix }
	[SD_IN] = { SD_AT(vport_rx, , dropped), SD_AT(rx, _phy, discards) },
	[SD_OUT] = { SD_AT(vport_tx, , dropped), SD_AT(tx, _phy, discards) },
#undef SD_AT
};

/* the bin of a frame's length on the wire in the histogram of RFC 2819 and its continuation */
static unsigned int sd_bin(unsigned int len)
{
	static const unsigned int ends[] = { 64, 127, 255, 511, 1023, 1518, 2047, 4095, 8191 };
	unsigned int bin = 0;

	while (bin < ARRAY_SIZE(ends) && len + ETH_FCS_LEN > ends[bin])
		bin++;
	return bin;
}

static void sd_count_phy(struct sd_port *p, enum sd_way way, const struct sd_frame *f)
{
	bool in = way == SD_IN;

	sd_count(p, SD_ESWITCH, (in ? SD_rx_64_bytes_phy : SD_tx_hist_phy) + sd_bin(f->len), 1);
	sd_count(p, SD_ESWITCH, (in ? SD_rx_prio_packets : SD_tx_prio_packets) + f->priority, 1);
	sd_count(p, SD_ESWITCH, (in ? SD_rx_prio_bytes : SD_tx_prio_bytes) + f->priority, f->len);
}

static void sd_count_port(struct sd_port *p, enum sd_way way, const struct sd_frame *f)
{
	const typeof(sd_at[0][0]) *c = &sd_at[way][p->kind == SD_UPLINK];

	sd_count(p, SD_ESWITCH, c->packets, 1);
	sd_count(p, SD_ESWITCH, c->bytes, f->len);
	if (f->cast == SD_MULTICAST)
		sd_count(p, SD_ESWITCH, c->multicast, 1);
	else if (f->cast == SD_BROADCAST)
		sd_count(p, SD_ESWITCH, c->broadcast, 1);
	if (p->kind == SD_UPLINK)
		sd_count_phy(p, way, f);
}

static void sd_drop(struct sd_port *p, enum sd_way way, struct sk_buff *skb)
{
	sd_count(p, SD_ESWITCH, sd_at[way][p->kind == SD_UPLINK].dropped, 1);
	kfree_skb(skb);
}

/* what a netdev counts itself: its software's packets and those of its own vport */
static void sd_count_netdev(struct sd_port *p, enum sd_side side, bool rx, const struct sd_frame *f)
{
	static const enum sd_counter cast[2][3] = {
		{ SD_tx_vport_unicast_packets, SD_tx_vport_multicast_packets, SD_tx_vport_broadcast_packets },
		{ SD_rx_vport_unicast_packets, SD_rx_vport_multicast_packets, SD_rx_vport_broadcast_packets },
	};

	sd_count(p, side, rx ? SD_rx_packets : SD_tx_packets, 1);
	sd_count(p, side, rx ? SD_rx_bytes : SD_tx_bytes, f->len);
	sd_count(p, side, (rx ? SD_rx_n_packets : SD_tx_n_packets) + f->queue, 1);
	sd_count(p, side, (rx ? SD_rx_n_bytes : SD_tx_n_bytes) + f->queue, f->len);
	sd_count(p, side, cast[rx][f->cast], 1);
	sd_count(p, side, cast[rx][f->cast] + 1, f->len);	/* bytes follow packets in counters.h */
}

/* hands a frame to the netdev at one side of a port */
static void sd_deliver(struct sd_port *p, enum sd_side side, struct sk_buff *skb)
{
	struct net_device *dev = sd_netdev_rcu(p, side);
	struct sd_frame f = sd_frame(skb);

	if (!dev) {
		sd_count(p, side, SD_rx_dropped, 1);
		kfree_skb(skb);
		return;
	}
	if (!netif_running(dev))
		sd_count(p, side, SD_rx_if_down_packets, 1);
	if (dev_forward_skb(dev, skb) == NET_RX_SUCCESS)	/* else the core counts it as dropped */
		sd_count_netdev(p, side, true, &f);
}

static void sd_egress_uplink(struct sd_port *p, struct sk_buff *skb, int hops)
{
	struct sd_port *peer = rcu_dereference_bh(p->wire);
	struct net_device *dev = sd_netdev_rcu(p, SD_ESWITCH);
	struct sd_frame f = sd_frame(skb);

	if (!peer || !dev || !netif_carrier_ok(dev)) {
		sd_drop(p, SD_OUT, skb);
		return;
	}
	sd_count_port(p, SD_OUT, &f);
	sd_ingress(peer, skb, hops + 1);
}

void sd_egress(struct sd_port *p, struct sk_buff *skb, int hops)
{
	struct net_device *dev;
	struct sd_frame f;

	if (p->kind == SD_UPLINK) {
		sd_egress_uplink(p, skb, hops);
		return;
	}
	dev = sd_netdev_rcu(p, SD_FUNCTION);
	if (!dev || !netif_carrier_ok(dev)) {
		sd_drop(p, SD_OUT, skb);
		return;
	}
	f = sd_frame(skb);
	sd_count_port(p, SD_OUT, &f);
	sd_deliver(p, SD_FUNCTION, skb);
}

/* a copy goes out of a port; the frame stays */
static void sd_egress_copy(struct sd_port *p, struct sk_buff *skb, int hops)
{
	struct sk_buff *copy = skb_clone(skb, GFP_ATOMIC);

	if (copy)
		sd_egress(p, copy, hops);
	else
		sd_count(p, SD_ESWITCH, SD_vport_tx_dropped, 1);
}

/* a copy goes to the uplink's netdev */
static void sd_deliver_copy(struct sd_port *uplink, struct sk_buff *skb)
{
	struct sk_buff *copy = skb_clone(skb, GFP_ATOMIC);

	if (copy)
		sd_deliver(uplink, SD_ESWITCH, copy);
	else
		sd_count(uplink, SD_ESWITCH, SD_rx_dropped, 1);
}

/* To the function that has the address; those with a group's address to all. True if it is done. */
static bool sd_legacy_functions(struct sd_port *from, struct sk_buff *skb, const u8 *to, int hops)
{
	struct net_device *dev;
	struct sd_port *p;
	unsigned long id;

	xa_for_each(&from->sd->ports, id, p) {
		dev = sd_netdev_rcu(p, SD_FUNCTION);
		if (p == from || p->pf != from->pf || !dev)
			continue;
		if (is_multicast_ether_addr(to)) {
			sd_egress_copy(p, skb, hops);
		} else if (ether_addr_equal(dev->dev_addr, to)) {
			sd_egress(p, skb, hops);
			return true;
		}
	}
	return false;
}

/*
 * Legacy mode is a bridge that knows the addresses of functions; what it does not know is the
 * uplink's: its netdev's if it came by the wire, else the wire's.
 */
static void sd_legacy(struct sd_port *from, struct sk_buff *skb, bool from_netdev, int hops)
{
	const u8 *to = ((const struct ethhdr *)skb->data)->h_dest;
	struct sd_port *uplink = sd_port_find(from->sd, SD_UPLINK, from->pf, 0);
	struct net_device *dev = uplink ? sd_netdev_rcu(uplink, SD_ESWITCH) : NULL;

	if (sd_legacy_functions(from, skb, to, hops))
		return;
	if (!dev) {
		sd_drop(from, SD_IN, skb);
	} else if (!from_netdev && (from == uplink || ether_addr_equal(dev->dev_addr, to))) {
		sd_deliver(uplink, SD_ESWITCH, skb);
	} else {
		if (!from_netdev && is_multicast_ether_addr(to))
			sd_deliver_copy(uplink, skb);
		sd_egress(uplink, skb, hops);
	}
}

void sd_ingress(struct sd_port *p, struct sk_buff *skb, int hops)
{
	struct sd_frame f = sd_frame(skb);

	skb_reset_mac_header(skb);	/* not all who send have */
	sd_count_port(p, SD_IN, &f);
	if (hops > SD_MAX_HOPS)
		sd_drop(p, SD_IN, skb);
	else if (!sd_switchdev(p->sd))
		sd_legacy(p, skb, false, hops);
	else if (!sd_offload(p, skb, hops))
		sd_deliver(p, SD_ESWITCH, skb);
}

/* a function sends: its frame enters the eswitch */
netdev_tx_t sd_function_xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct sd_port *p = sd_port_of(dev);
	struct sd_frame f = sd_frame(skb);

	sd_count_netdev(p, SD_FUNCTION, false, &f);
	sd_ingress(p, skb, 0);
	return NETDEV_TX_OK;
}

/* an uplink or a representor sends: its frame goes out of the port */
netdev_tx_t sd_eswitch_xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct sd_port *p = sd_port_of(dev);
	struct sd_frame f = sd_frame(skb);

	sd_count_netdev(p, SD_ESWITCH, false, &f);
	if (sd_switchdev(p->sd) || p->kind != SD_UPLINK)
		sd_egress(p, skb, 0);
	else
		sd_legacy(p, skb, true, 0);
	return NETDEV_TX_OK;
}
