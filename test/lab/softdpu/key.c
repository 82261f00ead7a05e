// SPDX-License-Identifier: GPL-2.0
/* What is matched: one dissector for all frames, and rules brought into the same form. */
#include <net/flow_dissector.h>

#include "rules.h"

#define SD_KEYS(X) \
	X(CONTROL, control) X(BASIC, basic) X(ETH_ADDRS, eth) X(VLAN, vlan) X(CVLAN, cvlan) \
	X(IPV4_ADDRS, ipv4) X(IPV6_ADDRS, ipv6) X(PORTS, ports) X(ICMP, icmp) X(ARP, arp) \
	X(TCP, tcp) X(IP, ip) SD_TUNNEL_KEYS(X)
#define SD_TUNNEL_KEYS(X) \
	X(ENC_CONTROL, enc_control) X(ENC_KEYID, enc_keyid) X(ENC_IPV4_ADDRS, enc_ipv4) \
	X(ENC_PORTS, enc_ports) X(ENC_IP, enc_ip)

#define SD_KEY_BIT(id, member) | BIT_ULL(FLOW_DISSECTOR_KEY_##id)
#define SD_KEY_OFFSET(id, member) [FLOW_DISSECTOR_KEY_##id] = offsetof(struct sd_key, member),
#define SD_KEY_SIZE(id, member) [FLOW_DISSECTOR_KEY_##id] = sizeof_field(struct sd_key, member),

static struct flow_dissector sd_dissector = {
	.used_keys = 0 SD_KEYS(SD_KEY_BIT),
	.offset = { SD_KEYS(SD_KEY_OFFSET) },
};

static const u8 sd_key_size[FLOW_DISSECTOR_KEY_MAX] = { SD_KEYS(SD_KEY_SIZE) };

static const u64 sd_tunnel_keys = 0 SD_TUNNEL_KEYS(SD_KEY_BIT);

/* what flower can match and we cannot */
static const char *const sd_unsupported[FLOW_DISSECTOR_KEY_MAX] = {
	[FLOW_DISSECTOR_KEY_PORTS_RANGE] = "a range of ports",
	[FLOW_DISSECTOR_KEY_MPLS] = "MPLS",
	[FLOW_DISSECTOR_KEY_ENC_IPV6_ADDRS] = "an IPv6 tunnel",
	[FLOW_DISSECTOR_KEY_ENC_OPTS] = "tunnel options",
	[FLOW_DISSECTOR_KEY_CT] = "conntrack",
	[FLOW_DISSECTOR_KEY_HASH] = "a hash",
	[FLOW_DISSECTOR_KEY_NUM_OF_VLANS] = "the number of VLANs",
	[FLOW_DISSECTOR_KEY_PPPOE] = "PPPoE",
	[FLOW_DISSECTOR_KEY_L2TPV3] = "L2TPv3",
	[FLOW_DISSECTOR_KEY_IPSEC] = "IPsec",
	[FLOW_DISSECTOR_KEY_CFM] = "CFM",
};

void sd_key_and(struct sd_key *to, const struct sd_key *a, const struct sd_key *b)
{
	const u32 *x = (const u32 *)a, *y = (const u32 *)b;
	u32 *z = (u32 *)to;
	size_t i;

	BUILD_BUG_ON(sizeof(*to) % sizeof(*z));
	for (i = 0; i < sizeof(*to) / sizeof(*z); i++)
		z[i] = x[i] & y[i];
}

/* The key of the frame that starts at an offset, which is not 0 if there is a tunnel's header. */
bool sd_key_of_frame(const struct sk_buff *skb, unsigned int offset, struct sd_key *key)
{
	struct ethhdr buffer, *eth = skb_header_pointer(skb, offset, sizeof(buffer), &buffer);

	if (!eth)
		return false;
	memset(key, 0, sizeof(*key));
	__skb_flow_dissect(NULL, skb, &sd_dissector, key, skb->data, eth->h_proto,
			   offset + ETH_HLEN, skb_headlen(skb), FLOW_DISSECTOR_F_STOP_BEFORE_ENCAP);
	/* the dissector takes the addresses of the outermost header, whatever the offset */
	memcpy(&key->eth, eth, sizeof(key->eth));
	key->ethertype = eth->h_proto;
	return true;
}

