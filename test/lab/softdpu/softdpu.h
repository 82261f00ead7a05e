/* SPDX-License-Identifier: GPL-2.0 */
/*
 * softdpu: the eswitch of a SmartNIC in software, seen from Linux as a real one is.
 *
 * A device has uplinks (physical ports). On each are a host PF, VFs and SFs: functions. A function
 * has a netdev, which its host or guest would use, and in switchdev mode a representor, the netdev
 * that the Arm cores use for it. What enters the eswitch is looked up in the rules that tc flower
 * has offloaded: a hit is carried by "hardware" and no representor sees it; a miss is received by
 * the representor: the slow path.
 *
 * Locks, from the outermost:
 *   devl_lock()      the ports of a device, its mode and number of VFs
 *   rtnl_lock()      the netdevs of ports, what is configured of VFs, and that a port is taken away
 *   sd_devices_lock  the list of devices, and the wires between uplinks
 *   sd_dev.rules     who changes rules
 *   sd_link_lock     (spinlock) carriers
 *   sd_port.lock     (spinlock) the function's MAC address
 * A port is held by its device and by each of its netdevs. It is found, and may be used, under
 * devl_lock(), rtnl_lock() or rcu_read_lock(); frames find netdevs, wires and rules under RCU.
 * Operations of a port's debugfs files do not take devl_lock(): it is held where they are removed.
 */
#ifndef SOFTDPU_H
#define SOFTDPU_H

#include <linux/etherdevice.h>
#include <linux/ethtool.h>
#include <linux/if_link.h>
#include <linux/kref.h>
#include <linux/netdevice.h>
#include <linux/seq_file.h>
#include <linux/xarray.h>
#include <net/devlink.h>
#include <net/flow_offload.h>

#include "counters.h"

#define SD_MAX_UPLINKS	4
#define SD_MAX_VFS	128	/* on each uplink */
#define SD_MAX_SFS	64	/* on each uplink */
#define SD_MAX_SFNUM	9999	/* longer names do not fit a netdev */
#define SD_MAX_RULES	4096
#define SD_MAX_HOPS	4	/* a frame that goes round is dropped */

/* what runs on the device, as devlink and ethtool -i tell it */
#define SD_FIRMWARE	"24.43.1014"
#define SD_PSID		"SD_0000000001"
#define SD_STORED	"24.44.1036"

enum sd_kind { SD_UPLINK, SD_PF, SD_VF, SD_SF };

/* the two ends of a port: the uplink's or representor's netdev, and the function's */
enum sd_side { SD_ESWITCH, SD_FUNCTION, SD_SIDES };

/* what can be made to stall or to fail (fault.c has the names) */
enum sd_op {
	SD_OP_STRINGS, SD_OP_STATS, SD_OP_LINK, SD_OP_MODULE_PAGE, SD_OP_PAUSE, SD_OP_FEC, SD_OP_MAC,
	SD_OP_PHY, SD_OP_CTRL, SD_OP_RMON, SD_OP_CPU_HIT, SD_OP_VF_CONFIG, SD_OP_VF_STATS,
	SD_OP_FUNCTION, SD_OP_REPRESENTOR, SD_OP_RULE,				/* of a port */
	SD_OP_INFO, SD_OP_DIAGNOSE, SD_OP_DUMP, SD_OP_RECOVER, SD_OP_RESOURCE, SD_OP_PARAM,
	SD_OP_MODE,								/* of a device */
	SD_OPS
};

struct sd_faults {
	struct {
		unsigned int stall_ms;
		int err;			/* 0 or a negative errno */
	} op[SD_OPS];
	bool garbage;				/* in the pages of the module */
	bool stale;				/* statistics are those of the previous read */
	unsigned int strings;			/* so many more at every second count */
	unsigned int more_strings;		/* so many more at each, as with more channels */
	bool link_down;
};

/* a rule table in which a frame is looked up by its port: a list of masks, each with a hash (rules.c) */
struct sd_table {
	struct list_head masks;
};

struct sd_dev {
	struct device *dev;
	struct list_head list;			/* in sd_devices */
	struct xarray ports;			/* by sd_port.id */
	u32 next_id;
	u16 mode;				/* DEVLINK_ESWITCH_MODE_* */
	bool registered, params;		/* with devlink */
	bool pci;				/* functions of VFs come and go with PCI drivers */
	unsigned int uplinks, vfs;
	u16 controller;				/* of the host whose PF and VFs these are: 0 is our own */
	char name[8];				/* what the names of netdevs begin with */
	char driver[32], rep_driver[32];	/* as ethtool -i says */
	struct netdev_phys_item_id switch_id;
	struct mutex rules;			/* of all tables of this device */
	atomic_t nrules;
	struct sd_table tunnels;		/* rules whose frames come out of a tunnel (vxlan.c) */
	struct devlink_health_reporter *fw;
	u64 recoveries;
	u8 syndrome;				/* of the reporter fw; 0 is none */
	bool smfs;				/* flow_steering_mode is smfs, else dmfs */
	struct sd_faults faults;
	struct dentry *debugfs, *report;
};

