// SPDX-License-Identifier: GPL-2.0
/*
 * The module of an uplink: a QSFP28 100GBASE-SR4, as SFF-8636 lays out its memory. A page is made
 * for each read. What it measures is a test's to set, and flags follow from the thresholds.
 */
#include <linux/unaligned.h>

#include "standard.h"

#define SD_PAGE		ETH_MODULE_EEPROM_PAGE_LEN
#define SD_I2C_ADDRESS	0x50
#define SD_QSFP28	0x11

/*
 * What is measured, of one or four lanes, in units of the gauge, or times mul / div of the module.
 * Thresholds, in the order of page 03h: alarm above, alarm below, warning above, warning below.
 */
static const struct sd_monitor {
	enum sd_counter gauge;
	unsigned int lanes;
	int mul, div;
	u8 flags_at, value_at, thresholds_at;
	s32 thresholds[4];
} sd_monitors[] = {
	{ SD_module_temperature_millidegrees, 1, 256, 1000, 6, 22, 128,
	  { 75000, -5000, 70000, 0 } },
	{ SD_module_voltage_millivolts, 1, 10, 1, 7, 26, 144, { 3630, 2970, 3465, 3135 } },
	{ SD_module_rx_power_nanowatts, 4, 1, 100, 9, 34, 176, { 3467300, 41700, 1737800, 83200 } },
	{ SD_module_tx_bias_microamperes, 4, 1, 2, 11, 42, 184, { 10000, 1000, 9000, 2000 } },
	{ SD_module_tx_power_nanowatts, 4, 1, 100, 13, 50, 192,
	  { 3467300, 72400, 1737800, 145500 } },
};

static u16 sd_units(const struct sd_monitor *m, s64 gauge)
{
	return clamp(div_s64(gauge * m->mul, m->div), S16_MIN, U16_MAX);
}

/* four bits, of which the highest is the first threshold's */
static u8 sd_flags(const struct sd_monitor *m, s64 gauge)
{
	return (gauge > m->thresholds[0]) << 3 | (gauge < m->thresholds[1]) << 2 |
	       (gauge > m->thresholds[2]) << 1 | (gauge < m->thresholds[3]);
}

/* what is measured now, in lower memory */
static void sd_lower(const struct sd_port *p, u8 *at)
{
	const struct sd_monitor *m;
	unsigned int lane;
	s64 gauge;

	at[0] = SD_QSFP28;
	at[1] = 8;			/* SFF-8636 revision 2.8 */
	for (m = sd_monitors; m < sd_monitors + ARRAY_SIZE(sd_monitors); m++)
		for (lane = 0; lane < m->lanes; lane++) {
			gauge = sd_gauge(p, SD_ESWITCH, m->gauge + lane);
			put_unaligned_be16(sd_units(m, gauge), at + m->value_at + 2 * lane);
			at[m->flags_at + lane / 2] |= sd_flags(m, gauge) << (lane % 2 ? 0 : 4);
		}
}

/* text is padded with blanks, not ended with a NUL */
static void sd_text(u8 *to, size_t size, const char *text)
{
	memset(to, ' ', size);
	memcpy(to, text, min(size, strlen(text)));
}

static u8 sd_checksum(const u8 *from, const u8 *to)
{
	u8 sum = 0;

	while (from < to)
		sum += *from++;
	return sum;
}

/* who made it and what it is, in upper page 00h */
static void sd_upper_00(const struct sd_port *p, u8 *at)
{
	char serial[32];

	at[128] = SD_QSFP28;
	at[129] = 0xcc;			/* up to 3.5 W, clock recovery both ways */
	at[130] = 0x0c;			/* MPO 1x12 */
	at[131] = 0x80;			/* see at[192] */
	at[139] = 0x05;			/* 64B/66B */
	at[140] = 0xff;			/* see at[222] */
	at[143] = 35;			/* OM3, in 2 m */
	at[146] = 50;			/* OM4, in 2 m */
	sd_text(at + 148, 16, "SOFTDPU");
	sd_text(at + 168, 16, "SD-100G-SR4");
	sd_text(at + 184, 2, "A1");
	put_unaligned_be16(850 * 20, at + 186);		/* nm / 20 */
	put_unaligned_be16(10 * 200, at + 188);		/* nm / 200 */
	at[190] = 70;			/* degrees at most */
	at[191] = sd_checksum(at + 128, at + 191);
	at[192] = 0x02;			/* 100GBASE-SR4 */
	snprintf(serial, sizeof(serial), "SD-%.7s-%u", p->sd->name, p->pf);
	sd_text(at + 196, 16, serial);
	sd_text(at + 212, 8, "261130");
	at[220] = 0x3c;			/* measures temperature, voltage, average power both ways */
	at[222] = 103;			/* 25.75 GBd, in 250 MBd */
	at[223] = sd_checksum(at + 192, at + 223);
}

/* thresholds, in upper page 03h */
static void sd_upper_03(u8 *at)
{
	const struct sd_monitor *m;
	unsigned int i;

	for (m = sd_monitors; m < sd_monitors + ARRAY_SIZE(sd_monitors); m++)
		for (i = 0; i < ARRAY_SIZE(m->thresholds); i++)
			put_unaligned_be16(sd_units(m, m->thresholds[i]),
					   at + m->thresholds_at + 2 * i);
}

/* What a bad contact gives. The identifiers stay, so that they do not warn a decoder. */
static void sd_garbage(u8 *at)
{
	unsigned int i;

	for (i = 0; i < 2 * SD_PAGE; i++)
		if (i % SD_PAGE)
			at[i] = i % 3 ? 0xff : 0xa5;
}

int sd_get_module_page(struct net_device *dev, const struct ethtool_module_eeprom *asked,
		       struct netlink_ext_ack *extack)
{
	struct sd_port *p = sd_port_of(dev);
	u8 memory[2 * SD_PAGE] = {};
	int err;

	err = sd_fault(&p->faults, SD_OP_MODULE_PAGE);
	if (err)
		return err;
	if (asked->i2c_address != SD_I2C_ADDRESS || asked->bank ||
	    (asked->page && asked->page != 3) || asked->offset >= sizeof(memory) ||
	    asked->length > sizeof(memory) - asked->offset) {
		NL_SET_ERR_MSG_MOD(extack, "the module has no such page");
		return -EINVAL;
	}
	sd_lower(p, memory);
	if (asked->page == 3)
		sd_upper_03(memory);
	else
		sd_upper_00(p, memory);
	if (READ_ONCE(p->faults.garbage))
		sd_garbage(memory);
	memcpy(asked->data, memory + asked->offset, asked->length);
	return asked->length;
}
