//go:build lab

package lab

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpu-exporter/dpu-exporter/test/lab/world"
	"github.com/dpu-exporter/dpu-exporter/test/program"
)

// counterRows ties what ip-link(8) calls a counter with -s -s -j to our row.
var counterRows = map[string]string{
	"rx bytes":            "dpu_interface_receive_bytes_total",
	"rx packets":          "dpu_interface_receive_packets_total",
	"rx errors":           "dpu_interface_receive_errors_total",
	"rx dropped":          "dpu_interface_receive_dropped_total",
	"rx over_errors":      "dpu_interface_receive_over_errors_total",
	"rx multicast":        "dpu_interface_receive_multicast_packets_total",
	"rx compressed":       "dpu_interface_receive_compressed_packets_total", // shown above 0 only
	"rx length_errors":    "dpu_interface_receive_length_errors_total",
	"rx crc_errors":       "dpu_interface_receive_crc_errors_total",
	"rx frame_errors":     "dpu_interface_receive_frame_errors_total",
	"rx fifo_errors":      "dpu_interface_receive_fifo_errors_total",
	"rx missed_errors":    "dpu_interface_receive_missed_errors_total",
	"rx nohandler":        "dpu_interface_receive_nohandler_dropped_total", // shown above 0 only
	"rx otherhost":        "dpu_interface_receive_otherhost_dropped_total", // shown above 0 only
	"tx bytes":            "dpu_interface_transmit_bytes_total",
	"tx packets":          "dpu_interface_transmit_packets_total",
	"tx errors":           "dpu_interface_transmit_errors_total",
	"tx dropped":          "dpu_interface_transmit_dropped_total",
	"tx carrier_errors":   "dpu_interface_transmit_carrier_errors_total",
	"tx collisions":       "dpu_interface_transmit_collisions_total",
	"tx compressed":       "dpu_interface_transmit_compressed_packets_total", // shown above 0 only
	"tx aborted_errors":   "dpu_interface_transmit_aborted_errors_total",
	"tx fifo_errors":      "dpu_interface_transmit_fifo_errors_total",
	"tx window_errors":    "dpu_interface_transmit_window_errors_total",
	"tx heartbeat_errors": "dpu_interface_transmit_heartbeat_errors_total",
	"tx carrier_changes":  "dpu_interface_carrier_changes_total",
	"carrier_up_count":    "dpu_interface_carrier_up_total",   // sysfs
	"carrier_down_count":  "dpu_interface_carrier_down_total", // sysfs
}

// counters are the values of counterRows by device.
type counters map[string]map[string]float64

// ipCounters are the counters as ip(8), and for two of them sysfs, show them.
func ipCounters(t *testing.T) counters {
	t.Helper()
	all := counters{}
	for _, l := range world.RunJSON[[]struct {
		Name  string                        `json:"ifname"`
		Stats map[string]map[string]float64 `json:"stats64"`
	}](t, "ip", "-s", "-s", "-j", "link") {
		values := map[string]float64{}
		for direction, shown := range l.Stats {
			for name, value := range shown {
				if _, known := counterRows[direction+" "+name]; !known {
					t.Fatalf("ip shows a counter %s %s that the test does not know", direction, name)
				}
				values[direction+" "+name] = value
			}
		}
		for _, file := range []string{"carrier_up_count", "carrier_down_count"} {
			values[file] = number(t, "/sys/class/net/"+l.Name+"/"+file)
		}
		all[l.Name] = values
	}
	return all
}

