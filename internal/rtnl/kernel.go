package rtnl

import "golang.org/x/sys/unix"

// What golang.org/x/sys/unix does not have, with the header it stands in.
const (
	extFilterSkipStats = 1 << 3 // RTEXT_FILTER_SKIP_STATS, include/uapi/linux/rtnetlink.h
	sizeofIfStatsMsg   = 12     // struct if_stats_msg, include/uapi/linux/if_link.h
	extFilterVF        = 1 << 0 // RTEXT_FILTER_VF, include/uapi/linux/rtnetlink.h
)

// attributeNames gives the attributes of one nest their names for errors.
type attributeNames map[uint16]string

// linkAttributes are the attributes of RTM_NEWLINK that are read
// (include/uapi/linux/if_link.h).
var linkAttributes = attributeNames{
	unix.IFLA_ADDRESS:             "IFLA_ADDRESS",
	unix.IFLA_IFNAME:              "IFLA_IFNAME",
	unix.IFLA_MTU:                 "IFLA_MTU",
	unix.IFLA_LINK:                "IFLA_LINK",
	unix.IFLA_MASTER:              "IFLA_MASTER",
	unix.IFLA_WIRELESS:            "IFLA_WIRELESS",
	unix.IFLA_OPERSTATE:           "IFLA_OPERSTATE",
	unix.IFLA_LINKINFO:            "IFLA_LINKINFO",
	unix.IFLA_IFALIAS:             "IFLA_IFALIAS",
	unix.IFLA_CARRIER:             "IFLA_CARRIER",
	unix.IFLA_CARRIER_CHANGES:     "IFLA_CARRIER_CHANGES",
	unix.IFLA_PHYS_SWITCH_ID:      "IFLA_PHYS_SWITCH_ID",
	unix.IFLA_LINK_NETNSID:        "IFLA_LINK_NETNSID",
	unix.IFLA_PHYS_PORT_NAME:      "IFLA_PHYS_PORT_NAME",
	unix.IFLA_CARRIER_UP_COUNT:    "IFLA_CARRIER_UP_COUNT",
	unix.IFLA_CARRIER_DOWN_COUNT:  "IFLA_CARRIER_DOWN_COUNT",
	unix.IFLA_PROP_LIST:           "IFLA_PROP_LIST",
	unix.IFLA_DEVLINK_PORT:        "IFLA_DEVLINK_PORT",
	unix.IFLA_PARENT_DEV_NAME:     "IFLA_PARENT_DEV_NAME",
	unix.IFLA_PARENT_DEV_BUS_NAME: "IFLA_PARENT_DEV_BUS_NAME",
}

var linkInfoAttributes = attributeNames{unix.IFLA_INFO_KIND: "IFLA_INFO_KIND"}

var propertyAttributes = attributeNames{unix.IFLA_ALT_IFNAME: "IFLA_ALT_IFNAME"}

// statsAttributes are the attributes of RTM_NEWSTATS that are read
// (include/uapi/linux/if_link.h).
var statsAttributes = attributeNames{
	unix.IFLA_STATS_LINK_64:             "IFLA_STATS_LINK_64",
	unix.IFLA_STATS_LINK_OFFLOAD_XSTATS: "IFLA_STATS_LINK_OFFLOAD_XSTATS",
}

var offloadAttributes = attributeNames{unix.IFLA_OFFLOAD_XSTATS_CPU_HIT: "IFLA_OFFLOAD_XSTATS_CPU_HIT"}
