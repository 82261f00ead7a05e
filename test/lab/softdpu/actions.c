// SPDX-License-Identifier: GPL-2.0
/* What a rule does with a frame: taken over from tc once, done for each frame that it matches. */
#include <linux/if_vlan.h>
#include <linux/unaligned.h>
#include <net/vxlan.h>

#include "rules.h"

/* after these there is no frame left to act on, or it is the slow path's */
static bool sd_is_last(enum flow_action_id id)
{
	return id == FLOW_ACTION_DROP || id == FLOW_ACTION_REDIRECT || id == FLOW_ACTION_ACCEPT ||
	       id == FLOW_ACTION_TRAP;
}

/* An output names a port by its id, so that the port may go while the rule stays. */
static int sd_parse_output(const struct sd_block *b, struct sd_rule *r, struct sd_action *a,
			   const struct flow_action_entry *e, struct netlink_ext_ack *extack)
{
	if (!e->dev)	/* gone meanwhile */
		return -ENODEV;
	if (sd_is_eswitch_netdev(e->dev) && sd_port_of(e->dev)->sd == b->sd) {
		a->port = sd_port_of(e->dev)->id;
		return 0;
	}
	if (r->tunnel.dst && netif_is_vxlan(e->dev)) {
		r->encap = a->encap = true;
		return sd_tunnel_device(&r->tunnel, e->dev, extack);
	}
	NL_SET_ERR_MSG_FMT_MOD(extack, "%s is no port of this eswitch", netdev_name(e->dev));
	return -EOPNOTSUPP;
}

static int sd_parse_mangle(struct sd_action *a, const struct flow_action_entry *e,
			   struct netlink_ext_ack *extack)
{
	if (e->mangle.htype != FLOW_ACT_MANGLE_HDR_TYPE_ETH ||
	    e->mangle.offset > 2 * ETH_ALEN - sizeof(u32)) {
		NL_SET_ERR_MSG_MOD(extack, "only Ethernet addresses can be changed");
		return -EOPNOTSUPP;
	}
	a->mangle.offset = e->mangle.offset;
	a->mangle.keep = e->mangle.mask;
	a->mangle.set = e->mangle.val;
	return 0;
}

static int sd_parse_encap(struct sd_rule *r, const struct flow_action_entry *e,
			  struct netlink_ext_ack *extack)
{
	if (!r->tunnel.dst)
		return sd_tunnel_parse(&r->tunnel, e->tunnel, extack);
	NL_SET_ERR_MSG_MOD(extack, "only one tunnel for each rule");
	return -EOPNOTSUPP;
}

static int sd_parse_action(const struct sd_block *b, struct sd_rule *r, struct sd_action *a,
			   const struct flow_action_entry *e, struct netlink_ext_ack *extack)
{
	a->id = e->id;
	switch (e->id) {
	case FLOW_ACTION_DROP:
	case FLOW_ACTION_ACCEPT:
	case FLOW_ACTION_TRAP:
	case FLOW_ACTION_VLAN_POP:
	case FLOW_ACTION_TUNNEL_DECAP:
		return 0;
	case FLOW_ACTION_REDIRECT:
	case FLOW_ACTION_MIRRED:
		return sd_parse_output(b, r, a, e, extack);
	case FLOW_ACTION_VLAN_PUSH:
		a->vlan.proto = e->vlan.proto;
		a->vlan.tci = e->vlan.prio << VLAN_PRIO_SHIFT | e->vlan.vid;
		return 0;
	case FLOW_ACTION_MANGLE:
		return sd_parse_mangle(a, e, extack);
	case FLOW_ACTION_TUNNEL_ENCAP:
		return sd_parse_encap(r, e, extack);
	default:
		NL_SET_ERR_MSG_FMT_MOD(extack, "action %d is not offloaded", e->id);
		return -EOPNOTSUPP;
	}
}

/* What goes to the slow path must be as it came; what is still in a tunnel must come out first. */
static const char *sd_misplaced(const struct sd_block *b, enum flow_action_id id, bool first,
				bool last)
{
	bool decap = id == FLOW_ACTION_TUNNEL_DECAP;

	if (sd_is_last(id) != last)
		return "one drop, redirect or trap is needed, at the end";
	if ((id == FLOW_ACTION_ACCEPT || id == FLOW_ACTION_TRAP) && !first)
		return "no action may come before a trap";
	if (decap && !(b->tunnel && first))
		return "tunnel_key unset is the first action, at a tunnel netdev";
	if (b->tunnel && first && !decap && (!last || id == FLOW_ACTION_REDIRECT))
		return "at a tunnel netdev, tunnel_key unset comes first";
	return NULL;
}

int sd_actions_parse(const struct sd_block *b, struct sd_rule *r, const struct flow_action *actions,
		     struct netlink_ext_ack *extack)
{
	const struct flow_action_entry *e;
	const char *misplaced;
	int i, err;

