// SPDX-License-Identifier: GPL-2.0
/*
 * softdpu/DEV/{fault,fw/report} and softdpu/DEV/PORT/{counters,function,rules,fault}: what a test sets
 * and looks at. A write is lines, each one command, and ends at the first that fails. debugfs waits
 * for those in a file before it removes it, so they may use the device or the port that it is of.
 */
#include <linux/debugfs.h>

#include "softdpu.h"

static struct dentry *sd_root;

static ssize_t sd_write(struct file *file, const char __user *from, size_t size,
			int (*command)(struct file *file, char *line))
{
	char *text, *rest, *line;
	int err = 0;

	if (size > SZ_64K)
		return -E2BIG;
	text = memdup_user_nul(from, size);
	if (IS_ERR(text))
		return PTR_ERR(text);
	rest = text;
	while (!err && (line = strsep(&rest, "\n")))
		if (*line)
			err = command(file, line);
	kfree(text);
	return err ?: size;
}

/* what a file is of, for those that can be read too */
static void *sd_of(struct file *file)
{
	return ((struct seq_file *)file->private_data)->private;
}

/* counters and function: one file for each side of a port */
static int sd_counters_line(struct file *file, char *line)
{
	char name[ETH_GSTRING_LEN + 1], value[24], rest[2];

	if (sscanf(line, "%32s %23s %1s", name, value, rest) != 2)
		return -EINVAL;
	return sd_counter_set(sd_of(file), debugfs_get_aux_num(file), name, value);
}

static ssize_t sd_side_write(struct file *file, const char __user *from, size_t size, loff_t *at)
{
	return sd_write(file, from, size, sd_counters_line);
}

static int sd_side_show(struct seq_file *s, void *unused)
{
	sd_counters_show(s, s->private, debugfs_get_aux_num(s->file));
	return 0;
}
DEFINE_SHOW_STORE_ATTRIBUTE(sd_side);

/* a device has no port */
static int sd_faults_line(struct file *file, char *line)
{
	struct sd_port *p = debugfs_get_aux(file);
	int err = sd_fault_command(sd_of(file), p, line);

	if (!err && p)
		sd_link_update(p);
	return err;
}

static ssize_t sd_fault_write(struct file *file, const char __user *from, size_t size, loff_t *at)
{
	return sd_write(file, from, size, sd_faults_line);
}

static int sd_fault_show(struct seq_file *s, void *unused)
{
	sd_faults_show(s, s->private);
	return 0;
}
DEFINE_SHOW_STORE_ATTRIBUTE(sd_fault);

static int sd_port_rules_show(struct seq_file *s, void *unused)
{
	sd_rules_show(s, s->private);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(sd_port_rules);

/* Whether it recovers is for the reporter to tell: that it broke is done. Takes devl_lock(). */
static int sd_report_line(struct file *file, char *line)
{
	struct sd_dev *sd = file->private_data;

	WRITE_ONCE(sd->syndrome, 1);
	devlink_health_report(sd->fw, line, line);
	return 0;
}

static ssize_t sd_report_write(struct file *file, const char __user *from, size_t size, loff_t *at)
{
	return sd_write(file, from, size, sd_report_line);
}

static const struct debugfs_short_fops sd_report_fops = { .write = sd_report_write };

void sd_debugfs_init(void)
{
	sd_root = debugfs_create_dir("softdpu", NULL);
}

void sd_debugfs_exit(void)
{
	debugfs_remove_recursive(sd_root);
}

void sd_debugfs_device(struct sd_dev *sd)
{
	sd->debugfs = debugfs_create_dir(dev_name(sd->dev), sd_root);
	debugfs_create_file_aux("fault", 0600, sd->debugfs, &sd->faults, NULL, &sd_fault_fops);
}

/*
 * In a folder of its own: debugfs locks the folder while it waits for who writes, who waits for
 * devl_lock(), whose holder may be at the folders of ports.
 */
void sd_debugfs_report(struct sd_dev *sd)
{
	sd->report = debugfs_create_dir("fw", sd->debugfs);
	debugfs_create_file("report", 0200, sd->report, sd, &sd_report_fops);
}

void sd_debugfs_port(struct sd_port *p)
{
	char name[IFNAMSIZ];

	sd_port_name(p, name, sizeof(name));
	p->debugfs = debugfs_create_dir(name, p->sd->debugfs);
	debugfs_create_file_aux_num("counters", 0600, p->debugfs, p, SD_ESWITCH, &sd_side_fops);
	if (p->kind != SD_UPLINK)
		debugfs_create_file_aux_num("function", 0600, p->debugfs, p, SD_FUNCTION,
					    &sd_side_fops);
	debugfs_create_file("rules", 0400, p->debugfs, p, &sd_port_rules_fops);
	debugfs_create_file_aux("fault", 0600, p->debugfs, &p->faults, p, &sd_fault_fops);
}
