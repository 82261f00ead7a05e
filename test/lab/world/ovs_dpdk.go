package world

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// hugePages of 2 MiB are what DPDK may have (hugetlbpage.rst).
const hugePages = 64

// StartOVSDPDK starts the Open vSwitch of openvswitch-switch-dpdk, which has
// DPDK in ovs-vswitchd. It has no PCI device: ports are AddDPDKBridge's.
func StartOVSDPDK(t testing.TB, settings ...string) *OVS {
	t.Helper()
	addHugePages(t)
	return startOVS(t, "/usr/lib/openvswitch-switch-dpdk/ovs-vswitchd-dpdk", append(settings,
		"other_config:dpdk-init=true",
		fmt.Sprintf("other_config:dpdk-alloc-mem=%d", 2*hugePages), // MiB
		`other_config:dpdk-extra="--no-pci --iova-mode=va"`))
}

// addHugePages has the guest set memory aside until the test ends.
func addHugePages(t testing.TB) {
	t.Helper()
	const mounted = "/dev/hugepages"
	SetSysctl(t, "vm/nr_hugepages", strconv.Itoa(hugePages))
	must(t, os.MkdirAll(mounted, 0o755))
	must(t, unix.Mount("hugetlbfs", mounted, "hugetlbfs", 0, ""))
	t.Cleanup(func() { must(t, unix.Unmount(mounted, 0)) })
}

// AddDPDKBridge makes a bridge of the userspace datapath whose ports have DPDK
// send and receive on devices of the guest through packet sockets
// (net_af_packet). They are called dpdk0, dpdk1….
func (o *OVS) AddDPDKBridge(t testing.TB, name string, devices ...string) {
	t.Helper()
	o.AddBridge(t, name, "netdev", "")
	for i, device := range devices {
		port := fmt.Sprintf("dpdk%d", i)
		o.Set(t, "add-port", name, port, "--", "set", "Interface", port, "type=dpdk",
			fmt.Sprintf("options:dpdk-devargs=net_af_packet%d,iface=%s,framecnt=64", i, device))
	}
}

// A PMD is what one poll mode thread has done since it began or was cleared
// (dpif-netdev/pmd-stats-show).
type PMD struct{ Core, Received, IdleCycles, ProcessingCycles int }

// pmdStats is the part of dpif-netdev/pmd-stats-show of one thread:
//
//	pmd thread numa_id 0 core_id 1:
//	  packets received: 17
//	  idle cycles: 5482401940 (97.00%)
//	  processing cycles: 169655840 (3.00%)
var pmdStats = regexp.MustCompile(
	`pmd thread numa_id \d+ core_id (\d+):\n\s+packets received: (\d+)(?:\n  .*)*?\n\s+idle cycles: (\d+).*\n\s+processing cycles: (\d+)`)

// PMDs are the poll mode threads.
func (o *OVS) PMDs(t testing.TB) (pmds []PMD) {
	t.Helper()
	for _, m := range pmdStats.FindAllStringSubmatch(o.Appctl(t, "dpif-netdev/pmd-stats-show"), -1) {
		var n [4]int
		for i := range n {
			var err error
			n[i], err = strconv.Atoi(m[i+1])
			must(t, err)
		}
		pmds = append(pmds, PMD{n[0], n[1], n[2], n[3]})
	}
	return pmds
}
