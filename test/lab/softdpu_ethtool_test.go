//go:build lab

package lab

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpu-exporter/dpu-exporter/test/lab/world"
)

// TestSoftDPUEthtool has what ethtool(8) shows of one DPU.
func TestSoftDPUEthtool(t *testing.T) {
	world.WatchKernelLog(t)
	d := world.AddDPU(t, "dpu", world.DPUOptions{VFs: 1, Driver: "mlx5_core", RepDriver: "mlx5e_rep"})
	uplink, vf := d.Uplink(0), d.VF(0, 0)
	uplinkHas := []string{
		"rx_packets_phy", "tx_bytes_phy", "rx_crc_errors_phy", "rx_discards_phy", "tx_pause_ctrl_phy", "link_down_events_phy",
		"rx_out_of_buffer", "rx_steer_missed_packets", "rx_prio3_packets", "tx_prio7_pause", "rx_prio0_buf_discard",
		"rx_vport_unicast_bytes", "rx_err_lane_3_phy", "rx_1024_to_1518_bytes_phy", "rx0_packets", "tx3_dropped",
	}
	t.Run("uplink", func(t *testing.T) { checkStrings(t, uplink.Netdev(), "mlx5_core", uplink.Set, uplinkHas...) })
	t.Run("representor", func(t *testing.T) {
		checkStrings(t, vf.Netdev(), "mlx5e_rep", vf.Set, "rx_packets", "vport_rx_packets", "vport_tx_bytes", "vport_loopback_packets",
			"rx_vport_rdma_unicast_packets", "rx_vport_out_of_buffer")
	})
	t.Run("function", func(t *testing.T) {
		checkStrings(t, vf.Function(), "mlx5_core", vf.SetFunction, "rx_out_of_buffer", "tx_vport_broadcast_packets", "rx1_bytes", "tx2_cqe_err")
	})
	t.Run("standard", func(t *testing.T) { checkStandard(t, uplink) })
	t.Run("module", func(t *testing.T) { checkModule(t, uplink) })
}

// checkStrings gives each string that ethtool -S shows of a netdev a value of
// its own, and checks that it shows that.
func checkStrings(t *testing.T, netdev, driver string, set func(testing.TB, ...string), has ...string) {
	t.Helper()
	if out := world.Run(t, "ethtool", "-i", netdev); !strings.Contains(out, "driver: "+driver+"\n") {
		t.Errorf("driver of %s: %s", netdev, out)
	}
	names := slices.Sorted(maps.Keys(ethtoolStats(t, netdev)))
	for _, name := range has {
		if !slices.Contains(names, name) {
			t.Errorf("%s has no %s", netdev, name)
		}
	}
	want := map[string]uint64{}
	var commands []string
	for i, name := range names {
		want[name] = uint64(1+i)*1_000_003 + 1<<33
		commands = append(commands, fmt.Sprintf("%s %d", name, want[name]))
	}
	set(t, commands...)
	if diff := cmp.Diff(want, ethtoolStats(t, netdev)); diff != "" {
		t.Errorf("ethtool -S %s (-want +got):\n%s", netdev, diff)
	}
}

// ethtoolStats is what ethtool -S shows of a netdev; a name that is there twice
// fails the test.
func ethtoolStats(t *testing.T, netdev string) map[string]uint64 {
	t.Helper()
	all := map[string]uint64{}
	for line := range strings.Lines(world.Run(t, "ethtool", "-S", netdev)) {
		name, value, found := strings.Cut(strings.TrimSpace(line), ": ")
		if !found {
			continue // the heading
		}
		if _, twice := all[name]; twice {
			t.Errorf("%s of %s is there twice", name, netdev)
		}
		var n uint64
		if _, err := fmt.Sscan(value, &n); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		all[name] = n
	}
	return all
}

