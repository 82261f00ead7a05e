//go:build lab

package lab

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// what fault.c of the module can make stall or fail
var (
	stormPortReads = []string{"strings", "stats", "link", "module_page", "pause", "fec", "mac", "phy", "ctrl", "rmon",
		"cpu_hit", "vf_config", "vf_stats", "function", "representor", "rule"}
	stormDeviceReads = []string{"info", "diagnose", "dump", "recover", "resource", "param", "mode"}
)

// breakers set faults and take them away soon.
func (s *storm) breakers() []actor {
	return []actor{
		{"faults", 2, 100 * time.Millisecond, []operation{
			{"fault port", faultPort}, {"fault device", faultDevice}, {"fault link", faultLink}, {"faults clear", clearFaults},
		}},
		{"counters", 1, 50 * time.Millisecond, []operation{{"counter set", setCounter}, {"health report", report}}},
	}
}

const stormFiles = "/sys/kernel/debug/softdpu/"

// anyFile is a file of a port that is there.
func anyFile(r *rand.Rand, name string) string {
	all, _ := filepath.Glob(stormFiles + "st?/*/" + name)
	if len(all) == 0 {
		return stormFiles + "st0/p0/" + name
	}
	return oneOf(r, all)
}

// stallOrFail is a fault of a read. A stall may hold the rtnl, and all others.
func stallOrFail(r *rand.Rand, read string) string {
	if r.IntN(3) > 0 {
		return fmt.Sprintf("fail %s %d", read, oneOf(r, []unix.Errno{unix.EIO, unix.ETIMEDOUT, unix.EBUSY, unix.EOPNOTSUPP, unix.ENOMEM}))
	}
	most := 200
	if read == "vf_config" || read == "vf_stats" { // once for each VF
		most = 10
	}
	return fmt.Sprintf("stall %s %d", read, 1+r.IntN(most))
}

// faultPort and faultDevice have a fault for a moment.
func faultPort(r *rand.Rand) error {
	fault := stallOrFail(r, oneOf(r, stormPortReads))
	if r.IntN(2) == 0 {
		fault = oneOf(r, []string{"garbage 1", "stale 1", fmt.Sprintf("strings %d", r.IntN(1000)), fmt.Sprintf("more_strings %d", r.IntN(1000))})
	}
	return faultFor(r, anyFile(r, "fault"), fault)
}

func faultDevice(r *rand.Rand) error {
	return faultFor(r, stormFiles+anyDPU(r).Name+"/fault", stallOrFail(r, oneOf(r, stormDeviceReads)))
}

func faultFor(r *rand.Rand, file, fault string) error {
	if err := writeTo(file, fault); err != nil {
		return err
	}
	pause(r, 200*time.Millisecond)
	return writeTo(file, "clear")
}

func faultLink(r *rand.Rand) error {
	return writeTo(anyFile(r, "fault"), "link", oneOf(r, []string{"down", "up", "up"}))
}

func clearFaults(r *rand.Rand) error { return writeTo(anyFile(r, "fault"), "clear") }

func setCounter(r *rand.Rand) error {
	file := anyFile(r, oneOf(r, []string{"counters", "function"}))
	return writeTo(file, fmt.Sprintf("rx_crc_errors_phy %d\nmodule_temperature_millidegrees -%d\nvport_rx_bytes +%d\nspeed_megabits %d\nlanes %d\next_state %d",
		r.Uint64(), r.IntN(1e6), r.Uint64(), r.Uint32(), r.IntN(100), r.IntN(100)))
}

func report(r *rand.Rand) error {
	return writeTo(stormFiles+anyDPU(r).Name+"/fw/report", "message", r.IntN(100))
}
