// SPDX-License-Identifier: GPL-2.0
/*
 * Filters on vxlan netdevs, which are not ours: what comes out of a tunnel there is still in it
 * when it enters an uplink, where these rules are looked up. A filter is offered to all devices.
 *
 * The module stays while a vxlan netdev has an ingress: tc takes it from us when the ingress goes,
 * and flow_indr_dev_unregister() must not do so at the same time, or it uses a block that is freed.
 */
#include <linux/module.h>
#include <linux/rtnetlink.h>
#include <net/pkt_cls.h>
#include <net/vxlan.h>

#include "rules.h"

/* Those take it whose ports it names; one that drops concerns all. */
static int sd_tunnel_filter(enum tc_setup_type type, void *data, void *priv)
{
	struct sd_block b = { .dev = priv, .tunnel = true };
	int err = -EOPNOTSUPP;

	if (type != TC_SETUP_CLSFLOWER)
		return -EOPNOTSUPP;
	guard(mutex)(&sd_devices_lock);
	list_for_each_entry(b.sd, &sd_devices, list) {
		b.table = &b.sd->tunnels;
		if (!sd_flower(&b, data))
			err = 0;
	}
	return err;
}

static void sd_tunnel_release(void *unused)
{
	module_put(THIS_MODULE);
}

static LIST_HEAD(sd_tunnel_blocks);	/* rtnl */

/*
 * Blocks that netdevs share are refused: a filter of one would come once for each of them, with the
 * same cookie, to the same table. Of ingresses that were there before us, bo does not say so.
 */
static int sd_tunnel_bind(struct net_device *dev, struct Qdisc *sch, struct flow_block_offload *bo,
			  void *data, void (*cleanup)(struct flow_block_cb *))
{
	struct flow_block_cb *cb;

	if (tcf_block_shared(data) || !try_module_get(THIS_MODULE))
		return -EOPNOTSUPP;
	cb = flow_indr_block_cb_alloc(sd_tunnel_filter, dev, dev, sd_tunnel_release, bo, dev, sch,
				      data, NULL, cleanup);
	if (IS_ERR(cb)) {
		module_put(THIS_MODULE);
		return PTR_ERR(cb);
	}
	flow_block_cb_add(cb, bo);
	list_add_tail(&cb->driver_list, &sd_tunnel_blocks);
	return 0;
}

/* Somebody's ingress is bound or unbound. */
static int sd_tunnel_setup(struct net_device *dev, struct Qdisc *sch, void *unused,
			   enum tc_setup_type type, void *type_data, void *data,
			   void (*cleanup)(struct flow_block_cb *))
{
	struct flow_block_offload *bo = type_data;
	struct flow_block_cb *cb;

	if (type != TC_SETUP_BLOCK || !netif_is_vxlan(dev) ||
	    bo->binder_type != FLOW_BLOCK_BINDER_TYPE_CLSACT_INGRESS)
		return -EOPNOTSUPP;
	if (bo->command == FLOW_BLOCK_BIND)
		return sd_tunnel_bind(dev, sch, bo, data, cleanup);
	cb = flow_block_cb_lookup(bo->block, sd_tunnel_filter, dev);
	if (!cb)
		return -ENOENT;
	flow_indr_block_cb_remove(cb, bo);
	list_del(&cb->driver_list);
	return 0;
}

/* The kernel tells of ingresses that there are already without the rtnl, which our list needs. */
int sd_tunnels_init(void)
{
	int err;

	rtnl_lock();
	err = flow_indr_dev_register(sd_tunnel_setup, NULL);
	rtnl_unlock();
	return err;
}

void sd_tunnels_exit(void)
{
	flow_indr_dev_unregister(sd_tunnel_setup, NULL, sd_tunnel_release);
}
