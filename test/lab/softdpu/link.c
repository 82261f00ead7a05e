// SPDX-License-Identifier: GPL-2.0
/* Wires between uplinks, and who has a carrier. */
#include <linux/rtnetlink.h>

#include "softdpu.h"

static DEFINE_SPINLOCK(sd_link_lock);

static bool sd_running(const struct net_device *dev)
{
	return dev && netif_running(dev);
}

/* returns whether a carrier was lost */
static bool sd_carrier(struct net_device *dev, bool up)
{
	if (!dev || netif_carrier_ok(dev) == up)
		return false;
	if (up)
		netif_carrier_on(dev);
	else
		netif_carrier_off(dev);
	return !up;
}

static bool sd_uplink_ready(const struct sd_port *p)
{
	return sd_running(rcu_dereference(p->netdev[SD_ESWITCH])) && !READ_ONCE(p->faults.link_down);
}

static void sd_uplink_update(struct sd_port *p, bool up)
{
	if (sd_carrier(rcu_dereference(p->netdev[SD_ESWITCH]), up))
		sd_count(p, SD_ESWITCH, SD_link_down_events_phy, 1);
}

/* A wire has a carrier at both ends or at none. */
static void sd_wire_update(struct sd_port *p)
{
	struct sd_port *peer = rcu_dereference(p->wire);
	bool up = peer && sd_uplink_ready(p) && sd_uplink_ready(peer);

	sd_uplink_update(p, up);
	if (peer)
		sd_uplink_update(peer, up);
}

/* In switchdev mode a function has its carrier from the representor, unless its VF was told otherwise. */
static bool sd_function_ready(const struct sd_port *p)
{
	if (READ_ONCE(p->faults.link_down))
		return false;
	switch (READ_ONCE(p->vf.linkstate)) {
	case IFLA_VF_LINK_STATE_ENABLE:
		return true;
	case IFLA_VF_LINK_STATE_DISABLE:
		return false;
	default:
		return !sd_switchdev(p->sd) || sd_running(rcu_dereference(p->netdev[SD_ESWITCH]));
	}
}

void sd_link_update(struct sd_port *p)
{
	struct net_device *representor;

	guard(spinlock_bh)(&sd_link_lock);
	guard(rcu)();
	if (p->kind == SD_UPLINK) {
		sd_wire_update(p);
		return;
	}
	representor = rcu_dereference(p->netdev[SD_ESWITCH]);
	sd_carrier(representor, sd_running(representor));
	sd_carrier(rcu_dereference(p->netdev[SD_FUNCTION]), sd_function_ready(p));
}

static void sd_wire_cut(struct sd_port *p)
{
	struct sd_port *peer = rcu_dereference_protected(p->wire, lockdep_is_held(&sd_devices_lock));

	if (!peer)
		return;
	RCU_INIT_POINTER(peer->wire, NULL);
	RCU_INIT_POINTER(p->wire, NULL);
	sd_link_update(peer);
	sd_link_update(p);
}

/* Joins two uplinks, each of which loses the wire that it had; with b NULL, a is left without one. */
void sd_wire_connect(struct sd_port *a, struct sd_port *b)
{
	lockdep_assert_held(&sd_devices_lock);
	sd_wire_cut(a);
	if (!b)
		return;
	sd_wire_cut(b);
	rcu_assign_pointer(a->wire, b);
	rcu_assign_pointer(b->wire, a);
	sd_link_update(a);
}
