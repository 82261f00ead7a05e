package nldev

import (
	"context"

	"github.com/dpu-exporter/dpu-exporter/internal/genl"
	"github.com/mdlayher/netlink"
)

// The attributes of statistics (enum rdma_nldev_attr).
const (
	attrCounters    = 80 // RDMA_NLDEV_ATTR_STAT_HWCOUNTERS
	attrCounter     = 81 // RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY
	attrCounterName = 82 // RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME
	attrCounterSum  = 83 // RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_VALUE
	attrDynamic     = 95 // RDMA_NLDEV_ATTR_STAT_HWCOUNTER_DYNAMIC
)

// Statistics returns the hardware counters of a port by the driver's names, with
// the optional ones that are enabled (RDMA_NLDEV_CMD_STAT_GET). A driver without
// any answers EINVAL or EOPNOTSUPP.
func (c *Conn) Statistics(ctx context.Context, device, port uint32) ([]Named, error) {
	return one(ctx, c, "statistics", cmdStatistics, statisticsFields, func(e *netlink.AttributeEncoder) {
		e.Uint32(attrDeviceIndex, device)
		e.Uint32(attrPort, port)
	})
}

var statisticsFields = []genl.Field[[]Named]{genl.Nest(attrCounters, "RDMA_NLDEV_ATTR_STAT_HWCOUNTERS",
	genl.Each(attrCounter, "RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY", []genl.Field[Named]{
		{Type: attrCounterName, Name: "RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME", Required: true,
			Read: func(v *Named, d *netlink.AttributeDecoder) { v.Name = d.String() }},
		{Type: attrCounterSum, Name: "RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_VALUE", Required: true,
			Read: func(v *Named, d *netlink.AttributeDecoder) { v.Value = d.Uint64() }},
	}...))}

// Optional is a counter that an operator can switch on (rdma-statistic(8)).
type Optional struct {
	Name    string
	Enabled bool
}

// OptionalCounters lists those of a port (RDMA_NLDEV_CMD_STAT_GET_STATUS, kernel
// 5.16 and newer); EINVAL or EOPNOTSUPP where its driver has none.
func (c *Conn) OptionalCounters(ctx context.Context, device, port uint32) ([]Optional, error) {
	all, err := one(ctx, c, "optional counters", cmdOptionalList, optionalFields, func(e *netlink.AttributeEncoder) {
		e.Uint32(attrDeviceIndex, device)
		e.Uint32(attrPort, port)
	})
	var optional []Optional
	for _, counter := range all {
		if counter.dynamic {
			optional = append(optional, counter.Optional)
		}
	}
	return optional, err
}

// listedCounter is an entry of the list, in which all counters are.
type listedCounter struct {
	Optional
	dynamic bool
}

var optionalFields = []genl.Field[[]listedCounter]{genl.Nest(attrCounters, "RDMA_NLDEV_ATTR_STAT_HWCOUNTERS",
	genl.Each(attrCounter, "RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY", []genl.Field[listedCounter]{
		{Type: attrCounterName, Name: "RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME", Required: true,
			Read: func(v *listedCounter, d *netlink.AttributeDecoder) { v.Name = d.String() }},
		{Type: attrDynamic, Name: "RDMA_NLDEV_ATTR_STAT_HWCOUNTER_DYNAMIC",
			Read: func(v *listedCounter, d *netlink.AttributeDecoder) { v.dynamic, v.Enabled = true, d.Uint8() != 0 }},
	}...))}
