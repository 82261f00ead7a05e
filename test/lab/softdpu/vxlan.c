// SPDX-License-Identifier: GPL-2.0
/*
 * VXLAN over IPv4: the outer headers, as far as hardware puts them on and takes them off. It puts
 * them on if route and neighbour are known; who they are is for the slow path to find out.
 */
#include <net/arp.h>
#include <net/dst_metadata.h>
#include <net/ip.h>
#include <net/route.h>
#include <net/udp.h>
#include <net/vxlan.h>

#include "rules.h"

struct sd_outer {
	struct ethhdr eth;
	struct iphdr ip;
	struct udphdr udp;
	struct vxlanhdr vxlan;
} __packed;

/* Only what is sent to us, with a known number, may lose its headers. */
int sd_tunnel_match(const struct sd_key *mask, struct netlink_ext_ack *extack)
{
	if (mask->enc_keyid.keyid == htonl(~0) && mask->enc_ipv4.dst == htonl(~0) &&
	    mask->enc_ports.dst == htons(0xffff))
		return 0;
	NL_SET_ERR_MSG_MOD(extack, "enc_key_id, enc_dst_ip and enc_dst_port are needed");
	return -EOPNOTSUPP;
}

int sd_tunnel_parse(struct sd_tunnel *t, const struct ip_tunnel_info *info,
		    struct netlink_ext_ack *extack)
{
	const struct ip_tunnel_key *key = &info->key;

	if (!(info->mode & IP_TUNNEL_INFO_TX) || ip_tunnel_info_af(info) != AF_INET ||
	    info->options_len || !key->u.ipv4.dst) {
		NL_SET_ERR_MSG_MOD(extack, "only tunnels over IPv4 without options are offloaded");
		return -EOPNOTSUPP;
	}
	t->vni = vxlan_vni_field(tunnel_id_to_key32(key->tun_id));
	t->src = key->u.ipv4.src;
	t->dst = key->u.ipv4.dst;
	t->port = key->tp_dst;
	t->tos = key->tos;
	t->ttl = key->ttl;
	if (test_bit(IP_TUNNEL_DONT_FRAGMENT_BIT, key->tun_flags))
		t->frag_off = htons(IP_DF);
	return 0;
}

int sd_tunnel_device(struct sd_tunnel *t, const struct net_device *dev,
		     struct netlink_ext_ack *extack)
{
	const struct vxlan_dev *vxlan = netdev_priv(dev);

	if (vxlan->cfg.flags & (VXLAN_F_GPE | VXLAN_F_GBP | VXLAN_F_REMCSUM_TX)) {
		NL_SET_ERR_MSG_MOD(extack, "extensions of VXLAN are not offloaded");
		return -EOPNOTSUPP;
	}
	if (!t->port)
		t->port = vxlan->cfg.dst_port;
	return 0;
}

static bool sd_is_uplink_of(const struct net_device *dev, const struct sd_dev *sd)
{
	return sd_is_eswitch_netdev(dev) && sd_port_of(dev)->kind == SD_UPLINK &&
	       sd_port_of(dev)->sd == sd;
}

static bool sd_path_by_route(const struct sd_tunnel *t, const struct sd_dev *sd,
			     const struct rtable *rt, struct sd_path *path)
{
	struct net_device *dev = dst_dev_rcu(&rt->dst);
	struct neighbour *n;

	if (!sd_is_uplink_of(dev, sd))
		return false;
	n = __ipv4_neigh_lookup_noref(dev, (__force u32)rt_nexthop(rt, t->dst));
	if (!n || !(READ_ONCE(n->nud_state) & NUD_VALID))
		return false;
	neigh_ha_snapshot(path->to, n, dev);
	ether_addr_copy(path->from, dev->dev_addr);
	path->uplink = sd_port_of(dev);
	path->ttl = t->ttl ?: ip4_dst_hoplimit(&rt->dst);
	return true;
}

/* The underlay is that of the netns where the port's representor is. */
bool sd_tunnel_path(const struct sd_tunnel *t, struct sd_port *in, struct sd_path *path)
{
	struct flowi4 flow = {
		.flowi4_proto = IPPROTO_UDP, .flowi4_dscp = inet_dsfield_to_dscp(t->tos),
		.daddr = t->dst, .saddr = t->src, .fl4_dport = t->port,
	};
	struct net_device *dev;
	struct rtable *rt;
	bool found = false;

	rcu_read_lock();
	dev = sd_netdev_rcu(in, SD_ESWITCH);
	if (!dev)
		goto out;
	path->net = dev_net_rcu(dev);
	rt = ip_route_output_key(path->net, &flow);
	if (IS_ERR(rt))
		goto out;
	path->src = flow.saddr;
	found = sd_path_by_route(t, in->sd, rt, path);
	ip_rt_put(rt);
out:
	rcu_read_unlock();
	return found;
}

