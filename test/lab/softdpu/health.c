// SPDX-License-Identifier: GPL-2.0
/*
 * Health reporters: "fw" of a device, which breaks on demand and can be recovered, and "vnic" of a
 * port, which is always well and only tells counters. Made and unmade under devl_lock().
 */
#include "softdpu.h"

static int sd_fw_recover(struct devlink_health_reporter *reporter, void *message,
			 struct netlink_ext_ack *extack)
{
	struct sd_dev *sd = devlink_health_reporter_priv(reporter);
	int err = sd_fault(&sd->faults, SD_OP_RECOVER);

	if (err)
		return err;
	sd->recoveries++;
	WRITE_ONCE(sd->syndrome, 0);
	return 0;
}

/* without a message it is a dump that somebody asks for, though nothing has broken */
static int sd_fw_dump(struct devlink_health_reporter *reporter, struct devlink_fmsg *fmsg,
		      void *message, struct netlink_ext_ack *extack)
{
	struct sd_dev *sd = devlink_health_reporter_priv(reporter);
	int err = sd_fault(&sd->faults, SD_OP_DUMP);

	if (err)
		return err;
	devlink_fmsg_string_pair_put(fmsg, "Message", message ?: "none");
	return 0;
}

static int sd_fw_diagnose(struct devlink_health_reporter *reporter, struct devlink_fmsg *fmsg,
			  struct netlink_ext_ack *extack)
{
	struct sd_dev *sd = devlink_health_reporter_priv(reporter);
	int err = sd_fault(&sd->faults, SD_OP_DIAGNOSE);

	if (err)
		return err;
	devlink_fmsg_u8_pair_put(fmsg, "Syndrome", READ_ONCE(sd->syndrome));
	devlink_fmsg_u64_pair_put(fmsg, "Recoveries", sd->recoveries);
	return 0;
}

static const struct devlink_health_reporter_ops sd_fw_ops = {
	.name = "fw",
	.recover = sd_fw_recover,
	.dump = sd_fw_dump,
	.diagnose = sd_fw_diagnose,
};

int sd_health_up(struct sd_dev *sd)
{
	struct devlink_health_reporter *reporter;

	reporter = devl_health_reporter_create(priv_to_devlink(sd), &sd_fw_ops, sd);
	if (IS_ERR(reporter))
		return PTR_ERR(reporter);
	sd->fw = reporter;
	return 0;
}

void sd_health_down(struct sd_dev *sd)
{
	if (sd->fw)
		devl_health_reporter_destroy(sd->fw);
	sd->fw = NULL;
}

static int sd_vnic_diagnose(struct devlink_health_reporter *reporter, struct devlink_fmsg *fmsg,
			    struct netlink_ext_ack *extack)
{
#define SD_VNIC(name) { #name, SD_##name }
	static const struct {
		const char *name;
		enum sd_counter counter;
	} counters[] = {
		SD_VNIC(total_error_queues), SD_VNIC(send_queue_priority_update_flow),
		SD_VNIC(comp_eq_overrun), SD_VNIC(async_eq_overrun), SD_VNIC(cq_overrun),
		SD_VNIC(invalid_command),
		SD_VNIC(quota_exceeded_command), SD_VNIC(nic_receive_steering_discard),
		SD_VNIC(generated_pkt_steering_fail), SD_VNIC(handled_pkt_steering_fail),
	};
#undef SD_VNIC
	struct sd_port *p = devlink_health_reporter_priv(reporter);
	int err = sd_fault(&p->sd->faults, SD_OP_DIAGNOSE);
	unsigned int i;

	if (err)
		return err;
	devlink_fmsg_pair_nest_start(fmsg, "vNIC env counters");
	devlink_fmsg_obj_nest_start(fmsg);
	for (i = 0; i < ARRAY_SIZE(counters); i++)
		devlink_fmsg_u64_pair_put(fmsg, counters[i].name,
					  sd_gauge(p, SD_ESWITCH, counters[i].counter));
	devlink_fmsg_obj_nest_end(fmsg);
	devlink_fmsg_pair_nest_end(fmsg);
	return 0;
}

static const struct devlink_health_reporter_ops sd_vnic_ops = {
	.name = "vnic",
	.diagnose = sd_vnic_diagnose,
};

int sd_vnic_up(struct sd_port *p)
{
	struct devlink_health_reporter *reporter;

	reporter = devl_port_health_reporter_create(&p->dl, &sd_vnic_ops, p);
	if (IS_ERR(reporter))
		return PTR_ERR(reporter);
	p->vnic = reporter;
	return 0;
}

void sd_vnic_down(struct sd_port *p)
{
	if (p->vnic)
		devl_health_reporter_destroy(p->vnic);
	p->vnic = NULL;
}
