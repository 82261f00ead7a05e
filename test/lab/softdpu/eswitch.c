// SPDX-License-Identifier: GPL-2.0
/* The mode of an eswitch and its number of VFs: a change that fails half-way is undone. */
#include <linux/rtnetlink.h>

#include "softdpu.h"

int sd_mode_get(struct devlink *devlink, u16 *mode)
{
	struct sd_dev *sd = devlink_priv(devlink);

	*mode = sd->mode;
	return sd_fault(&sd->faults, SD_OP_MODE);
}

static bool sd_is_function(const struct sd_port *p, u32 unused)
{
	return p->kind != SD_UPLINK;
}

static void sd_mode_now(struct sd_dev *sd, u16 mode)
{
	struct sd_port *p;
	unsigned long id;

	WRITE_ONCE(sd->mode, mode);
	xa_for_each(&sd->ports, id, p)
		sd_link_update(p);
}

static int sd_to_switchdev(struct sd_dev *sd, struct netlink_ext_ack *extack)
{
	struct sd_port *p;
	unsigned long id;
	int err;

	xa_for_each(&sd->ports, id, p) {
		err = p->kind == SD_UPLINK ? 0 : sd_representor_up(p);
		if (err) {
			sd_netdevs_down(sd, sd_is_function, 0, false);
			NL_SET_ERR_MSG_MOD(extack, "a representor cannot be made: the mode is still legacy");
			return err;
		}
	}
	sd_mode_now(sd, DEVLINK_ESWITCH_MODE_SWITCHDEV);
	return 0;
}

/* Hardware forgets its rules; tc hears of it when it asks after them. */
static int sd_to_legacy(struct sd_dev *sd, struct netlink_ext_ack *extack)
{
	struct sd_port *p;
	unsigned long id;

	xa_for_each(&sd->ports, id, p)
		if (p->kind == SD_SF) {
			NL_SET_ERR_MSG_MOD(extack, "delete the SFs first: legacy mode has none");
			return -EBUSY;
		}
	sd_mode_now(sd, DEVLINK_ESWITCH_MODE_LEGACY);
	sd_netdevs_down(sd, sd_is_function, 0, false);
	xa_for_each(&sd->ports, id, p)
		sd_table_flush(sd, &p->table);
	sd_table_flush(sd, &sd->tunnels);
	return 0;
}

int sd_mode_set(struct devlink *devlink, u16 mode, struct netlink_ext_ack *extack)
{
	struct sd_dev *sd = devlink_priv(devlink);

	if (mode == sd->mode)
		return 0;
	if (mode == DEVLINK_ESWITCH_MODE_SWITCHDEV)
		return sd_to_switchdev(sd, extack);
	return mode == DEVLINK_ESWITCH_MODE_LEGACY ? sd_to_legacy(sd, extack) : -EOPNOTSUPP;
}

static bool sd_is_vf(const struct sd_port *p, u32 unused)
{
	return p->kind == SD_VF;
}

static int sd_add_vfs(struct sd_dev *sd, unsigned int vfs)
{
	unsigned int n;

	for (n = 0; n < sd->uplinks * vfs; n++) {
		struct sd_port *p = sd_port_new(sd, SD_VF, n / vfs, n % vfs, sd->controller);

		if (IS_ERR(p))
			return PTR_ERR(p);
	}
	return 0;
}

/* rtnetlink makes room for a list of VFs and then fills it, in one hold of rtnl */
static void sd_tell_vfs(struct sd_dev *sd, unsigned int vfs)
{
	rtnl_lock();
	WRITE_ONCE(sd->vfs, vfs);
	rtnl_unlock();
}

/* So many VFs on each uplink; from some to others the way leads over none, as in PCI. */
int sd_set_vfs(struct sd_dev *sd, unsigned int vfs)
{
	int err;

	if (vfs > SD_MAX_VFS)
		return -ERANGE;
	if (vfs && sd->vfs)
		return vfs == sd->vfs ? 0 : -EBUSY;
	err = sd_add_vfs(sd, vfs);
	sd_tell_vfs(sd, err ? 0 : vfs);
	if (err || !vfs)
		sd_ports_remove(sd, sd_is_vf, 0);
	return err;
}