struct sd_port {
	struct sd_dev *sd;
	struct kref ref;
	struct rcu_head rcu;
	u32 id;					/* never given twice: it finds nothing when the port is gone */
	enum sd_kind kind;
	u16 pf, controller;
	u32 nr;					/* of a VF or SF on its PF */
	struct devlink_port dl;
	bool dl_registered, rate_leaf;
	bool active;				/* state of an SF */
	bool gone;				/* gets no more netdevs; rtnl */
	struct net_device __rcu *netdev[SD_SIDES];
	struct sd_port __rcu *wire;		/* the uplink at the other end */
	struct sd_table table;
	spinlock_t lock;
	u8 mac[ETH_ALEN];			/* of the function */
	struct ifla_vf_info vf;			/* configuration of a VF, but its MAC */
	atomic64_t counter[SD_SIDES][SD_COUNTER_MAX];
	atomic64_t previous[SD_SIDES][SD_COUNTER_MAX];	/* what a stale read returns */
	struct devlink_health_reporter *vnic;
	struct sd_faults faults;
	struct dentry *debugfs;
};

/* the private part of a netdev */
struct sd_netdev {
	struct sd_port *port;
	enum sd_side side;
	unsigned int asked;			/* times that the strings were counted; rtnl */
	unsigned int extra;			/* strings of the last count that are not in the table; rtnl */
};

static inline struct sd_netdev *sd_netdev(const struct net_device *dev)
{
	return netdev_priv(dev);
}

static inline struct sd_port *sd_port_of(const struct net_device *dev)
{
	return sd_netdev(dev)->port;
}

static inline bool sd_switchdev(const struct sd_dev *sd)
{
	return READ_ONCE(sd->mode) == DEVLINK_ESWITCH_MODE_SWITCHDEV;
}

static inline struct net_device *sd_netdev_rcu(const struct sd_port *p, enum sd_side side)
{
	return rcu_dereference_check(p->netdev[side], rcu_read_lock_bh_held());
}

/* device.c */
#define SD_MAX_NAME 5	/* or names of netdevs get too long */
struct sd_options {
	char name[8];
	unsigned int uplinks, vfs, controller;
	char driver[32], rep_driver[32];
};
extern const struct sd_options sd_default_options;
extern struct list_head sd_devices;
extern struct mutex sd_devices_lock;
struct sd_dev *sd_create(struct device *dev, const struct sd_options *o);
void sd_destroy(struct sd_dev *sd);

/* bus.c, pci.c */
int sd_bus_init(void);
void sd_bus_exit(void);
int sd_pci_init(void);
void sd_pci_exit(void);

/* devlink.c: versions, parameters, resources, rates */
extern const struct devlink_ops sd_devlink_ops;
int sd_devlink_up(struct sd_dev *sd);
void sd_devlink_down(struct sd_dev *sd);

/* eswitch.c: the mode and the number of VFs */
int sd_mode_get(struct devlink *devlink, u16 *mode);
int sd_mode_set(struct devlink *devlink, u16 mode, struct netlink_ext_ack *extack);
int sd_set_vfs(struct sd_dev *sd, unsigned int vfs);

/* port.c */
struct sd_port *sd_port_new(struct sd_dev *sd, enum sd_kind kind, u16 pf, u32 nr, u16 controller);
typedef bool (*sd_which)(const struct sd_port *p, u32 arg);
void sd_ports_remove(struct sd_dev *sd, sd_which which, u32 arg);
void sd_netdevs_down(struct sd_dev *sd, sd_which which, u32 arg, bool gone);
void sd_port_put(struct sd_port *p);
void sd_port_name(const struct sd_port *p, char *name, size_t size);	/* p0, pf0, pf0vf3, pf0sf88 */
struct sd_port *sd_port_find(struct sd_dev *sd, enum sd_kind kind, u16 pf, u32 nr);
void sd_mac_get(struct sd_port *p, u8 *mac);
void sd_mac_set(struct sd_port *p, const u8 *mac);

/* representor.c: devlink ports and the netdevs behind them */
int sd_representor_up(struct sd_port *p);
void sd_representor_down(struct sd_port *p);	/* when its netdev is gone */
int sd_port_add(struct devlink *devlink, const struct devlink_port_new_attrs *attrs,
		struct netlink_ext_ack *extack, struct devlink_port **dl);

