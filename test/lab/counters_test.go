//go:build lab

package lab

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpu-exporter/dpu-exporter/test/lab/world"
)

// TestCounters has what the program says of the counters of one software DPU.
func TestCounters(t *testing.T) {
	world.WatchKernelLog(t)
	d := world.AddDPU(t, "dpu", world.DPUOptions{VFs: 2, Driver: "mlx5_core", RepDriver: "mlx5e_rep"})
	t.Run("driver", func(t *testing.T) { everyStringIsReachable(t, d) })
	t.Run("standard", func(t *testing.T) { standardGroups(t, d.Uplink(0)) })
	t.Run("module", func(t *testing.T) { moduleMeasures(t, d.Uplink(0)) })
	t.Run("failing", func(t *testing.T) { failuresHideNothing(t, d) })
	t.Run("changing", func(t *testing.T) { countsThatChange(t, d) })
	t.Run("stalled", func(t *testing.T) { stalledReadHoldsUpNoScrape(t, d) })
}

// everyStringIsReachable: each statistic of `ethtool -S` has a value of its own,
// and comes out once, curated or raw.
func everyStringIsReachable(t *testing.T, d *world.DPU) {
	for netdev, set := range map[string]func(testing.TB, ...string){
		d.Uplink(0).Netdev(): d.Uplink(0).Set, d.VF(0, 0).Netdev(): d.VF(0, 0).Set, d.VF(0, 0).Function(): d.VF(0, 0).SetFunction,
	} {
		want := map[string]float64{}
		var commands []string
		for i, name := range slices.Sorted(maps.Keys(ethtoolStats(t, netdev))) {
			want[name] = float64(1+i)*1_000_003 + 1<<33
			commands = append(commands, fmt.Sprintf("%s %d", name, uint64(want[name])))
		}
		set(t, commands...)
		e := collect(t, "--ethtool.per-queue", "--ethtool.raw-include=.*", "--interface.fields=all", "--device.include="+netdev,
			"--collector.disable-defaults", "--collector.ethtool")
		found := map[float64]int{}
		for name := range e {
			if !strings.HasPrefix(name, "dpu_collector_") {
				for _, m := range e[name].GetMetric() {
					found[m.GetGauge().GetValue()+m.GetCounter().GetValue()]++
				}
			}
		}
		delete(want, "rx_corrected_bits_phy") // the standard corrected_bits is in its place
		lost := 0
		for name, value := range want {
			if found[value]+found[value*1e-6]+found[value*0.01] == 0 && !isPortsOf(netdev, name, d) {
				t.Errorf("%s of %s, %v, is nowhere", name, netdev, value)
				lost++
			}
		}
		if len(want) < 15 || lost > 0 {
			t.Errorf("%s: %d of %d strings are lost", netdev, lost, len(want))
		}
	}
}

// isPortsOf says whether a string is the physical port's, which a function leaves
// to the port.
func isPortsOf(netdev, name string, d *world.DPU) bool {
	return netdev == d.VF(0, 0).Function() && (strings.Contains(name, "_phy") || strings.Contains(name, "prio") || strings.Contains(name, "pause"))
}

// standardGroups: what ethtool has under standard names comes from there.
func standardGroups(t *testing.T, uplink world.DPUPort) {
	uplink.Set(t, "rx_packets_phy 102", "rx_crc_errors_phy 103", "tx_bytes_phy 104", "rx_oversize_pkts_phy 112", "rx_symbol_err_phy 113",
		"rx_mac_control_phy 115", "rx_undersize_pkts_phy 117", "rx_pause_ctrl_phy 124", "tx_pause_ctrl_phy 125", "tx_pause_storm_events 140",
		"fec_corrected_blocks 126", "fec_uncorrectable_blocks 127", "rx_err_lane_0_phy 128", "rx_err_lane_1_phy 129", "rx_err_lane_2_phy 130", "rx_err_lane_3_phy 131")
	e := collect(t)
	for row, want := range map[string]float64{
		"dpu_port_receive_packets_total": 102, "dpu_port_receive_crc_errors_total": 103, "dpu_port_transmit_bytes_total": 104,
		"dpu_port_receive_oversize_total": 112, "dpu_port_receive_symbol_errors_total": 113, "dpu_port_receive_control_packets_total": 115,
		"dpu_port_receive_undersize_total": 117, "dpu_port_receive_pause_packets_total": 124, "dpu_port_transmit_pause_packets_total": 125,
		"dpu_port_fec_corrected_blocks_total": 126, "dpu_port_fec_uncorrectable_blocks_total": 127, "dpu_port_fec_corrected_errors_total": 128 + 129 + 130 + 131,
	} {
		if got := e.by(t, row, "device")[uplink.Netdev()]; got != want {
			t.Errorf("%s is %v, want %v", row, got, want)
		}
	}
	lanes := map[string]float64{}
	for _, m := range e["dpu_port_fec_lane_corrected_errors_total"].GetMetric() {
		lanes[labelsOf(m)["lane"]] = m.GetCounter().GetValue()
	}
	if diff := cmp.Diff(map[string]float64{"0": 128, "1": 129, "2": 130, "3": 131}, lanes); diff != "" {
		t.Errorf("lanes (-want +got):\n%s", diff)
	}
	if info := e.infos("dpu_port_pause_info")[uplink.Netdev()]; info["receive"] != "on" || info["transmit"] != "on" {
		t.Errorf("pause %v", info)
	}
	for device := range e.by(t, "dpu_port_receive_packets_total", "device") {
		if device != uplink.Netdev() {
			t.Errorf("%s has the counters of a port", device)
		}
	}
}