// checkStandard gives each counter of the standard groups a value of its own,
// and finds it where IEEE 802.3 clause 30 and RFC 2819 have it.
func checkStandard(t *testing.T, uplink world.DPUPort) {
	uplink.Set(t, "tx_packets_phy 101", "rx_packets_phy 102", "rx_crc_errors_phy 103", "tx_bytes_phy 104", "rx_bytes_phy 105",
		"tx_multicast_phy 106", "tx_broadcast_phy 107", "rx_multicast_phy 108", "rx_broadcast_phy 109", "rx_in_range_len_errors_phy 110",
		"rx_out_of_range_len_phy 111", "rx_oversize_pkts_phy 112", "rx_symbol_err_phy 113", "tx_mac_control_phy 114",
		"rx_mac_control_phy 115", "rx_unsupported_op_phy 116", "rx_undersize_pkts_phy 117", "rx_fragments_phy 118", "rx_jabbers_phy 119",
		"rx_pause_ctrl_phy 124", "tx_pause_ctrl_phy 125", "fec_corrected_blocks 126", "fec_uncorrectable_blocks 127",
		"rx_err_lane_0_phy 128", "rx_err_lane_1_phy 129", "rx_err_lane_2_phy 130", "rx_err_lane_3_phy 131")
	lengths := []string{"0-64", "65-127", "128-255", "256-511", "512-1023", "1024-1518", "1519-2047", "2048-4095", "4096-8191", "8192-10239"}
	for i, length := range lengths {
		uplink.Set(t, fmt.Sprintf("tx_hist_phy_%d %d", i, 200+i), fmt.Sprintf("rx_%s_bytes_phy %d", strings.Replace(strings.TrimPrefix(length, "0-"), "-", "_to_", 1), 220+i))
	}
	text := world.Run(t, "ethtool", "--json", "-S", uplink.Netdev(), "--groups", "eth-mac", "eth-phy", "eth-ctrl", "rmon") +
		world.Run(t, "ethtool", "--json", "-I", "-a", uplink.Netdev()) + world.Run(t, "ethtool", "--json", "-I", "--show-fec", uplink.Netdev())
	got := numbers(t, text)
	for i, length := range lengths {
		if tx, rx := got["tx-pktsNtoM["+length+"]"], got["rx-pktsNtoM["+length+"]"]; tx != float64(200+i) || rx != float64(220+i) {
			t.Errorf("of length %s %v were sent and %v received, want %d and %d", length, tx, rx, 200+i, 220+i)
		}
	}
	for name, want := range map[string]float64{
		"FramesTransmittedOK": 101, "FramesReceivedOK": 102, "FrameCheckSequenceErrors": 103, "OctetsTransmittedOK": 104,
		"OctetsReceivedOK": 105, "MulticastFramesXmittedOK": 106, "BroadcastFramesXmittedOK": 107, "MulticastFramesReceivedOK": 108,
		"BroadcastFramesReceivedOK": 109, "InRangeLengthErrors": 110, "OutOfRangeLengthField": 111, "FrameTooLongErrors": 112,
		"SymbolErrorDuringCarrier": 113, "MACControlFramesTransmitted": 114, "MACControlFramesReceived": 115,
		"UnsupportedOpcodesReceived": 116, "etherStatsUndersizePkts": 117, "etherStatsFragments": 118, "etherStatsJabbers": 119,
		"etherStatsOversizePkts": 112, "corrected_bits": 128 + 129 + 130 + 131,
		"corrected_bits lane 0": 128, "corrected_bits lane 1": 129, "corrected_bits lane 2": 130, "corrected_bits lane 3": 131,
		"rx_pause_frames": 124, "tx_pause_frames": 125, "corrected_blocks": 126, "uncorrectable_blocks": 127,
	} {
		if got[name] != want {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}

// numbers are all numbers of several JSON texts by name; of histograms by the
// group and the range.
func numbers(t *testing.T, texts string) map[string]float64 {
	t.Helper()
	all := map[string]float64{}
	for decoder := json.NewDecoder(strings.NewReader(texts)); decoder.More(); {
		var value any
		if err := decoder.Decode(&value); err != nil {
			t.Fatalf("%v in %s", err, texts)
		}
		gather(all, "", value)
	}
	return all
}

func gather(all map[string]float64, name string, value any) {
	switch v := value.(type) {
	case float64:
		all[name] = v
	case []any:
		for _, each := range v {
			gather(all, name, each)
		}
	case map[string]any:
		if low, isRange := v["low"]; isRange {
			all[fmt.Sprintf("%s[%v-%v]", name, low, v["high"])], _ = v["val"].(float64)
			return
		}
		if total, has := v["total"].(float64); has {
			all[name] = total
			lanes, _ := v["lanes"].([]any)
			for n, lane := range lanes {
				gather(all, fmt.Sprint(name, " lane ", n), lane)
			}
			return
		}
		for key, each := range v {
			gather(all, key, each)
		}
	}
}

// checkModule: the module tells the temperature and power that were set, until
// its pages make no sense.
func checkModule(t *testing.T, uplink world.DPUPort) {
	uplink.Set(t, "module_temperature_millidegrees 71500", "module_voltage_millivolts 3210")
	want := []string{"QSFP28", "SOFTDPU", `71\.50 degrees C`, `: 3\.2100 V`, `850\.0000nm`, "100G Base-SR4"}
	for n := range 4 {
		uplink.Set(t, fmt.Sprintf("module_rx_power_nanowatts_%d %d", n, 512300+n*100), fmt.Sprintf("module_tx_power_nanowatts_%d %d", n, 612400+n*100),
			fmt.Sprintf("module_tx_bias_microamperes_%d %d", n, 7000+n*10))
		want = append(want, fmt.Sprintf(`(?m)^\s*Rcvr .*power.*Channel %d\).*: 0\.%d mW`, n+1, 5123+n),
			fmt.Sprintf(`(?m)^\s*(Transmit|Laser tx) .*power.*Channel %d\).*: 0\.%d mW`, n+1, 6124+n),
			fmt.Sprintf(`(?m)^\s*Laser tx bias.*Channel %d\).*: 7\.0%d0 mA`, n+1, n))
	}
	out := world.Run(t, "ethtool", "-m", uplink.Netdev())
	for _, w := range want {
		if !regexp.MustCompile(w).MatchString(out) {
			t.Errorf("the module does not tell %q", w)
		}
	}
	uplink.Fault(t, "garbage 1")
	if out, err := world.Try(t, "ethtool", "-m", uplink.Netdev()); err == nil && strings.Contains(out, "SOFTDPU") {
		t.Error("garbage has the vendor's name")
	}
	uplink.Fault(t, "fail module_page 5")
	if _, err := world.Try(t, "ethtool", "-m", uplink.Netdev()); err == nil || !strings.Contains(err.Error(), "Input/output error") {
		t.Errorf("a page that cannot be read: %v", err)
	}
	uplink.Fault(t, "clear")
	if t.Failed() {
		t.Log(out)
	}
}