	if (!actions->num_entries) {
		NL_SET_ERR_MSG_MOD(extack, "a rule without actions is not offloaded");
		return -EOPNOTSUPP;
	}
	if (!flow_action_hw_stats_check(actions, extack, FLOW_ACTION_HW_STATS_DELAYED_BIT))
		return -EOPNOTSUPP;
	r->actions = actions->num_entries;
	flow_action_for_each(i, e, actions) {
		err = sd_parse_action(b, r, &r->action[i], e, extack);
		if (err)
			return err;
		misplaced = sd_misplaced(b, e->id, !i, flow_action_is_last_entry(actions, e));
		if (misplaced) {
			NL_SET_ERR_MSG_FMT_MOD(extack, "%s", misplaced);
			return -EOPNOTSUPP;
		}
	}
	return 0;
}

static void sd_drop(struct sd_rule *r, struct sk_buff *skb)
{
	atomic64_inc(&r->drops);
	kfree_skb(skb);
}

static void sd_output(struct sd_rule *r, const struct sd_action *a, struct sd_port *in,
		      const struct sd_path *path, struct sk_buff *skb, int hops)
{
	struct sd_port *out = a->encap ? path->uplink : xa_load(&in->sd->ports, a->port);

	if (!skb || !out || (a->encap && sd_encap(skb, &r->tunnel, path)))
		sd_drop(r, skb);
	else
		sd_egress(out, skb, hops);
}

static int sd_vlan_push(struct sk_buff *skb, const struct sd_action *a)
{
	int err = __vlan_insert_tag(skb, a->vlan.proto, a->vlan.tci);

	if (!err)
		skb->protocol = a->vlan.proto;
	return err;
}

static int sd_vlan_pop(struct sk_buff *skb)
{
	u16 tci;

	return eth_type_vlan(eth_hdr(skb)->h_proto) ? __skb_vlan_pop(skb, &tci) : 0;
}

static int sd_mangle(struct sk_buff *skb, const struct sd_action *a)
{
	int err = skb_ensure_writable(skb, 2 * ETH_ALEN);
	u32 *word;

	if (err)
		return err;
	word = (u32 *)(skb->data + a->mangle.offset);
	put_unaligned((get_unaligned(word) & a->mangle.keep) ^ a->mangle.set, word);
	return 0;
}

static int sd_rewrite(struct sk_buff *skb, const struct sd_action *a)
{
	switch (a->id) {
	case FLOW_ACTION_VLAN_PUSH:
		return sd_vlan_push(skb, a);
	case FLOW_ACTION_VLAN_POP:
		return sd_vlan_pop(skb);
	case FLOW_ACTION_MANGLE:
		return sd_mangle(skb, a);
	case FLOW_ACTION_TUNNEL_DECAP:
		return sd_decap(skb);
	default:
		return 0;	/* encapsulation is done by the output that follows */
	}
}

static void sd_hit(struct sd_rule *r, const struct sk_buff *skb)
{
	atomic64_inc(&r->packets);
	atomic64_add(skb->len, &r->bytes);
	WRITE_ONCE(r->lastused, jiffies);
}

/* A tunnel whose far end is not known now leaves the frame to the slow path, which finds out. */
static bool sd_run(struct sd_rule *r, struct sd_port *in, struct sk_buff *skb, int hops)
{
	const struct sd_action *a;
	struct sd_path path;

	if (r->encap && !sd_tunnel_path(&r->tunnel, in, &path))
		return false;
	sd_hit(r, skb);
	for (a = r->action; !sd_is_last(a->id); a++) {
		if (a->id == FLOW_ACTION_MIRRED) {
			sd_output(r, a, in, &path, skb_clone(skb, GFP_ATOMIC), hops);
		} else if (sd_rewrite(skb, a)) {
			sd_drop(r, skb);
			return true;
		}
	}
	if (a->id == FLOW_ACTION_REDIRECT)
		sd_output(r, a, in, &path, skb, hops);
	else if (a->id == FLOW_ACTION_DROP)
		sd_drop(r, skb);
	return a->id == FLOW_ACTION_REDIRECT || a->id == FLOW_ACTION_DROP;
}

static struct sd_rule *sd_rule_of(const struct sd_port *in, const struct sk_buff *skb)
{
	struct sd_rule *r = NULL;
	struct sd_key key;

	if (!list_empty(&in->table.masks) && sd_key_of_frame(skb, 0, &key))
		r = sd_rule_lookup(&in->table, &key);
	if (!r && in->kind == SD_UPLINK && !list_empty(&in->sd->tunnels.masks) &&
	    sd_key_of_tunnel(skb, &key))
		r = sd_rule_lookup(&in->sd->tunnels, &key);
	return r;
}

bool sd_offload(struct sd_port *in, struct sk_buff *skb, int hops)
{
	struct sd_rule *r = sd_rule_of(in, skb);

	if (!r)
		return false;
	skb_set_network_header(skb, ETH_HLEN);
	skb->protocol = eth_hdr(skb)->h_proto;
	skb_forward_csum(skb);
	return sd_run(r, in, skb, hops);
}