/* netdev.c */
bool sd_is_eswitch_netdev(const struct net_device *dev);	/* an uplink or a representor of ours */
int sd_netdev_up(struct sd_port *p, enum sd_side side, struct device *parent);
void sd_netdev_down(struct sd_port *p, enum sd_side side);
void sd_netdev_queue(struct sd_port *p, enum sd_side side, struct list_head *netdevs);	/* rtnl */

/* stats.c */
void sd_stats64(struct net_device *dev, struct rtnl_link_stats64 *s);
bool sd_has_offload_stats(const struct net_device *dev, int id);
int sd_get_offload_stats(int id, const struct net_device *dev, void *data);

/* vf.c */
int sd_set_vf_mac(struct net_device *dev, int vf, u8 *mac);
int sd_set_vf_vlan(struct net_device *dev, int vf, u16 vlan, u8 qos, __be16 proto);
int sd_set_vf_rate(struct net_device *dev, int vf, int min, int max);
int sd_set_vf_spoofchk(struct net_device *dev, int vf, bool on);
int sd_set_vf_trust(struct net_device *dev, int vf, bool on);
int sd_set_vf_link_state(struct net_device *dev, int vf, int state);
int sd_get_vf_config(struct net_device *dev, int vf, struct ifla_vf_info *info);
int sd_get_vf_stats(struct net_device *dev, int vf, struct ifla_vf_stats *s);

/* link.c */
void sd_link_update(struct sd_port *p);		/* sets the carriers that depend on a port */
void sd_wire_connect(struct sd_port *a, struct sd_port *b);	/* sd_devices_lock; b may be NULL */

/* datapath.c: RCU with bottom halves off; each consumes the frame, which starts at its MAC header */
void sd_ingress(struct sd_port *p, struct sk_buff *skb, int hops);	/* from the function or the wire */
void sd_egress(struct sd_port *p, struct sk_buff *skb, int hops);	/* to the function or the wire */
netdev_tx_t sd_function_xmit(struct sk_buff *skb, struct net_device *dev);
netdev_tx_t sd_eswitch_xmit(struct sk_buff *skb, struct net_device *dev);

/* actions.c: true if a rule has consumed the frame; else it is as it was, for the slow path */
bool sd_offload(struct sd_port *in, struct sk_buff *skb, int hops);

/* rules.c, flower.c, vxlan.c */
void sd_table_init(struct sd_table *t);
void sd_table_free(struct sd_table *t);		/* when nobody can find it any more */
void sd_table_flush(struct sd_dev *sd, struct sd_table *t);
void sd_rules_show(struct seq_file *s, struct sd_port *p);
int sd_setup_tc(struct net_device *dev, enum tc_setup_type type, void *data);
int sd_tunnels_init(void);			/* asks for the rules of tunnel devices */
void sd_tunnels_exit(void);

/* counters.c */
void sd_count(struct sd_port *p, enum sd_side side, enum sd_counter c, u64 by);
u64 sd_counter(const struct sd_port *p, enum sd_side side, enum sd_counter c);	/* as a reader sees it */
u64 sd_gauge(const struct sd_port *p, enum sd_side side, enum sd_counter c);	/* as it is: never stale */
void sd_counters_read(struct sd_port *p, enum sd_side side);	/* a whole read is over (stale) */
unsigned int sd_strings(u8 set, u8 *to);	/* returns how many; to may be NULL */
unsigned int sd_values(const struct sd_port *p, enum sd_side side, u8 set, u64 *to);
int sd_counter_set(struct sd_port *p, enum sd_side side, const char *name, const char *value);
void sd_counters_show(struct seq_file *s, const struct sd_port *p, enum sd_side side);
void sd_counters_default(struct sd_port *p);

/* ethtool.c, standard.c, transceiver.c */
extern const struct ethtool_ops sd_ethtool_uplink, sd_ethtool_representor, sd_ethtool_function;

/* health.c */
int sd_health_up(struct sd_dev *sd);
void sd_health_down(struct sd_dev *sd);
int sd_vnic_up(struct sd_port *p);
void sd_vnic_down(struct sd_port *p);

/* fault.c */
int sd_fault(const struct sd_faults *f, enum sd_op op);	/* stalls, and returns 0 or -errno; may sleep */
int sd_fault_command(struct sd_faults *f, const struct sd_port *p, char *line);	/* stall OP MS, fail OP ERRNO, ... */
void sd_faults_show(struct seq_file *s, const struct sd_faults *f);

/* debugfs.c */
void sd_debugfs_init(void);
void sd_debugfs_exit(void);
void sd_debugfs_device(struct sd_dev *sd);
void sd_debugfs_report(struct sd_dev *sd);	/* when nothing can fail any more */
void sd_debugfs_port(struct sd_port *p);

#endif
