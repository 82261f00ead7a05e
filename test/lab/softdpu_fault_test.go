//go:build lab

package lab

import (
	encoding "encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/dpu-exporter/dpu-exporter/test/lab/world"
)

// TestSoftDPUFaults: what is told to go wrong does, for those who read it, and
// no longer when it is cleared.
func TestSoftDPUFaults(t *testing.T) {
	world.WatchKernelLog(t)
	d := world.AddDPU(t, "dpu", world.DPUOptions{VFs: 1})
	peer := world.AddDPU(t, "peer", world.DPUOptions{})
	world.WirePorts(t, d.Uplink(0), peer.Uplink(0))
	world.Batch(t, "ip", "link set dpup0 up\nlink set peerp0 up\n")
	t.Run("failing", func(t *testing.T) { failingReads(t, d, peer) })
	t.Run("stalled", func(t *testing.T) { stalledRead(t, d) })
	t.Run("strings", func(t *testing.T) { changingStrings(t, d) })
	t.Run("stale", func(t *testing.T) { staleStatistics(t, d) })
	t.Run("link", func(t *testing.T) { flappingLink(t, d, peer) })
	t.Run("removal", func(t *testing.T) { removalUnderReaders(t, d) })
}

// failingReads: a read fails with the error that it was told to, and the program
// has nothing of a device whose driver fails, and all of the others.
func failingReads(t *testing.T, d, peer *world.DPU) {
	uplink := d.Uplink(0)
	uplink.Fault(t, "fail link 5\nfail strings 16")
	d.Fault(t, "fail info 71\nfail param 71")
	for _, command := range [][]string{ // the last is what it says
		{"ethtool", "-S", uplink.Netdev(), "no stats available"},
		{"devlink", "dev", "info", d.Handle(), "Protocol error"},
		{"devlink", "dev", "param", "show", d.Handle(), "name", "flow_steering_mode", "Protocol error"},
	} {
		last := len(command) - 1
		if out, err := world.Try(t, command[0], command[1:last]...); err == nil || !strings.Contains(err.Error(), command[last]) {
			t.Errorf("%v: %q, %v", command[:last], out, err)
		}
	}
	if text, err := os.ReadFile("/sys/class/net/" + uplink.Netdev() + "/speed"); err == nil {
		t.Errorf("the speed is %q of a link that cannot be read", text)
	}
	uplink.Fault(t, "clear")
	d.Fault(t, "clear")
	world.Run(t, "ethtool", "-S", uplink.Netdev())
	if mbits := number(t, "/sys/class/net/"+uplink.Netdev()+"/speed"); mbits != 100_000 {
		t.Errorf("the speed is %v", mbits)
	}
	failingStatistics(t, d)

	d.VF(0, 0).Fault(t, "fail cpu_hit 5")
	const slowPath = "dpu_offload_slow_path_receive_packets_total"
	e := collect(t)
	if slow := e.by(t, slowPath, "device"); len(slow) != 4 || slow[peer.PF(0).Netdev()] != 0 {
		t.Errorf("the slow path but that of %s: %v", d.VF(0, 0).Netdev(), slow)
	}
	if _, told := e.by(t, slowPath, "device")[d.VF(0, 0).Netdev()]; told {
		t.Error("a slow path that cannot be read is told")
	}
	if failures := e.failures(); len(failures) != 1 || !strings.Contains(failures[0], "broken") {
		t.Errorf("failures: %q", failures)
	}
	d.VF(0, 0).Fault(t, "clear")
	if slow := collect(t).by(t, slowPath, "device"); len(slow) != 5 {
		t.Errorf("the slow path of %v", slow)
	}
}

// TestSoftDPURefusals: what makes no sense is refused as a whole, and nothing is
// made of the part of it that does.
func TestSoftDPURefusals(t *testing.T) {
	world.WatchKernelLog(t)
	world.AddDPU(t, "dpu", world.DPUOptions{VFs: 1})
	world.AddDPU(t, "peer", world.DPUOptions{})
	const bus, debugfs = "/sys/bus/softdpu/", "/sys/kernel/debug/softdpu/dpu/"
	for file, texts := range map[string][]string{
		bus + "new_device": {
			"", "new", "new 1", "new 0 1", "new 5 1", "new 1 129", "new 1 128x", "new 1x 1", "new 1 1 2", "new 1 1 0 driver rep more",
			"new012 2", "new001 2 1", "NEW 1 1", "n/w 1 1",
		},
		bus + "wire":             {"dpu 0", "dpu 0 dpu 0", "dpu 0 peer 0 more", "dpu 0x peer 0", "dpu 0 peer"},
		debugfs + "fault":        {"fail stats 5", "fail resource 5", "link down", "fail info", "fail info EIO"},
		debugfs + "p0/fault":     {"fail function 5", "fail info 5", "fail stats -5", "fail stats 0", "stall stats 60001", "garbage 2", "nonsense 1"},
		debugfs + "pf0vf0/fault": {"fail vf_config 5", "fail module_page 5", "garbage 1"},
	} {
		for _, text := range texts {
			if err := os.WriteFile(file, []byte(text+"\n"), 0o600); !errors.Is(err, unix.EINVAL) {
				t.Errorf("%q to %s: %v", text, file, err)
			}
		}
	}
	if ports := world.Ports(t); len(ports) != 3+2 {
		t.Errorf("there are the ports %+v", ports)
	}
}

