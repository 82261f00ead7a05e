// SPDX-License-Identifier: GPL-2.0
/* The module's beginning and end. */
#include <linux/module.h>

#include "softdpu.h"

static int __init sd_init(void)
{
	int err;

	sd_debugfs_init();
	err = sd_tunnels_init();
	if (err)
		goto no_tunnels;
	err = sd_bus_init();
	if (err)
		goto no_bus;
	err = sd_pci_init();
	if (err)
		goto no_pci;
	return 0;
no_pci:
	sd_bus_exit();
no_bus:
	sd_tunnels_exit();
no_tunnels:
	sd_debugfs_exit();
	return err;
}

static void __exit sd_exit(void)
{
	sd_pci_exit();
	sd_bus_exit();
	sd_tunnels_exit();
	sd_debugfs_exit();
	rcu_barrier();
}

module_init(sd_init);
module_exit(sd_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("The eswitch of a SmartNIC in software");
