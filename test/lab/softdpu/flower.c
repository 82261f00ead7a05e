// SPDX-License-Identifier: GPL-2.0
/* What tc asks of us: to take a filter of flower into the eswitch, to drop it, to tell its hits. */
#include <net/pkt_cls.h>

#include "rules.h"

static bool sd_can_offload(const struct sd_block *b, struct flow_cls_common_offload *common)
{
	if (!sd_switchdev(b->sd)) {
		NL_SET_ERR_MSG_MOD(common->extack, "rules are offloaded only in switchdev mode");
		return false;
	}
	if (!b->tunnel)
		return tc_cls_can_offload_and_chain0(b->dev, common);
	if (common->chain_index)	/* a tunnel netdev has no hw-tc-offload to ask for */
		NL_SET_ERR_MSG_MOD(common->extack, "only chain 0 is offloaded");
	return !common->chain_index;
}

static struct sd_rule *sd_rule_new(const struct sd_block *b, struct flow_cls_offload *f,
				   struct sd_key *mask)
{
	const struct flow_action *actions = &f->rule->action;
	struct sd_rule *r;
	int err;

	r = kzalloc(struct_size(r, action, actions->num_entries), GFP_KERNEL);
	if (!r)
		return ERR_PTR(-ENOMEM);
	r->cookie = f->cookie;
	r->prio = f->common.prio;
	r->lastused = jiffies;
	r->keys = f->rule->match.dissector->used_keys;
	err = sd_key_of_rule(b, f, &r->key, mask);
	if (!err)
		err = sd_actions_parse(b, r, actions, f->common.extack);
	if (err) {
		kfree(r);
		return ERR_PTR(err);
	}
	return r;
}

/* The new rule is in before the old one is out, so that no frame in between goes the slow path. */
static int sd_flower_replace(const struct sd_block *b, struct flow_cls_offload *f)
{
	struct sd_rule *r, *old;
	struct sd_key mask;
	int err;

	if (!sd_can_offload(b, &f->common))
		return -EOPNOTSUPP;
	r = sd_rule_new(b, f, &mask);
	if (IS_ERR(r))
		return PTR_ERR(r);
	mutex_lock(&b->sd->rules);
	old = sd_rule_find(b->table, f->cookie);
	/* once more, under the lock of the flush that follows a change of mode */
	err = sd_switchdev(b->sd) ? sd_rule_insert(b, r, &mask, f->common.extack) : -EOPNOTSUPP;
	if (!err && old)
		sd_rule_remove(b->sd, old);
	mutex_unlock(&b->sd->rules);
	if (err)
		kfree(r);
	return err;
}

static int sd_flower_destroy(const struct sd_block *b, const struct flow_cls_offload *f)
{
	struct sd_rule *r;

	mutex_lock(&b->sd->rules);
	r = sd_rule_find(b->table, f->cookie);
	if (r)
		sd_rule_remove(b->sd, r);
	mutex_unlock(&b->sd->rules);
	return r ? 0 : -ENOENT;
}

/* what has come since the last time */
static u64 sd_news(const atomic64_t *now, u64 *told)
{
	u64 value = atomic64_read(now), news = value - *told;

	*told = value;
	return news;
}

static int sd_flower_stats(const struct sd_block *b, struct flow_cls_offload *f)
{
	struct sd_rule *r;

	mutex_lock(&b->sd->rules);
	r = sd_rule_find(b->table, f->cookie);
	if (r)
		flow_stats_update(&f->stats, sd_news(&r->bytes, &r->told_bytes),
				  sd_news(&r->packets, &r->told_packets),
				  sd_news(&r->drops, &r->told_drops), READ_ONCE(r->lastused),
				  FLOW_ACTION_HW_STATS_DELAYED);
	mutex_unlock(&b->sd->rules);
	return r ? 0 : -ENOENT;
}

int sd_flower(const struct sd_block *b, struct flow_cls_offload *f)
{
	switch (f->command) {
	case FLOW_CLS_REPLACE:
		return sd_flower_replace(b, f);
	case FLOW_CLS_DESTROY:
		return sd_flower_destroy(b, f);
	case FLOW_CLS_STATS:
		return sd_flower_stats(b, f);
	default:
		return -EOPNOTSUPP;
	}
}

static int sd_port_filter(enum tc_setup_type type, void *data, void *priv)
{
	struct net_device *dev = priv;
	struct sd_port *p = sd_port_of(dev);
	const struct sd_block b = { .sd = p->sd, .dev = dev, .table = &p->table };
	struct flow_cls_offload *f = data;
	int err = 0;

	if (type != TC_SETUP_CLSFLOWER)
		return -EOPNOTSUPP;
	if (f->command == FLOW_CLS_REPLACE)	/* the hardware may be made to refuse */
		err = sd_fault(&p->faults, SD_OP_RULE);
	return err ?: sd_flower(&b, f);
}

static LIST_HEAD(sd_port_blocks);	/* rtnl */

/*
 * The ingress of an uplink or representor. tc unbinds before the netdev goes, and takes its filters
 * out. Whether a filter is offloaded is asked for each, so that binding works in any mode. tc need
 * not hold the rtnl around our answers: sd_dev.rules is enough.
 */
int sd_setup_tc(struct net_device *dev, enum tc_setup_type type, void *data)
{
	struct flow_block_offload *bo = data;

	if (type != TC_SETUP_BLOCK)
		return -EOPNOTSUPP;
	bo->unlocked_driver_cb = true;
	return flow_block_cb_setup_simple(bo, &sd_port_blocks, sd_port_filter, dev, dev, true);
}
