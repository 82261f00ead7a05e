package rtnl

// Field is a position in struct rtnl_link_stats64
// (include/uapi/linux/if_link.h).
type Field int

// The fields of struct rtnl_link_stats64 in the kernel's order.
const (
	RxPackets Field = iota
	TxPackets
	RxBytes
	TxBytes
	RxErrors
	TxErrors
	RxDropped
	TxDropped
	Multicast
	Collisions
	RxLengthErrors
	RxOverErrors
	RxCRCErrors
	RxFrameErrors
	RxFIFOErrors
	RxMissedErrors
	TxAbortedErrors
	TxCarrierErrors
	TxFIFOErrors
	TxHeartbeatErrors
	TxWindowErrors
	RxCompressed
	TxCompressed
	RxNoHandler
	RxOtherHostDropped
	NumFields
)

// Counters is one struct rtnl_link_stats64. Older kernels send a shorter one:
// only the first N fields are known.
type Counters struct {
	N     int
	Value [NumFields]uint64
}

// Stats is what RTM_NEWSTATS says of one device. The pointers are nil where the
// device has no such statistics, and are valid only until the visit returns.
type Stats struct {
	Index    int
	Link     *Counters // IFLA_STATS_LINK_64: all traffic of the device
	SlowPath *Counters // IFLA_OFFLOAD_XSTATS_CPU_HIT: the part that the CPU handled
}
