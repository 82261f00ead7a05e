// SPDX-License-Identifier: GPL-2.0
/* A device as a whole: made in one go, or not at all. */
#include <linux/debugfs.h>
#include <linux/pci.h>

#include "softdpu.h"

const struct sd_options sd_default_options = {
	.uplinks = 1, .controller = 1, .driver = "softdpu", .rep_driver = "softdpu_rep",
};

LIST_HEAD(sd_devices);
DEFINE_MUTEX(sd_devices_lock);

static int sd_ports_up(struct sd_dev *sd, unsigned int vfs)
{
	unsigned int n;

	for (n = 0; n < 2 * sd->uplinks; n++) {
		bool uplink = n < sd->uplinks;
		struct sd_port *p = sd_port_new(sd, uplink ? SD_UPLINK : SD_PF, n % sd->uplinks, 0,
						uplink ? 0 : sd->controller);

		if (IS_ERR(p))
			return PTR_ERR(p);
	}
	return sd_set_vfs(sd, vfs);
}

static bool sd_is_any(const struct sd_port *p, u32 unused)
{
	return true;
}

/* each step undoes one of sd_up(), and does nothing where that was not reached */
static void sd_down(struct sd_dev *sd)
{
	sd_table_flush(sd, &sd->tunnels);
	sd_ports_remove(sd, sd_is_any, 0);
	sd_health_down(sd);
	sd_devlink_down(sd);
}

static int sd_up(struct sd_dev *sd, unsigned int vfs)
{
	int err = sd_devlink_up(sd) ?: sd_health_up(sd) ?: sd_ports_up(sd, vfs);

	if (err)
		sd_down(sd);
	return err;
}

static void sd_init(struct sd_dev *sd, struct device *dev, const struct sd_options *o)
{
	sd->dev = dev;
	sd->uplinks = o->uplinks;
	sd->controller = o->controller;
	sd->pci = dev_is_pci(dev);
	sd->mode = DEVLINK_ESWITCH_MODE_SWITCHDEV;
	strscpy(sd->name, o->name);
	strscpy(sd->driver, o->driver);
	strscpy(sd->rep_driver, o->rep_driver);
	sd->switch_id.id_len = 8;
	get_random_bytes(sd->switch_id.id, sd->switch_id.id_len);
	xa_init(&sd->ports);
	mutex_init(&sd->rules);
	sd_table_init(&sd->tunnels);
	dev_set_drvdata(dev, sd);
	sd_debugfs_device(sd);
}

/* RCU readers may still hold a port, and through it the device. */
static void sd_free(struct sd_dev *sd)
{
	debugfs_remove_recursive(sd->debugfs);
	dev_set_drvdata(sd->dev, NULL);
	synchronize_net();
	sd_table_free(&sd->tunnels);
	xa_destroy(&sd->ports);
	mutex_destroy(&sd->rules);
	devlink_free(priv_to_devlink(sd));
}

struct sd_dev *sd_create(struct device *dev, const struct sd_options *o)
{
	struct devlink *devlink = devlink_alloc(&sd_devlink_ops, sizeof(struct sd_dev), dev);
	struct sd_dev *sd;
	int err;

	if (!devlink)
		return ERR_PTR(-ENOMEM);
	sd = devlink_priv(devlink);
	sd_init(sd, dev, o);
	devl_lock(devlink);
	err = sd_up(sd, o->vfs);
	devl_unlock(devlink);
	if (err) {
		sd_free(sd);
		return ERR_PTR(err);
	}
	sd_debugfs_report(sd);
	guard(mutex)(&sd_devices_lock);
	list_add_tail(&sd->list, &sd_devices);
	return sd;
}

static void sd_wires_cut(struct sd_dev *sd)
{
	struct sd_port *p;
	unsigned long id;

	guard(mutex)(&sd_devices_lock);
	guard(rcu)();	/* VFs may still come and go */
	list_del(&sd->list);
	xa_for_each(&sd->ports, id, p)
		if (p->kind == SD_UPLINK)
			sd_wire_connect(p, NULL);
}

void sd_destroy(struct sd_dev *sd)
{
	debugfs_remove(sd->report);
	sd_wires_cut(sd);
	scoped_guard(devl, priv_to_devlink(sd))
		sd_down(sd);
	sd_free(sd);
}
