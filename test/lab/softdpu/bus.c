// SPDX-License-Identifier: GPL-2.0
/*
 * A bus of our own, /sys/bus/softdpu:
 *
 *   new_device  NAME UPLINKS VFS [CONTROLLER [DRIVER [REP_DRIVER]]]
 *   del_device  NAME
 *   wire        NAME UPLINK NAME UPLINK    joins two uplinks
 *               NAME UPLINK -              cuts the wire
 *   devices/NAME/sriov_numvfs, sriov_totalvfs
 *
 * NAME is at most 5 lower-case letters and digits, VFS the number on each uplink, CONTROLLER whose PFs
 * and VFs they are: 1, that of an external host, or 0, our own. The drivers are what ethtool -i says.
 */
#include <linux/device.h>
#include <linux/rtnetlink.h>
#include <linux/wait_bit.h>

#include "softdpu.h"

struct sd_bus_device {
	struct device dev;
	struct sd_options options;
};

static const struct bus_type sd_bus;
static DEFINE_MUTEX(sd_bus_lock);	/* devices are added and removed one at a time */
static bool sd_bus_open;

/* devlink wants a device that a driver is bound to */
static int sd_bus_probe(struct device *dev)
{
	return PTR_ERR_OR_ZERO(sd_create(dev, &container_of(dev, struct sd_bus_device, dev)->options));
}

static void sd_bus_remove(struct device *dev)
{
	sd_destroy(dev_get_drvdata(dev));
}

static int sd_bus_num_vf(struct device *dev)
{
	struct sd_dev *sd = dev_get_drvdata(dev);

	return sd ? READ_ONCE(sd->vfs) : 0;
}

static ssize_t sriov_numvfs_show(struct device *dev, struct device_attribute *a, char *buf)
{
	return sysfs_emit(buf, "%d\n", sd_bus_num_vf(dev));
}

static ssize_t sriov_numvfs_store(struct device *dev, struct device_attribute *a, const char *buf, size_t n)
{
	struct sd_dev *sd = dev_get_drvdata(dev);
	unsigned int vfs;

	if (kstrtouint(buf, 0, &vfs))
		return -EINVAL;
	guard(devl)(priv_to_devlink(sd));
	return sd_set_vfs(sd, vfs) ?: n;
}
static DEVICE_ATTR_RW(sriov_numvfs);

static ssize_t sriov_totalvfs_show(struct device *dev, struct device_attribute *a, char *buf)
{
	return sysfs_emit(buf, "%u\n", SD_MAX_VFS);
}
static DEVICE_ATTR_RO(sriov_totalvfs);

static struct attribute *sd_device_attrs[] = { &dev_attr_sriov_numvfs.attr, &dev_attr_sriov_totalvfs.attr, NULL };
ATTRIBUTE_GROUPS(sd_device);

/* those not released: devlink holds a device for a while after it is gone, and our code is needed then */
static atomic_t sd_bus_devices;

static void sd_bus_release(struct device *dev)
{
	kfree(container_of(dev, struct sd_bus_device, dev));
	if (atomic_dec_and_test(&sd_bus_devices))
		wake_up_var(&sd_bus_devices);
}

static bool sd_bus_has(const char *name)
{
	struct device *dev = bus_find_device_by_name(&sd_bus, NULL, name);

	put_device(dev);
	return dev;
}

static int sd_bus_add(const struct sd_options *o)
{
	struct sd_bus_device *b;
	int err;

	if (sd_bus_has(o->name))	/* the driver core would complain to the log */
		return -EEXIST;
	b = kzalloc(sizeof(*b), GFP_KERNEL);
	if (!b)
		return -ENOMEM;
	atomic_inc(&sd_bus_devices);
	b->options = *o;
	b->dev.bus = &sd_bus;
	b->dev.release = sd_bus_release;
	device_initialize(&b->dev);
	err = dev_set_name(&b->dev, "%s", o->name) ?: device_add(&b->dev);
	if (!err && !dev_get_drvdata(&b->dev)) {	/* else nobody tells that the probe failed */
		device_del(&b->dev);
		err = -EIO;
	}
	if (err)
		put_device(&b->dev);
	return err;
}

