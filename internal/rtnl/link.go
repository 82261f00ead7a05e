package rtnl

import "net"

// Link is one network device as an RTM_NEWLINK message describes it
// (rtnetlink(7), include/uapi/linux/if_link.h). Attributes the kernel did not
// send are zero, or nil where zero is a value of its own.
type Link struct {
	Index          int              // ifi_index
	Type           uint16           // ifi_type, ARPHRD_*
	Flags          uint32           // ifi_flags, IFF_*
	Name           string           // IFLA_IFNAME, raw bytes: may hold quotes, braces, invalid UTF-8
	AltNames       []string         // IFLA_PROP_LIST, IFLA_ALT_IFNAME
	Alias          string           // IFLA_IFALIAS
	Address        net.HardwareAddr // IFLA_ADDRESS
	Kind           string           // IFLA_LINKINFO, IFLA_INFO_KIND; "" for hardware and loopback
	MTU            uint32           // IFLA_MTU, bytes
	Master         int              // IFLA_MASTER, interface index; 0 without one
	Lower          int              // IFLA_LINK, interface index; 0 without one
	LowerForeign   bool             // IFLA_LINK_NETNSID is set: Lower is an index of another namespace
	OperState      uint8            // IFLA_OPERSTATE, IF_OPER_* (RFC 2863)
	Carrier        *bool            // IFLA_CARRIER
	CarrierChanges *uint32          // IFLA_CARRIER_CHANGES
	CarrierUps     *uint32          // IFLA_CARRIER_UP_COUNT
	CarrierDowns   *uint32          // IFLA_CARRIER_DOWN_COUNT
	PortName       string           // IFLA_PHYS_PORT_NAME
	SwitchID       []byte           // IFLA_PHYS_SWITCH_ID, all bytes
	ParentBus      string           // IFLA_PARENT_DEV_BUS_NAME ("pci", "auxiliary", "virtio"), kernel 5.14 and newer
	ParentDev      string           // IFLA_PARENT_DEV_NAME ("0000:03:00.0", "mlx5_core.sf.2")
	DevlinkBus     string           // IFLA_DEVLINK_PORT, of the device's devlink port: bus, device
	DevlinkDev     string           // and index; kernel 6.2 and newer
	DevlinkPort    *uint32
}
