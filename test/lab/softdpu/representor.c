// SPDX-License-Identifier: GPL-2.0
/* Devlink ports, the netdevs behind them, and what devlink does to a port's function. */
#include "softdpu.h"

static int sd_hw_addr_get(struct devlink_port *dl, u8 *addr, int *len, struct netlink_ext_ack *extack)
{
	struct sd_port *p = container_of(dl, struct sd_port, dl);

	sd_mac_get(p, addr);
	*len = ETH_ALEN;
	return sd_fault(&p->faults, SD_OP_FUNCTION);
}

static int sd_hw_addr_set(struct devlink_port *dl, const u8 *addr, int len, struct netlink_ext_ack *extack)
{
	if (len != ETH_ALEN || !is_valid_ether_addr(addr)) {
		NL_SET_ERR_MSG_MOD(extack, "not a unicast Ethernet address");
		return -EINVAL;
	}
	sd_mac_set(container_of(dl, struct sd_port, dl), addr);
	return 0;
}

static int sd_state_get(struct devlink_port *dl, enum devlink_port_fn_state *state,
			enum devlink_port_fn_opstate *opstate, struct netlink_ext_ack *extack)
{
	struct sd_port *p = container_of(dl, struct sd_port, dl);

	*state = p->active ? DEVLINK_PORT_FN_STATE_ACTIVE : DEVLINK_PORT_FN_STATE_INACTIVE;
	*opstate = p->active ? DEVLINK_PORT_FN_OPSTATE_ATTACHED : DEVLINK_PORT_FN_OPSTATE_DETACHED;
	return sd_fault(&p->faults, SD_OP_FUNCTION);
}

static int sd_state_set(struct devlink_port *dl, enum devlink_port_fn_state state, struct netlink_ext_ack *extack)
{
	struct sd_port *p = container_of(dl, struct sd_port, dl);
	bool active = state == DEVLINK_PORT_FN_STATE_ACTIVE;
	int err = 0;

	if (active == p->active)
		return 0;
	if (active)
		err = sd_netdev_up(p, SD_FUNCTION, p->sd->dev);
	else
		sd_netdev_down(p, SD_FUNCTION);
	if (!err)
		p->active = active;
	return err;
}

static bool sd_is_sf(const struct sd_port *p, u32 id)
{
	return p->kind == SD_SF && p->id == id;
}

static int sd_port_del(struct devlink *devlink, struct devlink_port *dl, struct netlink_ext_ack *extack)
{
	struct sd_port *p = container_of(dl, struct sd_port, dl);

	sd_ports_remove(p->sd, sd_is_sf, p->id);
	return 0;
}

static const struct devlink_port_ops sd_uplink_port_ops;
static const struct devlink_port_ops sd_function_port_ops = {
	.port_fn_hw_addr_get = sd_hw_addr_get,
	.port_fn_hw_addr_set = sd_hw_addr_set,
};
static const struct devlink_port_ops sd_sf_port_ops = {
	.port_fn_hw_addr_get = sd_hw_addr_get,
	.port_fn_hw_addr_set = sd_hw_addr_set,
	.port_fn_state_get = sd_state_get,
	.port_fn_state_set = sd_state_set,
	.port_del = sd_port_del,
};

/* The switch id comes before the rest; an uplink has it in legacy mode too. */
static void sd_port_attrs(struct sd_port *p)
{
	struct devlink_port_attrs attrs = {};
	bool external = p->controller != 0;

	if (p->kind == SD_UPLINK) {
		attrs.switch_id = p->sd->switch_id;
		attrs.flavour = DEVLINK_PORT_FLAVOUR_PHYSICAL;
		attrs.phys.port_number = p->pf;
		devlink_port_attrs_set(&p->dl, &attrs);
		return;
	}
	p->dl.attrs.switch_id = p->sd->switch_id;
	if (p->kind == SD_PF)
		devlink_port_attrs_pci_pf_set(&p->dl, p->controller, p->pf, external);
	else if (p->kind == SD_VF)
		devlink_port_attrs_pci_vf_set(&p->dl, p->controller, p->pf, p->nr, external);
	else
		devlink_port_attrs_pci_sf_set(&p->dl, p->controller, p->pf, p->nr, external);
}

