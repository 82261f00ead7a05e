// SPDX-License-Identifier: GPL-2.0
/* Faults on demand: reads that stall or fail, and answers that are not right. */
#include "softdpu.h"

#define SD_MAX_STALL_MS	60000
#define SD_MAX_STRINGS	1000

static const char *const sd_ops[SD_OPS] = {
	[SD_OP_STRINGS] = "strings", [SD_OP_STATS] = "stats", [SD_OP_LINK] = "link",
	[SD_OP_MODULE_PAGE] = "module_page", [SD_OP_PAUSE] = "pause", [SD_OP_FEC] = "fec",
	[SD_OP_MAC] = "mac", [SD_OP_PHY] = "phy", [SD_OP_CTRL] = "ctrl", [SD_OP_RMON] = "rmon",
	[SD_OP_CPU_HIT] = "cpu_hit", [SD_OP_VF_CONFIG] = "vf_config", [SD_OP_VF_STATS] = "vf_stats",
	[SD_OP_FUNCTION] = "function", [SD_OP_REPRESENTOR] = "representor", [SD_OP_RULE] = "rule",
	[SD_OP_INFO] = "info", [SD_OP_DIAGNOSE] = "diagnose", [SD_OP_DUMP] = "dump",
	[SD_OP_RECOVER] = "recover", [SD_OP_RESOURCE] = "resource", [SD_OP_PARAM] = "param",
	[SD_OP_MODE] = "mode",
};

/* Only a fatal signal ends a stall early: the signals of Go's scheduler must not. */
int sd_fault(const struct sd_faults *f, enum sd_op op)
{
	unsigned int ms = READ_ONCE(f->op[op].stall_ms);

	if (ms && schedule_timeout_killable(msecs_to_jiffies(ms)))
		return -EINTR;
	return READ_ONCE(f->op[op].err);
}

static void sd_faults_clear(struct sd_faults *f)
{
	enum sd_op op;

	for (op = 0; op < SD_OPS; op++) {
		WRITE_ONCE(f->op[op].stall_ms, 0);
		WRITE_ONCE(f->op[op].err, 0);
	}
	WRITE_ONCE(f->garbage, false);
	WRITE_ONCE(f->stale, false);
	WRITE_ONCE(f->strings, 0);
	WRITE_ONCE(f->more_strings, 0);
	WRITE_ONCE(f->link_down, false);
}

static int sd_number(unsigned int *fault, const char *value)
{
	unsigned int n;

	if (kstrtouint(value, 10, &n) || n > SD_MAX_STRINGS)
		return -EINVAL;
	WRITE_ONCE(*fault, n);
	return 0;
}

static int sd_switch(bool *fault, const char *value, const char *on, const char *off)
{
	if (strcmp(value, on) && strcmp(value, off))
		return -EINVAL;
	WRITE_ONCE(*fault, !strcmp(value, on));
	return 0;
}

/* whether somebody asks that of a port, or of a device, which has none */
static bool sd_asked(const struct sd_port *p, enum sd_op op)
{
	if (!p)
		return op >= SD_OP_INFO;
	switch (op) {
	case SD_OP_MODULE_PAGE ... SD_OP_RMON:
	case SD_OP_VF_CONFIG:
	case SD_OP_VF_STATS:
		return p->kind == SD_UPLINK;
	case SD_OP_FUNCTION:
	case SD_OP_REPRESENTOR:
		return p->kind != SD_UPLINK;
	default:
		return op < SD_OP_INFO;
	}
}

/* what only a port has */
static int sd_fault_port(struct sd_faults *f, const struct sd_port *p, const char *what,
			 const char *value)
{
	if (!strcmp(what, "garbage") && p->kind == SD_UPLINK)
		return sd_switch(&f->garbage, value, "1", "0");
	if (!strcmp(what, "stale"))
		return sd_switch(&f->stale, value, "1", "0");
	if (!strcmp(what, "link"))
		return sd_switch(&f->link_down, value, "down", "up");
	if (!strcmp(what, "strings"))
		return sd_number(&f->strings, value);
	if (!strcmp(what, "more_strings"))
		return sd_number(&f->more_strings, value);
	return -EINVAL;
}

static int sd_fault_op(struct sd_faults *f, const struct sd_port *p, const char *what,
		       const char *name, const char *value)
{
	int op = match_string(sd_ops, SD_OPS, name);
	unsigned int n;

	if (op < 0 || !sd_asked(p, op) || kstrtouint(value, 10, &n))
		return -EINVAL;
	if (!strcmp(what, "stall") && n <= SD_MAX_STALL_MS)
		WRITE_ONCE(f->op[op].stall_ms, n);
	else if (!strcmp(what, "fail") && n >= 1 && n <= MAX_ERRNO && op != SD_OP_RESOURCE)
		WRITE_ONCE(f->op[op].err, -(int)n);
	else
		return -EINVAL;
	return 0;
}

int sd_fault_command(struct sd_faults *f, const struct sd_port *p, char *line)
{
	char what[16], name[16], value[16], rest[2];

	switch (sscanf(line, "%15s %15s %15s %1s", what, name, value, rest)) {
	case 1:
		if (strcmp(what, "clear"))
			return -EINVAL;
		sd_faults_clear(f);
		return 0;
	case 2:
		return p ? sd_fault_port(f, p, what, name) : -EINVAL;
	case 3:
		return sd_fault_op(f, p, what, name, value);
	default:
		return -EINVAL;
	}
}

/* what is in force, as it would be commanded */
void sd_faults_show(struct seq_file *s, const struct sd_faults *f)
{
	enum sd_op op;

	for (op = 0; op < SD_OPS; op++) {
		if (READ_ONCE(f->op[op].stall_ms))
			seq_printf(s, "stall %s %u\n", sd_ops[op], READ_ONCE(f->op[op].stall_ms));
		if (READ_ONCE(f->op[op].err))
			seq_printf(s, "fail %s %d\n", sd_ops[op], -READ_ONCE(f->op[op].err));
	}
	if (READ_ONCE(f->garbage))
		seq_puts(s, "garbage 1\n");
	if (READ_ONCE(f->stale))
		seq_puts(s, "stale 1\n");
	if (READ_ONCE(f->strings))
		seq_printf(s, "strings %u\n", READ_ONCE(f->strings));
	if (READ_ONCE(f->more_strings))
		seq_printf(s, "more_strings %u\n", READ_ONCE(f->more_strings));
	if (READ_ONCE(f->link_down))
		seq_puts(s, "link down\n");
}
