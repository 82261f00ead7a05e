// SPDX-License-Identifier: GPL-2.0
/* The ports of an eswitch: made one by one, removed together, since the kernel waits once for all. */
#include <linux/debugfs.h>
#include <linux/rtnetlink.h>

#include "softdpu.h"

void sd_port_name(const struct sd_port *p, char *name, size_t size)
{
	switch (p->kind) {
	case SD_UPLINK:
		snprintf(name, size, "p%u", p->pf);
		break;
	case SD_PF:
		snprintf(name, size, "pf%u", p->pf);
		break;
	case SD_VF:
		snprintf(name, size, "pf%uvf%u", p->pf, p->nr);
		break;
	case SD_SF:
		snprintf(name, size, "pf%usf%u", p->pf, p->nr);
		break;
	}
}

struct sd_port *sd_port_find(struct sd_dev *sd, enum sd_kind kind, u16 pf, u32 nr)
{
	struct sd_port *p;
	unsigned long id;

	xa_for_each(&sd->ports, id, p)
		if (p->kind == kind && p->pf == pf && p->nr == nr)
			return p;
	return NULL;
}

void sd_mac_get(struct sd_port *p, u8 *mac)
{
	guard(spinlock_bh)(&p->lock);
	ether_addr_copy(mac, p->mac);
}

/* A function takes its address when its netdev is made. */
void sd_mac_set(struct sd_port *p, const u8 *mac)
{
	guard(spinlock_bh)(&p->lock);
	ether_addr_copy(p->mac, mac);
}

static void sd_port_release(struct kref *ref)
{
	struct sd_port *p = container_of(ref, struct sd_port, ref);

	sd_table_free(&p->table);
	kfree_rcu(p, rcu);
}

void sd_port_put(struct sd_port *p)
{
	kref_put(&p->ref, sd_port_release);
}

/* whether a function's netdev comes with its port; an SF is activated, a VF of PCI probed */
static bool sd_has_function(const struct sd_port *p)
{
	return p->kind == SD_PF || (p->kind == SD_VF && !p->sd->pci);
}

static int sd_port_up(struct sd_port *p)
{
	int err;

	if (p->kind == SD_UPLINK || sd_switchdev(p->sd)) {
		err = sd_representor_up(p);
		if (err)
			return err;
	}
	return sd_has_function(p) ? sd_netdev_up(p, SD_FUNCTION, p->sd->dev) : 0;
}

static bool sd_is_port(const struct sd_port *p, u32 id)
{
	return p->id == id;
}

struct sd_port *sd_port_new(struct sd_dev *sd, enum sd_kind kind, u16 pf, u32 nr, u16 controller)
{
	struct sd_port *p = kzalloc(sizeof(*p), GFP_KERNEL);
	int err;

	if (!p)
		return ERR_PTR(-ENOMEM);
	p->sd = sd;
	p->kind = kind;
	p->pf = pf;
	p->nr = nr;
	p->controller = controller;
	p->id = sd->next_id++;
	p->vf.spoofchk = 1;
	p->vf.vf = nr;
	kref_init(&p->ref);
	spin_lock_init(&p->lock);
	sd_table_init(&p->table);
	eth_random_addr(p->mac);
	sd_counters_default(p);
	err = xa_err(xa_store(&sd->ports, p->id, p, GFP_KERNEL));
	if (err) {
		sd_port_put(p);
		return ERR_PTR(err);
	}
	err = sd_port_up(p);
	if (err) {
		sd_ports_remove(sd, sd_is_port, p->id);
		return ERR_PTR(err);
	}
	sd_debugfs_port(p);
	return p;
}

/* Takes away the representors of ports and, of those that are gone, the functions' netdevs too. */
void sd_netdevs_down(struct sd_dev *sd, sd_which which, u32 arg, bool gone)
{
	LIST_HEAD(netdevs);
	struct sd_port *p;
	unsigned long id;

	rtnl_lock();
	xa_for_each(&sd->ports, id, p) {
		if (!which(p, arg))
			continue;
		sd_netdev_queue(p, SD_ESWITCH, &netdevs);
		if (gone) {
			p->gone = true;
			sd_netdev_queue(p, SD_FUNCTION, &netdevs);
		}
	}
	unregister_netdevice_many(&netdevs);
	rtnl_unlock();
	xa_for_each(&sd->ports, id, p)
		if (which(p, arg))
			sd_representor_down(p);
}

void sd_ports_remove(struct sd_dev *sd, sd_which which, u32 arg)
{
	struct sd_port *p;
	unsigned long id;

	xa_for_each(&sd->ports, id, p)
		if (which(p, arg))
			debugfs_remove_recursive(p->debugfs);
	sd_netdevs_down(sd, which, arg, true);
	rtnl_lock();
	xa_for_each(&sd->ports, id, p)
		if (which(p, arg)) {
			xa_erase(&sd->ports, id);
			sd_port_put(p);
		}
	rtnl_unlock();
}