/* No offload reaches into a tunnel, so the inner checksum is made here; the outer one may be 0. */
int sd_encap(struct sk_buff *skb, const struct sd_tunnel *t, const struct sd_path *path)
{
	__be16 from = udp_flow_src_port(path->net, skb, 0, 0, true);
	unsigned int inner = skb->len;
	struct sd_outer *o;
	int err;

	err = skb->ip_summed == CHECKSUM_PARTIAL ? skb_checksum_help(skb) : 0;
	if (!err)
		err = skb_cow_head(skb, sizeof(*o));
	if (err)
		return err;
	o = skb_push(skb, sizeof(*o));
	*o = (struct sd_outer){
		.eth = { .h_proto = htons(ETH_P_IP) },
		.ip = { .version = 4, .ihl = sizeof(o->ip) / 4, .tos = t->tos, .ttl = path->ttl,
			.tot_len = htons(inner + sizeof(*o) - ETH_HLEN), .frag_off = t->frag_off,
			.protocol = IPPROTO_UDP, .saddr = path->src, .daddr = t->dst },
		.udp = { .source = from, .dest = t->port, .len = htons(inner + VXLAN_HLEN) },
		.vxlan = { .vx_flags = VXLAN_HF_VNI, .vx_vni = t->vni },
	};
	ether_addr_copy(o->eth.h_dest, path->to);
	ether_addr_copy(o->eth.h_source, path->from);
	__ip_select_ident(path->net, &o->ip, 1);
	ip_send_check(&o->ip);
	skb_reset_mac_header(skb);
	skb_set_network_header(skb, ETH_HLEN);
	skb_set_transport_header(skb, offsetof(struct sd_outer, udp));
	skb->protocol = htons(ETH_P_IP);
	return 0;
}

/* The key of what is inside, and of the tunnel; rules say which UDP port is VXLAN's. */
bool sd_key_of_tunnel(const struct sk_buff *skb, struct sd_key *key)
{
	struct sd_outer buffer, *o = skb_header_pointer(skb, 0, sizeof(buffer), &buffer);

	if (!o || o->eth.h_proto != htons(ETH_P_IP) || o->ip.version != 4 ||
	    o->ip.ihl != sizeof(o->ip) / 4 || o->ip.protocol != IPPROTO_UDP ||
	    ip_is_fragment(&o->ip) || o->vxlan.vx_flags != VXLAN_HF_VNI ||
	    !sd_key_of_frame(skb, sizeof(*o), key))
		return false;
	key->enc_keyid.keyid = vxlan_vni(o->vxlan.vx_vni);
	key->enc_ipv4.src = o->ip.saddr;
	key->enc_ipv4.dst = o->ip.daddr;
	key->enc_ports.src = o->udp.source;
	key->enc_ports.dst = o->udp.dest;
	key->enc_ip.tos = o->ip.tos;
	key->enc_ip.ttl = o->ip.ttl;
	if (o->ip.frag_off & htons(IP_DF))
		key->enc_control.flags |= FLOW_DIS_F_TUNNEL_DONT_FRAGMENT;
	if (o->udp.check)
		key->enc_control.flags |= FLOW_DIS_F_TUNNEL_CSUM;
	return true;
}

int sd_decap(struct sk_buff *skb)
{
	if (!pskb_may_pull(skb, sizeof(struct sd_outer) + ETH_HLEN))
		return -ENOMEM;
	skb_pull(skb, sizeof(struct sd_outer));
	skb_reset_mac_header(skb);
	skb_set_network_header(skb, ETH_HLEN);
	skb->protocol = eth_hdr(skb)->h_proto;
	skb->encapsulation = 0;
	/* a checksum still to be made may have been that of the outer UDP header */
	if (skb->ip_summed == CHECKSUM_PARTIAL && skb_checksum_start_offset(skb) < 0)
		skb->ip_summed = CHECKSUM_NONE;
	return 0;
}
