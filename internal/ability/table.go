package ability

import (
	"context"

	"golang.org/x/sys/unix"

	"github.com/dpu-exporter/dpu-exporter/internal/socket"
)

// All returns the table of abilities, those that this version uses first. RDMA
// devices are looked for below dev, which is /dev.
func All(dev string) []Ability {
	return []Ability{
		{
			Name: "rtnetlink", For: "devices and their counters", Family: "AF_NETLINK",
			try: func(context.Context) error { return open(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE) },
		},
		{
			Name: "generic netlink", For: "devlink ports, speed and duplex", Family: "AF_NETLINK",
			try: func(context.Context) error { return open(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_GENERIC) },
		},
		{
			Name: "eswitch mode", For: "telling an uplink from a PF where no representor tells; modules, and devlink's reporter vnic", Family: "AF_NETLINK",
			Capability: "CAP_NET_ADMIN", Allow: lines("CAP_NET_ADMIN"),
			try: askEswitch,
		},
		{
			Name: "ethtool ioctl", For: "statistics of drivers", Family: "AF_NETLINK",
			try: func(context.Context) error { return askDriver() },
		},
		{
			Name: "ICMP echo", For: "latency probes", Later: true, Family: "AF_INET",
			Capability: "CAP_NET_RAW", Allow: `set net.ipv4.ping_group_range to "0 2147483647" with sysctl, or ` + lines("CAP_NET_RAW"),
			try: func(context.Context) error { return openEcho() },
		},
		{
			Name: "packet sockets", For: "isolation probes", Later: true, Family: "AF_PACKET",
			Capability: "CAP_NET_RAW", Allow: lines("CAP_NET_RAW"),
			try: func(context.Context) error { return open(unix.AF_PACKET, unix.SOCK_RAW, 0) },
		},
		{
			Name: "network namespaces", For: "probes from a tenant's network, by its name in /run/netns", Later: true,
			Capability: "CAP_SYS_ADMIN", Allow: lines("CAP_SYS_ADMIN", "RestrictNamespaces=net"),
			try: func(context.Context) error {
				return socket.InNamespace("/proc/thread-self/ns/net", func() error { return nil })
			},
		},
		{
			Name: "locked memory", For: "RDMA probes", Later: true,
			Capability: "CAP_IPC_LOCK", Allow: "add LimitMEMLOCK=infinity, or " + lines("CAP_IPC_LOCK"),
			try: func(context.Context) error { return lockMemory(rdmaMemory) },
		},
		{
			Name: "RDMA devices", For: "RDMA probes", Later: true,
			Allow: "add DeviceAllow=char-infiniband_verbs rw and DeviceAllow=/dev/infiniband/rdma_cm rw; the files need mode 0666; a device of another network namespace is not opened",
			try:   func(context.Context) error { return openRDMA(dev) },
		},
	}
}