// failingStatistics: what a group of statistics has is not told while it fails,
// reads of devlink and of FEC fail as they were told to, and VFs are not listed.
func failingStatistics(t *testing.T, d *world.DPU) {
	t.Helper()
	uplink, handle := d.Uplink(0), d.Handle()
	for op, c := range map[string]struct {
		command string
		name    string // of a number that is told, or else ""
	}{
		"mac":      {"ethtool --json -S " + uplink.Netdev() + " --groups eth-mac", "FramesTransmittedOK"},
		"phy":      {"ethtool --json -S " + uplink.Netdev() + " --groups eth-phy", "SymbolErrorDuringCarrier"},
		"ctrl":     {"ethtool --json -S " + uplink.Netdev() + " --groups eth-ctrl", "MACControlFramesReceived"},
		"rmon":     {"ethtool --json -S " + uplink.Netdev() + " --groups rmon", "etherStatsJabbers"},
		"pause":    {"ethtool --json -I -a " + uplink.Netdev(), "rx_pause_frames"},
		"fec":      {"ethtool --json -I --show-fec " + uplink.Netdev(), ""},
		"diagnose": {"devlink health diagnose " + handle + " reporter fw", ""},
		"dump":     {"devlink health dump show " + handle + " reporter fw", ""},
		"mode":     {"devlink dev eswitch show " + handle, ""},
	} {
		set := uplink.Fault
		if strings.HasPrefix(c.command, "devlink") {
			set = d.Fault
		}
		words := strings.Fields(c.command)
		set(t, "fail "+op+" 5")
		out, err := world.Try(t, words[0], words[1:]...)
		refused := err != nil && strings.Contains(err.Error(), "Input/output error")
		if c.name == "" && !refused || c.name != "" && (err != nil || strings.Contains(out, c.name)) {
			t.Errorf("%s fails: %q, %v", op, out, err)
		}
		set(t, "clear")
		if out := world.Run(t, words[0], words[1:]...); c.name != "" && !strings.Contains(out, c.name) {
			t.Errorf("%s is mended, and tells no %s: %s", op, c.name, out)
		}
	}
	uplink.Fault(t, "fail vf_config 5")
	if n := len(world.VFs(t, uplink.Netdev())); n != 0 {
		t.Errorf("%d VFs whose configuration cannot be read are listed", n)
	}
	uplink.Fault(t, "clear")
	if n := len(world.VFs(t, uplink.Netdev())); n != 1 {
		t.Errorf("%d VFs", n)
	}
}

// stalledRead: who reads waits; whoever asks for something else that needs no
// rtnl has it meanwhile.
func stalledRead(t *testing.T, d *world.DPU) {
	uplink := d.Uplink(0)
	const stall = 3 * time.Second // enough for a busy machine to see it
	uplink.Fault(t, fmt.Sprintf("stall stats %d", stall.Milliseconds()))
	ended, began := make(chan time.Time, 1), time.Now()
	go func() {
		_, _ = world.Try(t, "ethtool", "-S", uplink.Netdev())
		ended <- time.Now()
	}()
	world.Await(t, "ethtool waits in the module", func() bool { return waits("sd_fault") })
	uplink.Counters(t)
	meanwhile := time.Now()
	if end := <-ended; end.Before(meanwhile) || end.Sub(began) < stall {
		t.Errorf("the stalled read took %v, and ended before one that began later: %v", end.Sub(began), end.Before(meanwhile))
	}
	uplink.Fault(t, "clear")
}

// waits says whether a process waits in a function of the kernel (proc_pid_stack).
func waits(function string) bool {
	stacks, _ := filepath.Glob("/proc/[0-9]*/stack")
	for _, path := range stacks {
		if text, _ := os.ReadFile(path); strings.Contains(string(text), function) {
			return true
		}
	}
	return false
}

// changingStrings: the number of strings is another at every second count, and
// ethtool, which counts and then reads, gets nothing it could mistake.
func changingStrings(t *testing.T, d *world.DPU) {
	uplink := d.Uplink(0)
	before := len(ethtoolStats(t, uplink.Netdev()))
	uplink.Fault(t, "more_strings 3")
	if n := len(ethtoolStats(t, uplink.Netdev())); n != before+3 {
		t.Errorf("%d strings, then %d with three more", before, n)
	}
	uplink.Fault(t, "clear\nstrings 3")
	if a, b, c := countStrings(t, uplink.Netdev()), countStrings(t, uplink.Netdev()), countStrings(t, uplink.Netdev()); max(a, b) != before+3 || min(a, b) != before || c != a {
		t.Errorf("%d strings are counted as %d, %d, %d", before, a, b, c)
	}
	out, err := world.Try(t, "ethtool", "-S", uplink.Netdev())
	if err == nil && strings.Count(out, "\n") > before+4 {
		t.Errorf("strings that change: %s", out)
	}
	uplink.Fault(t, "clear")
}

