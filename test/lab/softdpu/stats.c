// SPDX-License-Identifier: GPL-2.0
/* What `ip -s link` and `ip stats` show of a netdev, by the counter that each value is. */
#include "softdpu.h"

#define SD_STAT(field, name) { offsetof(struct rtnl_link_stats64, field), SD_##name }

struct sd_stat {
	size_t at;
	enum sd_counter counter;
};

/* An uplink and a representor tell of all traffic at their port, as seen from the eswitch. */
static const struct sd_stat sd_uplink_stats[] = {
	SD_STAT(rx_packets, rx_packets_phy), SD_STAT(rx_bytes, rx_bytes_phy), SD_STAT(tx_packets, tx_packets_phy),
	SD_STAT(tx_bytes, tx_bytes_phy), SD_STAT(multicast, rx_multicast_phy), SD_STAT(rx_dropped, rx_dropped),
	SD_STAT(tx_dropped, tx_discards_phy), SD_STAT(rx_missed_errors, rx_out_of_buffer),
	SD_STAT(rx_crc_errors, rx_crc_errors_phy), SD_STAT(rx_errors, rx_crc_errors_phy),
	SD_STAT(rx_length_errors, rx_in_range_len_errors_phy), SD_STAT(rx_errors, rx_in_range_len_errors_phy),
	SD_STAT(rx_frame_errors, rx_symbol_err_phy), SD_STAT(rx_errors, rx_symbol_err_phy),
	SD_STAT(tx_errors, tx_errors_phy),
};

static const struct sd_stat sd_representor_stats[] = {
	SD_STAT(rx_packets, vport_rx_packets), SD_STAT(rx_bytes, vport_rx_bytes),
	SD_STAT(tx_packets, vport_tx_packets), SD_STAT(tx_bytes, vport_tx_bytes),
	SD_STAT(multicast, vport_rx_multicast), SD_STAT(rx_dropped, rx_dropped),
	SD_STAT(tx_dropped, vport_tx_dropped),
};

/* What a netdev itself has received and sent: all that a function has, and the slow path. */
static const struct sd_stat sd_own_stats[] = {
	SD_STAT(rx_packets, rx_packets), SD_STAT(rx_bytes, rx_bytes), SD_STAT(tx_packets, tx_packets),
	SD_STAT(tx_bytes, tx_bytes), SD_STAT(rx_dropped, rx_dropped), SD_STAT(tx_dropped, tx_dropped),
	SD_STAT(multicast, rx_vport_multicast_packets),
};

/* several counters of one value add up */
static void sd_fill(typeof(sd_counter) *read, const struct sd_port *p, enum sd_side side,
		    const struct sd_stat *stats, size_t n, void *to)
{
	const struct sd_stat *s;

	for (s = stats; s < stats + n; s++)
		*(u64 *)(to + s->at) += read(p, side, s->counter);
}
#define sd_stats(read, p, side, stats, to) sd_fill(read, p, side, stats, ARRAY_SIZE(stats), to)

void sd_stats64(struct net_device *dev, struct rtnl_link_stats64 *s)
{
	struct sd_port *p = sd_port_of(dev);
	enum sd_side side = sd_netdev(dev)->side;

	if (side == SD_FUNCTION)
		sd_stats(sd_counter, p, side, sd_own_stats, s);
	else if (p->kind == SD_UPLINK)
		sd_stats(sd_counter, p, side, sd_uplink_stats, s);
	else
		sd_stats(sd_counter, p, side, sd_representor_stats, s);
	sd_counters_read(p, side);
}

bool sd_has_offload_stats(const struct net_device *dev, int id)
{
	return id == IFLA_OFFLOAD_XSTATS_CPU_HIT && sd_switchdev(sd_port_of(dev)->sd);
}

/* the slow path, which software counts: never stale */
int sd_get_offload_stats(int id, const struct net_device *dev, void *data)
{
	struct sd_port *p = sd_port_of(dev);
	int err = id == IFLA_OFFLOAD_XSTATS_CPU_HIT ? sd_fault(&p->faults, SD_OP_CPU_HIT) : -EINVAL;

	if (err)
		return err;
	memset(data, 0, sizeof(struct rtnl_link_stats64));
	sd_stats(sd_gauge, p, SD_ESWITCH, sd_own_stats, data);
	return 0;
}
