package rtnl

import (
	"testing"

	"github.com/dpu-exporter/dpu-exporter/test/worlds"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// The benchmarks read a namespace of 500 veth pairs and lo. One iteration is
// one reading of all 1,001 devices. cpu-ns/op is the CPU time of the whole
// process, which a busy machine disturbs less than the time on the wall.
//
//	go test ./internal/rtnl -run '^$' -bench . -benchmem
const (
	benchPairs   = 500
	benchDevices = 2*benchPairs + 1
)

func enterBench(b *testing.B) {
	b.Helper()
	worlds.Enter(b)
	worlds.AddVeths(b, benchPairs)
	b.ReportAllocs()
}

// cpuTime starts a clock of this process's CPU time; the function it returns
// reports what one iteration took of it.
func cpuTime(b *testing.B) (report func()) {
	used := func() int64 {
		var r unix.Rusage
		if err := unix.Getrusage(unix.RUSAGE_SELF, &r); err != nil {
			b.Fatal(err)
		}
		return r.Utime.Nano() + r.Stime.Nano()
	}
	start := used()
	return func() { b.ReportMetric(float64(used()-start)/float64(b.N), "cpu-ns/op") }
}

// BenchmarkStatsBare is the floor: the request of BenchmarkStats on a blocking
// socket, every datagram received and none looked at but for the end.
func BenchmarkStatsBare(b *testing.B) {
	enterBench(b)
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_ROUTE)
	if err != nil {
		b.Fatal(err)
	}
	defer unix.Close(fd)
	if err := unix.Connect(fd, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		b.Fatal(err)
	}
	request, buffer := statsRequest(unix.NLM_F_DUMP), make([]byte, bufferSize)
	defer cpuTime(b)()
	for b.Loop() {
		if _, err := unix.Write(fd, request); err != nil {
			b.Fatal(err)
		}
		for ended := false; !ended; {
			n, err := unix.Read(fd, buffer)
			if err != nil {
				b.Fatal(err)
			}
			const doneSize = unix.SizeofNlMsghdr + 4
			ended = native.Uint16(buffer[n-doneSize+4:]) == unix.NLMSG_DONE && native.Uint32(buffer[n-doneSize:]) == doneSize
		}
	}
}

func BenchmarkStats(b *testing.B) {
	enterBench(b)
	c := dial(b)
	var visits int
	var sum uint64
	visit := func(s *Stats) { visits++; sum += s.Link.Value[RxBytes] }
	defer cpuTime(b)()
	for b.Loop() {
		visits = 0
		if err := c.Stats(b.Context(), visit); err != nil {
			b.Fatal(err)
		}
	}
	wantDevices(b, visits)
}

func BenchmarkStatsOf(b *testing.B) {
	enterBench(b)
	c := dial(b)
	var indexes []int
	for _, link := range readLinks(b, c) {
		indexes = append(indexes, link.Index)
	}
	var visits int
	visit := func(*Stats) { visits++ }
	failed := func(index int, err error) { b.Errorf("device %d: %v", index, err) }
	defer cpuTime(b)()
	for b.Loop() {
		visits = 0
		if err := c.StatsOf(b.Context(), indexes, visit, failed); err != nil {
			b.Fatal(err)
		}
	}
	wantDevices(b, visits)
}

func BenchmarkLinks(b *testing.B) {
	enterBench(b)
	c := dial(b)
	var visits int
	visit := func(Link) { visits++ }
	defer cpuTime(b)()
	for b.Loop() {
		visits = 0
		if err := c.Links(b.Context(), visit); err != nil {
			b.Fatal(err)
		}
	}
	wantDevices(b, visits)
}

// BenchmarkPeerLinkList is what exporters commonly read links and counters with.
func BenchmarkPeerLinkList(b *testing.B) {
	enterBench(b)
	handle, err := netlink.NewHandle(unix.NETLINK_ROUTE)
	if err != nil {
		b.Fatal(err)
	}
	defer handle.Close()
	var visits int
	defer cpuTime(b)()
	for b.Loop() {
		links, err := handle.LinkList()
		if err != nil {
			b.Fatal(err)
		}
		visits = len(links)
	}
	wantDevices(b, visits)
}

func wantDevices(b *testing.B, visits int) {
	b.Helper()
	if visits != benchDevices {
		b.Errorf("%d devices, want %d", visits, benchDevices)
	}
}
