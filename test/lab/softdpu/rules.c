// SPDX-License-Identifier: GPL-2.0
/*
 * Tables of rules: one hash for each mask that rules have, so that a frame costs as many look-ups
 * as there are different masks, however many rules there are.
 */
#include <linux/jhash.h>
#include <linux/rculist.h>

#include "rules.h"

#define SD_BUCKETS	256

struct sd_mask {
	struct list_head list;		/* in sd_table.masks */
	struct rcu_head rcu;
	struct sd_key key;
	struct list_head rules;		/* for those who hold sd_dev.rules */
	struct hlist_head bucket[SD_BUCKETS];
};

void sd_table_init(struct sd_table *t)
{
	INIT_LIST_HEAD(&t->masks);
}

/* tc takes all that it has put into a table out again before it lets a netdev go */
void sd_table_free(struct sd_table *t)
{
	WARN_ON(!list_empty(&t->masks));
}

static u32 sd_bucket(const struct sd_key *masked)
{
	return jhash2((const u32 *)masked, sizeof(*masked) / sizeof(u32), 0) % SD_BUCKETS;
}

/* The lowest prio wins; of rules with the same, the newest, which is to replace the other. */
struct sd_rule *sd_rule_lookup(const struct sd_table *t, const struct sd_key *key)
{
	struct sd_rule *r, *best = NULL;
	struct sd_key masked;
	struct sd_mask *m;

	list_for_each_entry_rcu(m, &t->masks, list) {
		sd_key_and(&masked, key, &m->key);
		hlist_for_each_entry_rcu(r, &m->bucket[sd_bucket(&masked)], node)
			if ((!best || r->prio < best->prio) &&
			    !memcmp(&r->key, &masked, sizeof(masked)))
				best = r;
	}
	return best;
}

struct sd_rule *sd_rule_find(const struct sd_table *t, unsigned long cookie)
{
	struct sd_mask *m;
	struct sd_rule *r;

	list_for_each_entry(m, &t->masks, list)
		list_for_each_entry(r, &m->rules, list)
			if (r->cookie == cookie)
				return r;
	return NULL;
}

static struct sd_mask *sd_mask(struct sd_table *t, const struct sd_key *key)
{
	struct sd_mask *m;

	list_for_each_entry(m, &t->masks, list)
		if (!memcmp(&m->key, key, sizeof(*key)))
			return m;
	m = kzalloc(sizeof(*m), GFP_KERNEL);
	if (!m)
		return NULL;
	m->key = *key;
	INIT_LIST_HEAD(&m->rules);
	list_add_tail_rcu(&m->list, &t->masks);
	return m;
}

int sd_rule_insert(const struct sd_block *b, struct sd_rule *r, const struct sd_key *mask,
		   struct netlink_ext_ack *extack)
{
	lockdep_assert_held(&b->sd->rules);
	if (atomic_read(&b->sd->nrules) >= SD_MAX_RULES) {
		NL_SET_ERR_MSG_MOD(extack, "the rule table is full");
		return -ENOSPC;
	}
	r->mask = sd_mask(b->table, mask);
	if (!r->mask)
		return -ENOMEM;
	list_add_tail(&r->list, &r->mask->rules);
	hlist_add_head_rcu(&r->node, &r->mask->bucket[sd_bucket(&r->key)]);
	atomic_inc(&b->sd->nrules);
	return 0;
}

void sd_rule_remove(struct sd_dev *sd, struct sd_rule *r)
{
	struct sd_mask *m = r->mask;

	lockdep_assert_held(&sd->rules);
	atomic_dec(&sd->nrules);
	hlist_del_rcu(&r->node);
	list_del(&r->list);
	kfree_rcu(r, rcu);
	if (!list_empty(&m->rules))
		return;
	list_del_rcu(&m->list);
	kfree_rcu(m, rcu);
}

/* Hardware forgets its rules with the mode; tc is told so when it asks after them. */
void sd_table_flush(struct sd_dev *sd, struct sd_table *t)
{
	struct sd_mask *m, *next_mask;
	struct sd_rule *r, *next;

	guard(mutex)(&sd->rules);
	guard(rcu)();	/* keeps a removed mask in memory until the loop is past it */
	list_for_each_entry_safe(m, next_mask, &t->masks, list)
		list_for_each_entry_safe(r, next, &m->rules, list)
			sd_rule_remove(sd, r);	/* the last takes the mask along */
}

static void sd_rule_show(struct seq_file *s, const struct sd_rule *r)
{
	seq_printf(s, "prio %u hits %lld bytes %lld drops %lld lastused %lu s cookie %lx keys %llx\n",
		   r->prio, atomic64_read(&r->packets), atomic64_read(&r->bytes),
		   atomic64_read(&r->drops), (jiffies - READ_ONCE(r->lastused)) / HZ, r->cookie,
		   r->keys);
}

static void sd_table_show(struct seq_file *s, const struct sd_table *t, const char *what)
{
	const struct sd_mask *m;
	const struct sd_rule *r;

	list_for_each_entry(m, &t->masks, list)
		list_for_each_entry(r, &m->rules, list) {
			seq_puts(s, what);
			sd_rule_show(s, r);
		}
}

void sd_rules_show(struct seq_file *s, struct sd_port *p)
{
	mutex_lock(&p->sd->rules);
	sd_table_show(s, &p->table, "");
	if (p->kind == SD_UPLINK)
		sd_table_show(s, &p->sd->tunnels, "tunnel ");
	mutex_unlock(&p->sd->rules);
}
