// SPDX-License-Identifier: GPL-2.0
/* What devlink tells of a device: versions, parameters, resources, rates. */
#include "softdpu.h"

enum { SD_RESOURCE_RULES = 1, SD_RESOURCE_SFS };
enum { SD_PARAM_FLOW_STEERING_MODE = DEVLINK_PARAM_GENERIC_ID_MAX + 1 };

static int sd_info_get(struct devlink *devlink, struct devlink_info_req *req, struct netlink_ext_ack *extack)
{
	struct sd_dev *sd = devlink_priv(devlink);
	char serial[16], board[16];

	snprintf(serial, sizeof(serial), "SD-%s", sd->name);
	snprintf(board, sizeof(board), "SDB-%s", sd->name);
	return sd_fault(&sd->faults, SD_OP_INFO) ?:
	       devlink_info_serial_number_put(req, serial) ?:
	       devlink_info_board_serial_number_put(req, board) ?:
	       devlink_info_version_fixed_put(req, "fw.psid", SD_PSID) ?:
	       devlink_info_version_running_put(req, "fw.version", SD_FIRMWARE) ?:
	       devlink_info_version_running_put(req, "fw", SD_FIRMWARE) ?:
	       devlink_info_version_stored_put(req, "fw.version", SD_STORED) ?:
	       devlink_info_version_stored_put(req, "fw", SD_STORED);
}

static int sd_inline_mode_get(struct devlink *devlink, u8 *mode)
{
	*mode = DEVLINK_ESWITCH_INLINE_MODE_NONE;
	return 0;
}

static int sd_encap_mode_get(struct devlink *devlink, enum devlink_eswitch_encap_mode *mode)
{
	*mode = DEVLINK_ESWITCH_ENCAP_MODE_BASIC;
	return 0;
}

/* Rates are kept by devlink and shown; nothing is shaped. */
static int sd_rate_set(struct devlink_rate *rate, void *priv, u64 value, struct netlink_ext_ack *extack)
{
	return 0;
}

static int sd_node_new(struct devlink_rate *node, void **priv, struct netlink_ext_ack *extack)
{
	return 0;
}

static int sd_node_del(struct devlink_rate *node, void *priv, struct netlink_ext_ack *extack)
{
	return 0;
}

static int sd_rate_parent_set(struct devlink_rate *child, struct devlink_rate *parent, void *priv_child,
			      void *priv_parent, struct netlink_ext_ack *extack)
{
	return 0;
}

const struct devlink_ops sd_devlink_ops = {
	.info_get = sd_info_get, .port_new = sd_port_add,
	.eswitch_mode_get = sd_mode_get, .eswitch_mode_set = sd_mode_set,
	.eswitch_inline_mode_get = sd_inline_mode_get, .eswitch_encap_mode_get = sd_encap_mode_get,
	.rate_leaf_tx_share_set = sd_rate_set, .rate_leaf_tx_max_set = sd_rate_set,
	.rate_node_tx_share_set = sd_rate_set, .rate_node_tx_max_set = sd_rate_set,
	.rate_node_new = sd_node_new, .rate_node_del = sd_node_del,
	.rate_leaf_parent_set = sd_rate_parent_set, .rate_node_parent_set = sd_rate_parent_set,
};

static int sd_steering_get(struct devlink *devlink, u32 id, struct devlink_param_gset_ctx *ctx,
			   struct netlink_ext_ack *extack)
{
	struct sd_dev *sd = devlink_priv(devlink);

	strscpy(ctx->val.vstr, sd->smfs ? "smfs" : "dmfs");
	return sd_fault(&sd->faults, SD_OP_PARAM);
}

static int sd_steering_set(struct devlink *devlink, u32 id, struct devlink_param_gset_ctx *ctx,
			   struct netlink_ext_ack *extack)
{
	((struct sd_dev *)devlink_priv(devlink))->smfs = !strcmp(ctx->val.vstr, "smfs");
	return 0;
}

static int sd_steering_validate(struct devlink *devlink, u32 id, union devlink_param_value *value,
				struct netlink_ext_ack *extack)
{
	if (!strcmp(value->vstr, "smfs") || !strcmp(value->vstr, "dmfs"))
		return 0;
	NL_SET_ERR_MSG_MOD(extack, "flow_steering_mode is smfs or dmfs");
	return -EINVAL;
}

static const struct devlink_param sd_params[] = {
	DEVLINK_PARAM_GENERIC(ENABLE_ROCE, BIT(DEVLINK_PARAM_CMODE_DRIVERINIT), NULL, NULL, NULL),
	DEVLINK_PARAM_DRIVER(SD_PARAM_FLOW_STEERING_MODE, "flow_steering_mode", DEVLINK_PARAM_TYPE_STRING,
			     BIT(DEVLINK_PARAM_CMODE_RUNTIME), sd_steering_get, sd_steering_set,
			     sd_steering_validate),
};

static u64 sd_rules_used(void *priv)
{
	struct sd_dev *sd = priv;

	sd_fault(&sd->faults, SD_OP_RESOURCE);	/* it can be late, but has no way to fail */
	return atomic_read(&sd->nrules);
}

static u64 sd_sfs_used(void *priv)
{
	struct sd_dev *sd = priv;
	struct sd_port *p;
	unsigned long id;
	u64 n = 0;

	xa_for_each(&sd->ports, id, p)
		n += p->kind == SD_SF;
	return n;
}

static int sd_resource_up(struct sd_dev *sd, const char *name, u64 id, u64 size, devlink_resource_occ_get_t *used)
{
	struct devlink_resource_size_params params = {
		.size_min = size, .size_max = size, .size_granularity = 1, .unit = DEVLINK_RESOURCE_UNIT_ENTRY,
	};
	struct devlink *devlink = priv_to_devlink(sd);
	int err;

	err = devl_resource_register(devlink, name, size, id, DEVLINK_RESOURCE_ID_PARENT_TOP, &params);
	if (!err)
		devl_resource_occ_get_register(devlink, id, used, sd);
	return err;
}

/* Leaves whatever it has made to sd_devlink_down(). */
int sd_devlink_up(struct sd_dev *sd)
{
	struct devlink *devlink = priv_to_devlink(sd);
	union devlink_param_value roce = { .vbool = true };
	int err;

	err = devl_register(devlink);
	if (err)
		return err;
	sd->registered = true;
	err = devl_params_register(devlink, sd_params, ARRAY_SIZE(sd_params));
	if (err)
		return err;
	sd->params = true;
	devl_param_driverinit_value_set(devlink, DEVLINK_PARAM_GENERIC_ID_ENABLE_ROCE, &roce);
	err = sd_resource_up(sd, "rules", SD_RESOURCE_RULES, SD_MAX_RULES, sd_rules_used);
	if (!err)
		err = sd_resource_up(sd, "sfs", SD_RESOURCE_SFS, SD_MAX_SFS * sd->uplinks, sd_sfs_used);
	return err;
}

void sd_devlink_down(struct sd_dev *sd)
{
	struct devlink *devlink = priv_to_devlink(sd);

	devl_rate_nodes_destroy(devlink);
	devl_resources_unregister(devlink);
	if (sd->params)
		devl_params_unregister(devlink, sd_params, ARRAY_SIZE(sd_params));
	if (sd->registered)
		devl_unregister(devlink);
	sd->params = sd->registered = false;
}