// moduleMeasures: what was set of the module comes out in base units, the limits
// and flags with it; a module of garbage is absent.
func moduleMeasures(t *testing.T, uplink world.DPUPort) {
	uplink.Set(t, "module_temperature_millidegrees 71500", "module_voltage_millivolts 3210")
	for n := range 4 {
		uplink.Set(t, fmt.Sprintf("module_rx_power_nanowatts_%d %d", n, 512300+n*100), fmt.Sprintf("module_tx_power_nanowatts_%d %d", n, 612400+n*100),
			fmt.Sprintf("module_tx_bias_microamperes_%d %d", n, 7000+n*10))
	}
	e := collect(t)
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > want*1e-6 {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	near("temperature", e.by(t, "dpu_module_temperature_celsius", "device")[uplink.Netdev()], 71.5)
	near("voltage", e.by(t, "dpu_module_voltage_volts", "device")[uplink.Netdev()], 3.21)
	near("power of lane 2", e.by(t, "dpu_module_receive_power_watts", "lane")["2"], 512.4e-6)
	near("sent power of lane 4", e.by(t, "dpu_module_transmit_power_watts", "lane")["4"], 612.7e-6)
	near("bias of lane 3", e.by(t, "dpu_module_laser_bias_amperes", "lane")["3"], 7.02e-3)
	near("high alarm", e.by(t, "dpu_module_temperature_limit_celsius", "level")["high_alarm"], 75)
	for _, m := range e["dpu_module_alarm"].GetMetric() {
		l := labelsOf(m)
		if on := m.GetGauge().GetValue() == 1; on != (l["quantity"] == "temperature" && l["level"] == "high_warning") {
			t.Errorf("alarm %v", m)
		}
	}
	if info := e.infos("dpu_module_info")[uplink.Netdev()]; info["type"] != "QSFP28" || !strings.Contains(info["vendor"], "SOFTDPU") {
		t.Errorf("module %v", info)
	}
	for _, fault := range []string{"garbage 1", "fail module_page 5"} {
		uplink.Fault(t, fault)
		if got := collect(t)["dpu_module_temperature_celsius"].GetMetric(); fault != "garbage 1" && got != nil {
			t.Errorf("%s: temperature %v", fault, got)
		}
	}
	uplink.Fault(t, "clear")
}

// failuresHideNothing: a kind of statistics that fails leaves the others.
func failuresHideNothing(t *testing.T, d *world.DPU) {
	uplink := d.Uplink(0)
	uplink.Set(t, "rx_pause_ctrl_phy 124", "rx_packets_phy 102", "rx_discards_phy 77")
	uplink.Fault(t, "fail fec 5")
	uplink.Fault(t, "fail mac 5")
	uplink.Fault(t, "fail strings 5")
	e := collect(t)
	if got := e.by(t, "dpu_port_receive_pause_packets_total", "device")[uplink.Netdev()]; got != 124 {
		t.Errorf("pause packets %v", got)
	}
	for _, row := range []string{"dpu_port_receive_packets_total", "dpu_port_receive_discards_total", "dpu_port_fec_info"} {
		if _, has := e.by(t, row, "device")[uplink.Netdev()]; has {
			t.Errorf("%s is made up", row)
		}
	}
	uplink.Fault(t, "clear")
	if got := collect(t).by(t, "dpu_port_receive_discards_total", "device")[uplink.Netdev()]; got != 77 {
		t.Errorf("after the failures: %v", got)
	}
}

// countsThatChange: the number of statistics differs at each call, and no value
// is taken for another's.
func countsThatChange(t *testing.T, d *world.DPU) {
	uplink := d.Uplink(0)
	uplink.Set(t, "rx_discards_phy 78")
	uplink.Fault(t, "more_strings 3")
	for range 3 {
		if got, has := collect(t).by(t, "dpu_port_receive_discards_total", "device")[uplink.Netdev()]; has && got != 78 {
			t.Errorf("discards %v", got)
		}
	}
	uplink.Fault(t, "clear")
}

// stalledReadHoldsUpNoScrape: a module that hangs its bus for long is read beside
// the scrapes.
func stalledReadHoldsUpNoScrape(t *testing.T, d *world.DPU) {
	d.Uplink(0).Fault(t, "stall module_page 20000")
	defer d.Uplink(0).Fault(t, "clear")
	e, err := serve(t, "--collector.disable-defaults", "--collector.module", "--collector.address", "--collector.exporter").scrape()
	if err != nil || len(e["dpu_exporter_build_info"].GetMetric()) == 0 {
		t.Errorf("a scrape beside a stalled read: %v", err)
	}
	for _, m := range e["dpu_collector_success"].GetMetric() {
		if m.GetGauge().GetValue() != 1 {
			t.Errorf("%v", m)
		}
	}
}
