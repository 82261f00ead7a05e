// SPDX-License-Identifier: GPL-2.0
/* The counters of a port and their names, from the list in counters.h. */
#include "softdpu.h"

struct sd_row {
	const char *pattern;
	enum sd_counter first;
	u8 sets, n;
	bool also;	/* its names alternate with those of the row before */
};

static const struct sd_row sd_rows[] = {
#define X(name, sets) { #name, SD_##name, sets, 1, false },
#define XN(name, pattern, sets, n) { pattern, SD_##name, sets, n, false },
#define XA(name, pattern, sets, n) { pattern, SD_##name, sets, n, true },
	SD_COUNTERS(X, XN, XA)
#undef X
#undef XN
#undef XA
};

/* a place in the list: the one order in which names and values are told */
struct sd_place {
	unsigned int group, row, nr;	/* group: the row that the alternating ones begin with */
};

static bool sd_also(unsigned int row)
{
	return row < ARRAY_SIZE(sd_rows) && sd_rows[row].also;
}

static void sd_next(struct sd_place *at)
{
	if (sd_also(++at->row))
		return;
	if (++at->nr < sd_rows[at->group].n) {
		at->row = at->group;
		return;
	}
	at->group = at->row;
	at->nr = 0;
}

#define sd_for_each(at) \
	for (struct sd_place at = {}; at.row < ARRAY_SIZE(sd_rows); sd_next(&at))

static enum sd_counter sd_at(const struct sd_place *at)
{
	return sd_rows[at->row].first + at->nr;
}

static bool sd_in(const struct sd_place *at, u8 set)
{
	return sd_rows[at->row].sets & set;
}

static void sd_name(const struct sd_place *at, char *name, size_t size)
{
	snprintf(name, size, sd_rows[at->row].pattern, at->nr);
}

unsigned int sd_strings(u8 set, u8 *to)
{
	unsigned int n = 0;

	sd_for_each(at) {
		if (!sd_in(&at, set))
			continue;
		if (to)
			sd_name(&at, to + n * ETH_GSTRING_LEN, ETH_GSTRING_LEN);
		n++;
	}
	return n;
}

unsigned int sd_values(const struct sd_port *p, enum sd_side side, u8 set, u64 *to)
{
	unsigned int n = 0;

	sd_for_each(at)
		if (sd_in(&at, set))
			to[n++] = sd_counter(p, side, sd_at(&at));
	return n;
}

void sd_count(struct sd_port *p, enum sd_side side, enum sd_counter c, u64 by)
{
	atomic64_add(by, &p->counter[side][c]);
}

u64 sd_gauge(const struct sd_port *p, enum sd_side side, enum sd_counter c)
{
	return atomic64_read(&p->counter[side][c]);
}

u64 sd_counter(const struct sd_port *p, enum sd_side side, enum sd_counter c)
{
	if (READ_ONCE(p->faults.stale))
		return atomic64_read(&p->previous[side][c]);
	return sd_gauge(p, side, c);
}

/* What is so now is what the next read tells if it is a stale one. */
void sd_counters_read(struct sd_port *p, enum sd_side side)
{
	enum sd_counter c;

	for (c = 0; c < SD_COUNTER_MAX; c++)
		atomic64_set(&p->previous[side][c], atomic64_read(&p->counter[side][c]));
}

static int sd_find(const char *name, enum sd_counter *c)
{
	char candidate[ETH_GSTRING_LEN];

	sd_for_each(at) {
		sd_name(&at, candidate, sizeof(candidate));
		if (!strcmp(candidate, name)) {
			*c = sd_at(&at);
			return 0;
		}
	}
	return -ENOENT;
}

/* "5" sets, "+5" adds; the temperature alone can be "-5" */
int sd_counter_set(struct sd_port *p, enum sd_side side, const char *name, const char *value)
{
	enum sd_counter c;
	s64 temperature;
	u64 v;
	int err;

	err = sd_find(name, &c);
	if (err)
		return err;
	if (c == SD_module_temperature_millidegrees && *value == '-') {
		err = kstrtos64(value, 10, &temperature);
		v = temperature;
	} else {
		err = kstrtou64(value, 10, &v);	/* takes a leading + */
	}
	if (err)
		return -EINVAL;
	if (*value == '+')
		sd_count(p, side, c, v);
	else
		atomic64_set(&p->counter[side][c], v);
	return 0;
}

void sd_counters_show(struct seq_file *s, const struct sd_port *p, enum sd_side side)
{
	char name[ETH_GSTRING_LEN];

	sd_for_each(at) {
		sd_name(&at, name, sizeof(name));
		if (sd_at(&at) == SD_module_temperature_millidegrees)
			seq_printf(s, "%s %lld\n", name, (s64)sd_gauge(p, side, sd_at(&at)));
		else
			seq_printf(s, "%s %llu\n", name, sd_gauge(p, side, sd_at(&at)));
	}
}

static void sd_preset(struct sd_port *p, enum sd_counter c, u64 value)
{
	atomic64_set(&p->counter[SD_ESWITCH][c], value);
	atomic64_set(&p->counter[SD_FUNCTION][c], value);
}

/* gauges of the link and, different in each lane so that swapped lanes are seen, of the module */
void sd_counters_default(struct sd_port *p)
{
	unsigned int lane;

	sd_preset(p, SD_speed_megabits, 100000);
	sd_preset(p, SD_lanes, 4);
	sd_preset(p, SD_ext_state, ETHTOOL_LINK_EXT_STATE_AUTONEG);
	sd_preset(p, SD_ext_substate, ETHTOOL_LINK_EXT_SUBSTATE_AN_NO_PARTNER_DETECTED);
	sd_preset(p, SD_module_temperature_millidegrees, 41500);
	sd_preset(p, SD_module_voltage_millivolts, 3300);
	for (lane = 0; lane < 4; lane++) {
		sd_preset(p, SD_module_rx_power_nanowatts + lane, 800000 + 10000 * lane);
		sd_preset(p, SD_module_tx_power_nanowatts + lane, 1000000 + 20000 * lane);
		sd_preset(p, SD_module_tx_bias_microamperes + lane, 6500 + 100 * lane);
	}
}
