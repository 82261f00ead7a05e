/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a rule of tc flower matches and does, shared by the files of the offload: flower.c,
 * tunnel.c, key.c, rules.c, actions.c and vxlan.c.
 *
 * Rules are found under RCU and changed under sd_dev.rules. A rule never changes once it is in a
 * table, but for its counters.
 */
#ifndef SOFTDPU_RULES_H
#define SOFTDPU_RULES_H

#include "softdpu.h"

/* What can be matched. All of it is compared, so what is unused must be zero, padding too. */
struct sd_key {
	struct flow_dissector_key_control control;
	struct flow_dissector_key_basic basic;
	struct flow_dissector_key_eth_addrs eth;
	struct flow_dissector_key_vlan vlan, cvlan;
	struct flow_dissector_key_ipv4_addrs ipv4;
	struct flow_dissector_key_ipv6_addrs ipv6;
	struct flow_dissector_key_ports ports;
	struct flow_dissector_key_icmp icmp;
	struct flow_dissector_key_arp arp;
	struct flow_dissector_key_tcp tcp;
	struct flow_dissector_key_ip ip;
	struct flow_dissector_key_control enc_control;
	struct flow_dissector_key_keyid enc_keyid;
	struct flow_dissector_key_ipv4_addrs enc_ipv4;
	struct flow_dissector_key_ports enc_ports;
	struct flow_dissector_key_ip enc_ip;
	__be16 ethertype;		/* the outermost; that of a tagged frame is the tag's */
} __aligned(sizeof(u32));

/* the outer headers that a rule puts in front of a frame */
struct sd_tunnel {
	__be32 vni;			/* as in the VXLAN header */
	__be32 src, dst;		/* src may be 0: the route says */
	__be16 port, frag_off;
	u8 tos, ttl;			/* ttl may be 0: the route says */
};

/* where the frames of a tunnel go now */
struct sd_path {
	struct sd_port *uplink;
	struct net *net;
	__be32 src;
	u8 ttl;
	u8 from[ETH_ALEN], to[ETH_ALEN];
};

struct sd_action {
	enum flow_action_id id;
	bool encap;			/* an output into the rule's tunnel */
	union {
		u32 port;		/* sd_port.id of any other output */
		struct {
			__be16 proto;
			u16 tci;
		} vlan;
		struct {
			u32 offset, keep, set;
		} mangle;		/* of a word of the Ethernet addresses */
	};
};

struct sd_rule {
	struct list_head list;		/* in its mask */
	struct hlist_node node;		/* in a bucket of its mask */
	struct rcu_head rcu;
	struct sd_mask *mask;
	struct sd_key key;
	u64 keys;			/* BIT(FLOW_DISSECTOR_KEY_*), to be shown */
	unsigned long cookie;
	u32 prio;
	atomic64_t packets, bytes, drops;
	unsigned long lastused;		/* jiffies; READ_ONCE() */
	u64 told_packets, told_bytes, told_drops;	/* to tc */
	bool encap;			/* has an output into the tunnel */
	struct sd_tunnel tunnel;
	unsigned int actions;
	struct sd_action action[] __counted_by(actions);
};

/* a netdev whose filters come to us, and the table that they go to */
struct sd_block {
	struct sd_dev *sd;
	struct net_device *dev;
	struct sd_table *table;
	bool tunnel;			/* frames of dev have come out of a tunnel */
};

/* key.c */
bool sd_key_of_frame(const struct sk_buff *skb, unsigned int offset, struct sd_key *key);
int sd_key_of_rule(const struct sd_block *b, struct flow_cls_offload *f, struct sd_key *key,
		   struct sd_key *mask);
void sd_key_and(struct sd_key *to, const struct sd_key *a, const struct sd_key *b);

/* rules.c */
struct sd_rule *sd_rule_lookup(const struct sd_table *t, const struct sd_key *key);	/* RCU */
struct sd_rule *sd_rule_find(const struct sd_table *t, unsigned long cookie);	/* sd_dev.rules */
int sd_rule_insert(const struct sd_block *b, struct sd_rule *r, const struct sd_key *mask,
		   struct netlink_ext_ack *extack);	/* sd_dev.rules */
void sd_rule_remove(struct sd_dev *sd, struct sd_rule *r);	/* sd_dev.rules */

/* actions.c */
int sd_actions_parse(const struct sd_block *b, struct sd_rule *r, const struct flow_action *actions,
		     struct netlink_ext_ack *extack);

/* flower.c */
int sd_flower(const struct sd_block *b, struct flow_cls_offload *f);

/* vxlan.c */
int sd_tunnel_match(const struct sd_key *mask, struct netlink_ext_ack *extack);
int sd_tunnel_parse(struct sd_tunnel *t, const struct ip_tunnel_info *info,
		    struct netlink_ext_ack *extack);
int sd_tunnel_device(struct sd_tunnel *t, const struct net_device *dev,
		     struct netlink_ext_ack *extack);
bool sd_tunnel_path(const struct sd_tunnel *t, struct sd_port *in, struct sd_path *path);
int sd_encap(struct sk_buff *skb, const struct sd_tunnel *t, const struct sd_path *path);
bool sd_key_of_tunnel(const struct sk_buff *skb, struct sd_key *key);
int sd_decap(struct sk_buff *skb);

#endif