static int sd_options_parse(struct sd_options *o, int words, char **word)
{
	if (words < 3 || words > 6 || strscpy(o->name, word[0], SD_MAX_NAME + 1) < 0 ||
	    o->name[strspn(o->name, "abcdefghijklmnopqrstuvwxyz0123456789")] ||
	    kstrtouint(word[1], 10, &o->uplinks) || kstrtouint(word[2], 10, &o->vfs) ||
	    (words > 3 && kstrtouint(word[3], 10, &o->controller)) ||
	    (words > 4 && strscpy(o->driver, word[4]) < 0) ||
	    (words > 5 && strscpy(o->rep_driver, word[5]) < 0))
		return -EINVAL;
	return o->uplinks && o->uplinks <= SD_MAX_UPLINKS && o->vfs <= SD_MAX_VFS &&
	       o->controller <= 1 ? 0 : -EINVAL;
}

static ssize_t new_device_store(const struct bus_type *bus, const char *buf, size_t n)
{
	struct sd_options o = sd_default_options;
	int words, err;
	char **word = argv_split(GFP_KERNEL, buf, &words);

	if (!word)
		return -ENOMEM;
	err = sd_options_parse(&o, words, word);
	argv_free(word);
	if (err)
		return err;
	guard(mutex)(&sd_bus_lock);
	return (sd_bus_open ? sd_bus_add(&o) : -ENODEV) ?: n;
}
static BUS_ATTR_WO(new_device);

static ssize_t del_device_store(const struct bus_type *bus, const char *buf, size_t n)
{
	struct device *dev;
	char name[32];

	if (sscanf(buf, "%31s", name) != 1)
		return -EINVAL;
	guard(mutex)(&sd_bus_lock);
	dev = bus_find_device_by_name(bus, NULL, name);
	if (!dev)
		return -ENODEV;
	device_unregister(dev);
	put_device(dev);
	return n;
}
static BUS_ATTR_WO(del_device);

/* sd_devices_lock and RCU */
static struct sd_port *sd_uplink(const char *name, unsigned int pf)
{
	struct sd_dev *sd;

	list_for_each_entry(sd, &sd_devices, list)
		if (!strcmp(dev_name(sd->dev), name))
			return sd_port_find(sd, SD_UPLINK, pf, 0);
	return NULL;
}

static ssize_t wire_store(const struct bus_type *bus, const char *buf, size_t n)
{
	struct sd_port *a, *b = NULL;
	char name[2][32], rest[2];
	unsigned int pf[2];
	int words = sscanf(buf, "%31s %u %31s %u %1s", name[0], &pf[0], name[1], &pf[1], rest);

	if (words != 4 && (words != 3 || strcmp(name[1], "-")))
		return -EINVAL;
	guard(mutex)(&sd_devices_lock);
	guard(rcu)();
	a = sd_uplink(name[0], pf[0]);
	if (words == 4)
		b = sd_uplink(name[1], pf[1]);
	if (!a || (words == 4 && !b))
		return -ENODEV;
	if (a == b)
		return -EINVAL;
	sd_wire_connect(a, b);
	return n;
}
static BUS_ATTR_WO(wire);

static struct attribute *sd_bus_attrs[] = {
	&bus_attr_new_device.attr, &bus_attr_del_device.attr, &bus_attr_wire.attr, NULL
};
ATTRIBUTE_GROUPS(sd_bus);

static const struct bus_type sd_bus = {
	.name = "softdpu", .bus_groups = sd_bus_groups, .num_vf = sd_bus_num_vf,
	.probe = sd_bus_probe, .remove = sd_bus_remove,
};

/* The device's files are there while it is bound. */
static struct device_driver sd_bus_driver = {
	.name = "softdpu", .bus = &sd_bus, .owner = THIS_MODULE, .dev_groups = sd_device_groups,
};

int sd_bus_init(void)
{
	int err = bus_register(&sd_bus);

	if (err)
		return err;
	err = driver_register(&sd_bus_driver);
	if (err)
		bus_unregister(&sd_bus);
	guard(mutex)(&sd_bus_lock);
	sd_bus_open = !err;
	return err;
}

static int sd_bus_drop(struct device *dev, void *unused)
{
	device_unregister(dev);
	return 0;
}

void sd_bus_exit(void)
{
	scoped_guard(mutex, &sd_bus_lock) {
		sd_bus_open = false;
		bus_for_each_dev(&sd_bus, NULL, NULL, sd_bus_drop);
	}
	wait_var_event(&sd_bus_devices, !atomic_read(&sd_bus_devices));
	driver_unregister(&sd_bus_driver);
	bus_unregister(&sd_bus);
}
