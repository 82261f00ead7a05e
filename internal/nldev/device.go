package nldev

import (
	"context"

	"github.com/dpu-exporter/dpu-exporter/internal/genl"
	"github.com/mdlayher/netlink"
)

// The attributes of enum rdma_nldev_attr that are read.
const (
	attrDeviceIndex   = 1  // RDMA_NLDEV_ATTR_DEV_INDEX
	attrDeviceName    = 2  // RDMA_NLDEV_ATTR_DEV_NAME
	attrPort          = 3  // RDMA_NLDEV_ATTR_PORT_INDEX
	attrFirmware      = 5  // RDMA_NLDEV_ATTR_FW_VERSION
	attrSummary       = 15 // RDMA_NLDEV_ATTR_RES_SUMMARY
	attrSummaryEntry  = 16 // RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY
	attrSummaryName   = 17 // RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_NAME
	attrSummaryValue  = 18 // RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_CURR
	attrNetdevIndex   = 50 // RDMA_NLDEV_ATTR_NDEV_INDEX
	attrNamespaceMode = 66 // RDMA_NLDEV_SYS_ATTR_NETNS_MODE
	attrProtocol      = 67 // RDMA_NLDEV_ATTR_DEV_PROTOCOL
)

// Device is one RDMA device (RDMA_NLDEV_CMD_GET).
type Device struct {
	Index    uint32
	Name     string // mlx5_0
	Ports    uint32 // they are numbered from 1
	Firmware string // "" where its driver does not tell
	Protocol string // ib, roce, iw, opa, usnic
}

// Devices lists the RDMA devices.
func (c *Conn) Devices(ctx context.Context) ([]Device, error) {
	return list(ctx, c, "devices", cmdDevices, deviceFields, nothing)
}

var deviceFields = []genl.Field[Device]{
	{Type: attrDeviceIndex, Name: "RDMA_NLDEV_ATTR_DEV_INDEX", Required: true,
		Read: func(v *Device, d *netlink.AttributeDecoder) { v.Index = d.Uint32() }},
	{Type: attrDeviceName, Name: "RDMA_NLDEV_ATTR_DEV_NAME", Required: true,
		Read: func(v *Device, d *netlink.AttributeDecoder) { v.Name = d.String() }},
	{Type: attrPort, Name: "RDMA_NLDEV_ATTR_PORT_INDEX",
		Read: func(v *Device, d *netlink.AttributeDecoder) { v.Ports = d.Uint32() }},
	{Type: attrFirmware, Name: "RDMA_NLDEV_ATTR_FW_VERSION",
		Read: func(v *Device, d *netlink.AttributeDecoder) { v.Firmware = d.String() }},
	{Type: attrProtocol, Name: "RDMA_NLDEV_ATTR_DEV_PROTOCOL",
		Read: func(v *Device, d *netlink.AttributeDecoder) { v.Protocol = d.String() }},
}

// Netdev returns the interface index of the network device that a port of a
// device belongs to (RDMA_NLDEV_CMD_PORT_GET); 0 where it has none, or one in
// another network namespace.
func (c *Conn) Netdev(ctx context.Context, device, port uint32) (int, error) {
	return one(ctx, c, "port", cmdPorts, netdevFields, func(e *netlink.AttributeEncoder) {
		e.Uint32(attrDeviceIndex, device)
		e.Uint32(attrPort, port)
	})
}

var netdevFields = []genl.Field[int]{
	{Type: attrNetdevIndex, Name: "RDMA_NLDEV_ATTR_NDEV_INDEX", Read: func(v *int, d *netlink.AttributeDecoder) { *v = int(d.Uint32()) }},
}

// Named is a number by the kernel's name for it.
type Named struct {
	Name  string
	Value uint64
}

// Resources returns how many resources of a device are in use, by the kernel's
// names: pd, cq, qp, cm_id, mr, ctx, srq (RDMA_NLDEV_CMD_RES_GET).
func (c *Conn) Resources(ctx context.Context, device uint32) ([]Named, error) {
	return one(ctx, c, "resources", cmdResources, resourcesFields, func(e *netlink.AttributeEncoder) { e.Uint32(attrDeviceIndex, device) })
}

var resourcesFields = []genl.Field[[]Named]{genl.Nest(attrSummary, "RDMA_NLDEV_ATTR_RES_SUMMARY",
	genl.Each(attrSummaryEntry, "RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY", []genl.Field[Named]{
		{Type: attrSummaryName, Name: "RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_NAME", Required: true,
			Read: func(v *Named, d *netlink.AttributeDecoder) { v.Name = d.String() }},
		{Type: attrSummaryValue, Name: "RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_CURR", Required: true,
			Read: func(v *Named, d *netlink.AttributeDecoder) { v.Value = d.Uint64() }},
	}...))}

// NamespaceMode says how RDMA devices belong to network namespaces
// (RDMA_NLDEV_CMD_SYS_GET, rdma-system(8)): exclusive or shared.
func (c *Conn) NamespaceMode(ctx context.Context) (string, error) {
	return one(ctx, c, "system", cmdSystem, systemFields, nothing)
}

var systemFields = []genl.Field[string]{
	{Type: attrNamespaceMode, Name: "RDMA_NLDEV_SYS_ATTR_NETNS_MODE", Required: true, Read: func(v *string, d *netlink.AttributeDecoder) {
		if *v = "exclusive"; d.Uint8() != 0 {
			*v = "shared"
		}
	}},
}