// countStrings is how many strings of statistics the driver says that it has
// (ETHTOOL_GSSET_INFO).
func countStrings(t *testing.T, netdev string) int {
	t.Helper()
	const getSetInfo, ofStatistics = 0x37, 1 // linux/ethtool.h
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(socket)
	info := make([]byte, 20) // struct ethtool_sset_info with one count
	encoding.NativeEndian.PutUint32(info, getSetInfo)
	encoding.NativeEndian.PutUint64(info[8:], 1<<ofStatistics)
	if err := ethtoolIoctl(socket, netdev, info); err != nil {
		t.Fatal(err)
	}
	return int(encoding.NativeEndian.Uint32(info[16:]))
}

// staleStatistics: a read tells what was so at the one before.
func staleStatistics(t *testing.T, d *world.DPU) {
	uplink := d.Uplink(0)
	read := func() uint64 { return ethtoolStats(t, uplink.Netdev())["rx_discards_phy"] }
	uplink.Set(t, "rx_discards_phy 50")
	fresh := read()
	uplink.Fault(t, "stale 1")
	uplink.Set(t, "rx_discards_phy 60")
	if first, second := read(), read(); fresh != 50 || first != 50 || second != 60 {
		t.Errorf("discards %d, stale %d, then %d; want 50, 50, 60", fresh, first, second)
	}
	uplink.Fault(t, "clear")

	vf := d.VF(0, 0) // and stats64, of which this file is one read
	file := "/sys/class/net/" + vf.Netdev() + "/statistics/rx_packets"
	vf.Set(t, "vport_rx_packets 50")
	before := number(t, file)
	vf.Fault(t, "stale 1")
	vf.Set(t, "vport_rx_packets 60")
	if first, second := number(t, file), number(t, file); before != 50 || first != 50 || second != 60 {
		t.Errorf("packets %v, stale %v, then %v; want 50, 50, 60", before, first, second)
	}
	vf.Set(t, "rx_packets 70") // the slow path is software's own, and never stale
	if slow := cpuHits(t)[vf.Netdev()]["rx packets"]; slow != 70 {
		t.Errorf("the slow path has %v packets, not 70", slow)
	}
	vf.Fault(t, "clear")
}

// flappingLink: a link that goes down is down at both ends, and counted.
func flappingLink(t *testing.T, d, peer *world.DPU) {
	uplink := d.Uplink(0)
	before := ethtoolStats(t, uplink.Netdev())["link_down_events_phy"]
	carrier := func(p world.DPUPort) string {
		text, _ := os.ReadFile("/sys/class/net/" + p.Netdev() + "/carrier")
		return strings.TrimSpace(string(text))
	}
	if a, b := carrier(uplink), carrier(peer.Uplink(0)); a != "1" || b != "1" {
		t.Errorf("carriers %q and %q", a, b)
	}
	uplink.Fault(t, "link down")
	if a, b := carrier(uplink), carrier(peer.Uplink(0)); a != "0" || b != "0" {
		t.Errorf("carriers %q and %q of a link that is down", a, b)
	}
	uplink.Set(t, "ext_state 1", "ext_substate 1")
	if out := world.Run(t, "ethtool", uplink.Netdev()); !strings.Contains(out, "Link detected: no (Link training failure") {
		t.Errorf("the reason is not told: %s", out)
	}
	uplink.Fault(t, "link up")
	if out := world.Run(t, "ethtool", uplink.Netdev()); !strings.Contains(out, "Speed: 100000Mb/s") || !strings.Contains(out, "Lanes: 4") || !strings.Contains(out, "200000baseSR4/Full") {
		t.Errorf("the link: %s", out)
	}
	if after := ethtoolStats(t, uplink.Netdev())["link_down_events_phy"]; after != before+1 {
		t.Errorf("%d events, then %d", before, after)
	}
	world.CutWire(t, uplink)
	if out := world.Run(t, "ethtool", uplink.Netdev()); !strings.Contains(out, "Link detected: no (No cable)") {
		t.Errorf("without a wire: %s", out)
	}
}

// removalUnderReaders: the device goes while it is read; nobody hangs, and the
// program tells of it no longer.
func removalUnderReaders(t *testing.T, d *world.DPU) {
	e := serve(t)
	if scraped, err := e.scrape(); err != nil || scraped.infos("dpu_interface_info")[d.Uplink(0).Netdev()] == nil {
		t.Fatalf("before it goes: %v", err)
	}
	d.Uplink(0).Fault(t, "stall stats 3000")
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = world.Try(t, "ethtool", "-S", d.Uplink(0).Netdev())
	}()
	world.Await(t, "ethtool waits in the module", func() bool { return waits("sd_fault") })
	d.Remove(t)
	<-ended
	world.Await(t, "the program tells of it no longer", func() bool {
		scraped, err := e.scrape()
		return err == nil && scraped.infos("dpu_interface_info")[d.Uplink(0).Netdev()] == nil
	})
}
