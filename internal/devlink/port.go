package devlink

// Handle names a devlink device (devlink(8): "pci/0000:03:00.0").
type Handle struct {
	Bus    string // DEVLINK_ATTR_BUS_NAME
	Device string // DEVLINK_ATTR_DEV_NAME
}

// String returns the handle as devlink(8) writes it.
func (h Handle) String() string { return h.Bus + "/" + h.Device }

// Flavour is what a port is (enum devlink_port_flavour, include/uapi/linux/devlink.h).
type Flavour uint16

// The flavours of enum devlink_port_flavour.
const (
	Physical Flavour = iota
	CPU
	DSA
	PCIPF
	PCIVF
	Virtual
	Unused
	PCISF
)

// Port is one devlink port (DEVLINK_CMD_PORT_NEW). Attributes the kernel did
// not send are nil, zero or empty.
type Port struct {
	Handle
	Index       uint32   // DEVLINK_ATTR_PORT_INDEX
	NetdevIndex int      // DEVLINK_ATTR_PORT_NETDEV_IFINDEX; 0 without a netdev in this namespace
	NetdevName  string   // DEVLINK_ATTR_PORT_NETDEV_NAME
	RDMADevice  string   // DEVLINK_ATTR_PORT_IBDEV_NAME
	Flavour     *Flavour // DEVLINK_ATTR_PORT_FLAVOUR
	Number      *uint32  // DEVLINK_ATTR_PORT_NUMBER, the physical port
	Subport     *uint32  // DEVLINK_ATTR_PORT_SPLIT_SUBPORT_NUMBER
	Controller  *uint32  // DEVLINK_ATTR_PORT_CONTROLLER_NUMBER
	PF          *uint32  // DEVLINK_ATTR_PORT_PCI_PF_NUMBER
	VF          *uint32  // DEVLINK_ATTR_PORT_PCI_VF_NUMBER
	SF          *uint32  // DEVLINK_ATTR_PORT_PCI_SF_NUMBER
	External    *bool    // DEVLINK_ATTR_PORT_EXTERNAL

	// Of the function behind the port, where its driver tells
	// (DEVLINK_PORT_FN_ATTR_STATE and _OPSTATE): 0 is inactive and detached, 1
	// active and attached.
	FunctionState, FunctionOperState *uint8
}