/* Leaves whatever it has made to sd_representor_down(). */
static int sd_devlink_port_up(struct sd_port *p)
{
	static const struct devlink_port_ops *const ops[] = {
		[SD_UPLINK] = &sd_uplink_port_ops, [SD_PF] = &sd_function_port_ops,
		[SD_VF] = &sd_function_port_ops, [SD_SF] = &sd_sf_port_ops,
	};
	unsigned int index = p->kind == SD_UPLINK ? p->pf : p->kind << 20 | p->pf << 16 | p->nr;
	int err;

	memset(&p->dl, 0, sizeof(p->dl));
	sd_port_attrs(p);
	err = devl_port_register_with_ops(priv_to_devlink(p->sd), &p->dl, index, ops[p->kind]);
	if (err)
		return err;
	p->dl_registered = true;
	if (p->kind == SD_VF || p->kind == SD_SF) {
		err = devl_rate_leaf_create(&p->dl, p, NULL);
		if (err)
			return err;
		p->rate_leaf = true;
	}
	return sd_vnic_up(p);
}

/* The devlink port and, for all but uplinks, the representor; an uplink's netdev is its own. */
int sd_representor_up(struct sd_port *p)
{
	int err = sd_fault(&p->faults, SD_OP_REPRESENTOR);

	if (err)
		return err;
	err = sd_devlink_port_up(p);
	if (!err)
		err = sd_netdev_up(p, SD_ESWITCH, p->sd->dev);
	if (err)
		sd_representor_down(p);
	return err;
}

void sd_representor_down(struct sd_port *p)
{
	if (!p->dl_registered)
		return;
	sd_vnic_down(p);
	if (p->rate_leaf)
		devl_rate_leaf_destroy(&p->dl);
	p->rate_leaf = false;
	devl_port_unregister(&p->dl);
	p->dl_registered = false;
	sd_link_update(p);
}

static unsigned int sd_count_sfs(struct sd_dev *sd, u16 pf)
{
	unsigned int n = 0;
	struct sd_port *p;
	unsigned long id;

	xa_for_each(&sd->ports, id, p)
		n += p->kind == SD_SF && p->pf == pf;
	return n;
}

static int sd_check_sf(struct sd_dev *sd, const struct devlink_port_new_attrs *a, const char **wrong)
{
	if (a->flavour != DEVLINK_PORT_FLAVOUR_PCI_SF || !a->sfnum_valid || a->port_index_valid)
		*wrong = "only a port of flavour pcisf with an sfnum, and no index, can be added";
	else if (!sd_switchdev(sd))
		*wrong = "SFs need switchdev mode";
	if (*wrong)
		return -EOPNOTSUPP;
	if (a->pfnum >= sd->uplinks || a->sfnum > SD_MAX_SFNUM || (a->controller_valid && a->controller > 1))
		*wrong = "no such pfnum or controller, or an sfnum above 9999";
	if (*wrong)
		return -EINVAL;
	*wrong = "the sfnum is in use on this pfnum";
	if (sd_port_find(sd, SD_SF, a->pfnum, a->sfnum))
		return -EEXIST;
	*wrong = "no more SFs on this pfnum";
	return sd_count_sfs(sd, a->pfnum) < SD_MAX_SFS ? 0 : -ENOSPC;
}

/* devlink port add: an SF, of our own controller unless another is named */
int sd_port_add(struct devlink *devlink, const struct devlink_port_new_attrs *a,
		struct netlink_ext_ack *extack, struct devlink_port **dl)
{
	struct sd_dev *sd = devlink_priv(devlink);
	const char *wrong = NULL;
	struct sd_port *p;
	int err;

	err = sd_check_sf(sd, a, &wrong);
	if (err) {
		NL_SET_ERR_MSG_FMT_MOD(extack, "%s", wrong);
		return err;
	}
	p = sd_port_new(sd, SD_SF, a->pfnum, a->sfnum, a->controller_valid ? a->controller : 0);
	if (IS_ERR(p))
		return PTR_ERR(p);
	*dl = &p->dl;
	return 0;
}
