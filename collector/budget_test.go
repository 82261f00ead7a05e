package collector

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/collector/driver"
	"github.com/dpu-exporter/dpu-exporter/internal/devlink"
	"github.com/dpu-exporter/dpu-exporter/internal/ethtool"
	"github.com/dpu-exporter/dpu-exporter/internal/rtnl"
	"github.com/dpu-exporter/dpu-exporter/inventory"
)

const (
	budget       = 6000 // series of a DPU by default
	budgetPorts  = 2
	budgetVFs    = 128
	budgetQueues = 64
)

// bigDPU is a DPU with two ports, each with 64 queues, and the representors of
// 128 VFs.
func bigDPU() (*inventory.Snapshot, fakeNIC, *fakeStats, fakeDevlink, fakeVFs, fakeSettings) {
	var devices []*inventory.Device
	nic, stats, dev := fakeNIC{}, &fakeStats{}, fakeDevlink{}
	vfs, settings := fakeVFs{}, fakeSettings{}
	counted := make([]uint64, rtnl.NumFields)
	add := func(d *inventory.Device) {
		d.Index, d.Up, d.Carrier, d.OperState = len(devices)+1, true, new(true), "up"
		d.CarrierChanges, d.CarrierUps, d.CarrierDowns = new(uint32(1)), new(uint32(1)), new(uint32(1))
		devices = append(devices, d)
		stats.stats = append(stats.stats, statsOf{Index: d.Index, Link: counted, SlowPath: counted})
		settings[d.Index] = &settingsOf{Features: &ethtool.Features{offloadFeature: true, "rx-gro": true, "rx-lro": false, "rx-checksum": true}}
	}
	for p := range budgetPorts {
		handle := fmt.Sprintf("pci/0000:03:00.%d", p)
		d := &devlinkOf{Info: &devlink.Info{Driver: "mlx5_core"}, Eswitch: &devlink.EswitchSettings{Mode: devlink.Switchdev}}
		dev[handle] = d
		port := func(index int) string {
			d.Ports = append(d.Ports, devlink.Port{Index: uint32(index), FunctionState: new(uint8(1)), FunctionOperState: new(uint8(1))})
			return fmt.Sprintf("%s/%d", handle, index)
		}
		name := fmt.Sprintf("p%d", p)
		add(&inventory.Device{Name: name, Role: inventory.Uplink, Driver: "mlx5_core", PCI: handle[4:], DevlinkPort: port(0), RDMADevice: "mlx5_0"})
		nic[name] = stringsOf("mlx5_core")
		of := &vfsOf{}
		vfs[len(devices)] = of
		for v := range budgetVFs / budgetPorts {
			add(&inventory.Device{Name: fmt.Sprintf("pf%dvf%d", p, v), Role: inventory.VFRepresentor, Driver: "mlx5_core", PCI: handle[4:], DevlinkPort: port(1 + v)})
			nic[devices[len(devices)-1].Name] = stringsOf("mlx5e_rep")
			of.VFs = append(of.VFs, rtnl.VF{Number: uint32(v), SpoofCheck: new(true), Trusted: new(false), Stats: &rtnl.VFStats{RxBytes: 1, HasDrops: true}})
		}
	}
	return inventory.NewSnapshot(devices, 0), nic, stats, dev, vfs, settings
}

// stringsOf are all statistics that the table of a driver knows, those of rings
// for each queue.
func stringsOf(name string) *nicStatistics {
	n := &nicStatistics{driver: name}
	repeat := map[string]int{"{queue}": budgetQueues, "{priority}": 8, "{lane}": 4}
	for _, e := range driver.TableOf(name).Entries {
		times, word := 1, ""
		for w, count := range repeat {
			if strings.Contains(e.String, w) {
				times, word = count, w
			}
		}
		for i := range times {
			text := e.String
			if word != "" {
				text = strings.Replace(text, word, strconv.Itoa(i), 1)
			}
			n.names = append(n.names, text)
			n.values = append(n.values, 1)
		}
	}
	return n
}

// TestSeriesBudgetOfADPU: what the collectors that grow with ports, VFs and queues
// export by default. The rest of the budget is for the others, which are a few
// dozen series for each port and up to two addresses for each interface.
func TestSeriesBudgetOfADPU(t *testing.T) {
	inv, nic, stats, dev, vfs, settings := bigDPU()
	total := 0
	for _, c := range []Collector{
		NewInterface(InterfaceOptions{Fields: AutoFields, Stats: stats, Refresh: stats, LinkModes: fakeModes{}}),
		NewEthtool(EthtoolOptions{Statistics: nic, StandardError: errUnsupported("none here")}),
		NewLink(LinkOptions{Settings: settings}),
		NewDevlink(DevlinkOptions{Devices: dev, Diagnoses: dev}),
		NewSRIOV(SRIOVOptions{Config: vfs, Stats: vfs, Counts: vfs}),
	} {
		n := 0
		for line := range strings.Lines(exposition(t, c, inv)) {
			if !strings.HasPrefix(line, "#") {
				n++
			}
		}
		t.Logf("%s: %d series", c.Name(), n)
		total += n
	}
	const others = 500
	if total > budget-others || len(nic["p0"].names) < 1000 {
		t.Errorf("%d series of %d statistics a port; want at most %d", total, len(nic["p0"].names), budget-others)
	}
}