func number(t *testing.T, file string) float64 {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	value, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// TestInterfaceCounters: every counter of every device is what ip(8) shows:
// equal while nothing moves, and between what it shows before and after while
// packets flow over linked ports, a veth and a VLAN.
func TestInterfaceCounters(t *testing.T) {
	stir(t)
	var before, after counters
	var e exposition
	world.Await(t, "no counter moves", func() bool {
		before = ipCounters(t)
		e = collect(t, "--interface.fields=all", "--collector.disable-defaults", "--collector.interface")
		after = ipCounters(t)
		return cmp.Equal(before, after)
	})
	checkCounters(t, before, e, after)
	checkState(t, e)
	for _, moved := range []string{
		"rx bytes", "rx packets", "rx errors", "rx dropped", "rx crc_errors", "rx fifo_errors", "rx multicast",
		"rx otherhost", "tx bytes", "tx packets", "tx errors", "tx dropped",
		"tx carrier_errors", "tx collisions", "tx carrier_changes", "carrier_up_count", "carrier_down_count",
	} {
		if sum(before, moved) == 0 {
			t.Errorf("no device has any %s: nothing is proven of it", moved)
		}
	}

	for _, address := range []string{"192.0.2.2", "198.51.100.2", "203.0.113.2"} {
		program.Start(t, "ping", "-q", "-i", "0.002", address)
	}
	world.Await(t, "traffic", func() bool { return sum(ipCounters(t), "rx packets") > sum(before, "rx packets")+100 })
	before = ipCounters(t)
	e = collect(t, "--interface.fields=all", "--collector.disable-defaults", "--collector.interface")
	after = ipCounters(t)
	checkCounters(t, before, e, after)
	if sum(after, "rx packets") <= sum(before, "rx packets") {
		t.Error("nothing moved meanwhile")
	}
}

// checkCounters compares what we export with what was shown before and after,
// and that each of our counters of devices was compared.
func checkCounters(t *testing.T, before counters, e exposition, after counters) {
	t.Helper()
	compared := map[string]bool{}
	for name, family := range counterRows {
		ours := e.by(t, family, "device")
		for device := range before {
			value, there := ours[device]
			if !there || value < before[device][name] || value > after[device][name] {
				t.Errorf("%s of %s is %v (%v); ip shows %v, then %v", family, device, value, there, before[device][name], after[device][name])
			}
		}
		if len(ours) != len(before) {
			t.Errorf("%s is of %d devices, not of %d", family, len(ours), len(before))
		}
		compared[family] = true
	}
	for family := range e {
		if strings.HasPrefix(family, "dpu_interface_") && strings.HasSuffix(family, "_total") && !compared[family] {
			t.Errorf("%s is not compared with anything", family)
		}
	}
}

// checkState compares the state of every device with ip(8) and sysfs. Of a
// device that is down the kernel senses no carrier, and we export none.
func checkState(t *testing.T, e exposition) {
	t.Helper()
	mtu := e.by(t, "dpu_interface_mtu_bytes", "device")
	carrier := e.by(t, "dpu_interface_carrier", "device")
	speed := e.by(t, "dpu_interface_speed_bytes_per_second", "device")
	for _, l := range links(t) {
		if mtu[l.Name] != float64(l.MTU) {
			t.Errorf("MTU of %s is %v, want %d", l.Name, mtu[l.Name], l.MTU)
		}
		checkFile(t, carrier, l.Name, "carrier", 1)
		checkFile(t, speed, l.Name, "speed", 125_000) // Mbit/s
	}
	if len(carrier) == len(mtu) || len(speed) == 0 {
		t.Errorf("%d devices have a carrier or none, and %d a speed: nothing is proven", len(carrier), len(speed))
	}
}

// checkFile compares a value of a device with a file of sysfs, which holds less
// than 0 or cannot be read where there is no value.
func checkFile(t *testing.T, values map[string]float64, device, file string, scale float64) {
	t.Helper()
	text, err := os.ReadFile("/sys/class/net/" + device + "/" + file)
	want, _ := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
	known := err == nil && want >= 0
	if got, there := values[device]; there != known || there && got != want*scale {
		t.Errorf("%s of %s is %v (%v); sysfs has %q, %v", file, device, got, there, text, err)
	}
}

func sum(c counters, name string) (total float64) {
	for _, values := range c {
		total += values[name]
	}
	return total
}
