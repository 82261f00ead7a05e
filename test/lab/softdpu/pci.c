// SPDX-License-Identifier: GPL-2.0
/*
 * The same on PCI: the functions are those of an nvme that QEMU models, whose registers are left
 * alone, so that addresses, SR-IOV, physfn and virtfn are the PCI core's own. With the module's
 * parameter pci=1; a device has one uplink.
 */
#include <linux/moduleparam.h>
#include <linux/pci.h>

#include "softdpu.h"

#define SD_PCI_VENDOR 0x1b36	/* Red Hat */
#define SD_PCI_NVME 0x0010

static bool sd_pci;
module_param_named(pci, sd_pci, bool, 0444);
MODULE_PARM_DESC(pci, "drive QEMU's nvme as if it were a SmartNIC");

static struct pci_driver sd_pci_driver;

/* A VF is disabled before its PF loses its driver, and so is the PF's port there. */
static int sd_vf_probe(struct pci_dev *pdev)
{
	struct sd_dev *sd = pci_iov_get_pf_drvdata(pdev, &sd_pci_driver);
	struct sd_port *p;
	int err;

	if (IS_ERR_OR_NULL(sd))
		return -ENODEV;
	scoped_guard(rcu) {
		p = sd_port_find(sd, SD_VF, 0, pci_iov_vf_id(pdev));
		if (!p || !kref_get_unless_zero(&p->ref))
			return -ENODEV;
	}
	err = sd_netdev_up(p, SD_FUNCTION, &pdev->dev);
	if (err)
		sd_port_put(p);
	else
		pci_set_drvdata(pdev, p);
	return err;
}

static void sd_vf_remove(struct pci_dev *pdev)
{
	struct sd_port *p = pci_get_drvdata(pdev);

	sd_netdev_down(p, SD_FUNCTION);
	sd_port_put(p);
}

static int sd_pf_probe(struct pci_dev *pdev)
{
	struct sd_options options = sd_default_options;
	int err = pci_enable_device(pdev);

	if (err)
		return err;
	snprintf(options.name, sizeof(options.name), "n%x", pdev->bus->number);
	err = PTR_ERR_OR_ZERO(sd_create(&pdev->dev, &options));
	if (err)
		pci_disable_device(pdev);
	return err;
}

static void sd_pf_remove(struct pci_dev *pdev)
{
	pci_disable_sriov(pdev);
	sd_destroy(pci_get_drvdata(pdev));
	pci_disable_device(pdev);
}

static int sd_pci_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	return pdev->is_virtfn ? sd_vf_probe(pdev) : sd_pf_probe(pdev);
}

static void sd_pci_remove(struct pci_dev *pdev)
{
	if (pdev->is_virtfn)
		sd_vf_remove(pdev);
	else
		sd_pf_remove(pdev);
}

static int sd_pci_set_vfs(struct sd_dev *sd, unsigned int vfs)
{
	guard(devl)(priv_to_devlink(sd));
	return sd_set_vfs(sd, vfs);
}

/* The ports are there before the VFs come and after they went: probing a VF takes no devl_lock. */
static int sd_pci_sriov_configure(struct pci_dev *pdev, int vfs)
{
	struct sd_dev *sd = pci_get_drvdata(pdev);
	int err;

	if (!vfs) {
		pci_disable_sriov(pdev);
		return sd_pci_set_vfs(sd, 0);
	}
	err = sd_pci_set_vfs(sd, vfs);
	if (err)
		return err;
	err = pci_enable_sriov(pdev, vfs);
	if (err)
		sd_pci_set_vfs(sd, 0);
	return err ?: vfs;
}

static const struct pci_device_id sd_pci_ids[] = {
	{ PCI_DEVICE(SD_PCI_VENDOR, SD_PCI_NVME) },
	{}
};

static struct pci_driver sd_pci_driver = {
	.name = "softdpu",
	.id_table = sd_pci_ids,
	.probe = sd_pci_probe,
	.remove = sd_pci_remove,
	.sriov_configure = sd_pci_sriov_configure,
};

int sd_pci_init(void)
{
	return sd_pci ? pci_register_driver(&sd_pci_driver) : 0;
}

void sd_pci_exit(void)
{
	if (sd_pci)
		pci_unregister_driver(&sd_pci_driver);
}