/* A filter may say of which netdev the frames are, if it is the one that it is on. */
static int sd_match_meta(const struct sd_block *b, const struct flow_rule *rule,
			 struct netlink_ext_ack *extack)
{
	struct flow_match_meta meta;

	flow_rule_match_meta(rule, &meta);
	if (!meta.mask->ingress_iftype && !meta.mask->l2_miss &&
	    (!meta.mask->ingress_ifindex || meta.key->ingress_ifindex == b->dev->ifindex))
		return 0;
	NL_SET_ERR_MSG_MOD(extack, "no match on metadata but this netdev's ifindex");
	return -EOPNOTSUPP;
}

static int sd_match_copy(const struct sd_block *b, const struct flow_rule *rule, struct sd_key *key,
			 struct sd_key *mask, struct netlink_ext_ack *extack)
{
	struct flow_dissector *theirs = rule->match.dissector;
	int id;

	for (id = 0; id < FLOW_DISSECTOR_KEY_MAX; id++) {
		if (!dissector_uses_key(theirs, id) || id == FLOW_DISSECTOR_KEY_META)
			continue;
		if (!sd_key_size[id]) {
			NL_SET_ERR_MSG_FMT_MOD(extack, "no match on %s",
					       sd_unsupported[id] ?: "this key");
			return -EOPNOTSUPP;
		}
		memcpy(skb_flow_dissector_target(&sd_dissector, id, key),
		       skb_flow_dissector_target(theirs, id, rule->match.key), sd_key_size[id]);
		memcpy(skb_flow_dissector_target(&sd_dissector, id, mask),
		       skb_flow_dissector_target(theirs, id, rule->match.mask), sd_key_size[id]);
	}
	if (!dissector_uses_key(theirs, FLOW_DISSECTOR_KEY_META))
		return 0;
	return sd_match_meta(b, rule, extack);
}

/* Of the control keys, only flags are matched; types of addresses follow from the ethertype. */
static bool sd_match_flags(struct sd_key *mask, struct netlink_ext_ack *extack)
{
	mask->control = (struct flow_dissector_key_control){ .flags = mask->control.flags };
	mask->enc_control = (struct flow_dissector_key_control){ .flags = mask->enc_control.flags };
	return flow_rule_is_supp_control_flags(FLOW_DIS_IS_FRAGMENT | FLOW_DIS_FIRST_FRAG,
					       mask->control.flags, extack) &&
	       flow_rule_is_supp_enc_control_flags(FLOW_DIS_F_TUNNEL_CSUM |
						   FLOW_DIS_F_TUNNEL_DONT_FRAGMENT,
						   mask->enc_control.flags, extack);
}

int sd_key_of_rule(const struct sd_block *b, struct flow_cls_offload *f, struct sd_key *key,
		   struct sd_key *mask)
{
	struct netlink_ext_ack *extack = f->common.extack;
	int err;

	memset(key, 0, sizeof(*key));
	memset(mask, 0, sizeof(*mask));
	if (!b->tunnel && (f->rule->match.dissector->used_keys & sd_tunnel_keys)) {
		NL_SET_ERR_MSG_MOD(extack, "tunnel keys match only at a tunnel netdev");
		return -EOPNOTSUPP;
	}
	err = sd_match_copy(b, f->rule, key, mask, extack);
	if (err)
		return err;
	if (!sd_match_flags(mask, extack))
		return -EOPNOTSUPP;
	if (f->common.protocol != htons(ETH_P_ALL)) {
		key->ethertype = f->common.protocol;
		mask->ethertype = htons(0xffff);
	}
	sd_key_and(key, key, mask);
	return b->tunnel ? sd_tunnel_match(mask, extack) : 0;
}
