//go:build lab

package lab

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpu-exporter/dpu-exporter/test/lab/world"
)

// with are the values of a family whose samples have these labels.
func (e exposition) with(family string, want labels) (values []float64) {
	for _, m := range e[family].GetMetric() {
		has := labelsOf(m)
		matches := true
		for name, value := range want {
			matches = matches && has[name] == value
		}
		if matches {
			values = append(values, m.GetGauge().GetValue()+m.GetCounter().GetValue())
		}
	}
	return values
}

// is checks that a family has one sample with these labels, of that value.
func (e exposition) is(t *testing.T, family string, with labels, want float64) {
	t.Helper()
	if got := e.with(family, with); len(got) != 1 || got[0] != want {
		t.Errorf("%s%v is %v, want %v", family, with, got, want)
	}
}

// TestDevlinkCounters has what the program says of devlink.
func TestDevlinkCounters(t *testing.T) {
	world.WatchKernelLog(t)
	d := world.AddDPU(t, "dpu", world.DPUOptions{VFs: 2})
	sf := d.AddSF(t, 0, 88)
	t.Run("health", func(t *testing.T) { devlinkHealth(t, d) })
	t.Run("versions", func(t *testing.T) { devlinkVersions(t, d) })
	t.Run("rates", func(t *testing.T) { devlinkRates(t, d) })
	t.Run("resources and parameters", func(t *testing.T) { devlinkResources(t, d) })
	t.Run("ports", func(t *testing.T) { devlinkFunction(t, sf) })
	t.Run("a port that fails", func(t *testing.T) { portThatFails(t, d) })
	t.Run("eswitch", func(t *testing.T) {
		collect(t).is(t, "dpu_devlink_eswitch_info", labels{"devlink": d.Handle(), "mode": "switchdev"}, 1)
		world.Run(t, "devlink", "port", "del", sf.DevlinkPort())
		d.SetMode(t, world.Legacy)
		collect(t).is(t, "dpu_devlink_eswitch_info", labels{"devlink": d.Handle(), "mode": "legacy"}, 1)
		d.SetMode(t, world.Switchdev)
	})
	collect(t).is(t, "dpu_devlink_info", labels{"devlink": d.Handle()}, 1)
}

func devlinkHealth(t *testing.T, d *world.DPU) {
	d.Fault(t, "fail recover 5")
	d.Report(t, "assert 0x8")
	d.PF(0).Set(t, "cq_overrun 305", "total_error_queues 301")
	e := collect(t)
	fw := labels{"devlink": d.Handle(), "devlink_port": "", "reporter": "fw"}
	e.is(t, "dpu_devlink_health_healthy", fw, 0)
	e.is(t, "dpu_devlink_health_errors_total", fw, 1)
	e.is(t, "dpu_devlink_health_recoveries_total", fw, 0)
	vnic := labels{"devlink_port": d.PF(0).DevlinkPort()}
	e.is(t, "dpu_vport_vnic_completion_queue_overruns_total", vnic, 305)
	e.is(t, "dpu_vport_vnic_error_queues", vnic, 301)
	d.Fault(t, "clear")
	world.Run(t, "devlink", "health", "recover", d.Handle(), "reporter", "fw")
	e = collect(t, "--devlink.vnic-of-representors")
	e.is(t, "dpu_devlink_health_healthy", fw, 1)
	e.is(t, "dpu_devlink_health_recoveries_total", fw, 1)
	e.is(t, "dpu_vport_vnic_completion_queue_overruns_total", labels{"devlink_port": d.VF(0, 1).DevlinkPort()}, 0)
}

// devlinkVersions: the three kinds stay apart.
func devlinkVersions(t *testing.T, d *world.DPU) {
	info := world.RunJSON[struct {
		Info map[string]struct {
			Versions map[string]map[string]string
		}
	}](t, "devlink", "-j", "dev", "info", d.Handle()).Info[d.Handle()]
	want, got := map[string]string{}, map[string]string{}
	for kind, versions := range info.Versions {
		for name, value := range versions {
			want[kind+" "+name] = value
		}
	}
	e := collect(t)
	for _, m := range e["dpu_devlink_version_info"].GetMetric() {
		l := labelsOf(m)
		got[l["type"]+" "+l["name"]] = l["version"]
	}
	if diff := cmp.Diff(want, got); diff != "" || len(want) < 4 {
		t.Errorf("versions (-devlink +program):\n%s", diff)
	}
	e.is(t, "dpu_devlink_version_pending", labels{"name": "fw"}, bit(want["running fw"] != want["stored fw"]))
}

func devlinkRates(t *testing.T, d *world.DPU) {
	world.Run(t, "devlink", "port", "function", "rate", "set", d.VF(0, 0).DevlinkPort(), "tx_share", "10mbit", "tx_max", "1000mbit")
	e := collect(t)
	port := labels{"devlink_port": d.VF(0, 0).DevlinkPort()}
	e.is(t, "dpu_devlink_rate_share_bytes_per_second", port, 1_250_000)
	e.is(t, "dpu_devlink_rate_max_bytes_per_second", port, 125_000_000)
	if got := e.with("dpu_devlink_rate_max_bytes_per_second", labels{"devlink_port": d.VF(0, 1).DevlinkPort()}); got != nil {
		t.Errorf("a rate that nobody set: %v", got)
	}
}

func devlinkResources(t *testing.T, d *world.DPU) {
	e := collect(t)
	if got := e.with("dpu_devlink_resource_size", labels{"resource": "rules"}); len(got) != 1 || got[0] == 0 {
		t.Errorf("rules: %v", got)
	}
	e.is(t, "dpu_devlink_resource_occupancy", labels{"resource": "sfs"}, 1)
	mode := world.RunJSON[struct {
		Param map[string][]struct {
			Values []struct{ Value string }
		}
	}](t, "devlink", "-j", "dev", "param", "show", d.Handle(), "name", "flow_steering_mode").Param[d.Handle()][0].Values[0].Value
	e.is(t, "dpu_devlink_param_info", labels{"param": "flow_steering_mode", "value": mode, "mode": "runtime"}, 1)
}

func devlinkFunction(t *testing.T, sf world.DPUPort) {
	port := labels{"devlink_port": sf.DevlinkPort()}
	collect(t).is(t, "dpu_devlink_port_info", labels{"devlink_port": sf.DevlinkPort(), "flavour": "pcisf", "sf": "88", "device": sf.Netdev()}, 1)
	for state, want := range map[string]float64{"active": 1, "inactive": 0} {
		world.Run(t, "devlink", "port", "function", "set", sf.DevlinkPort(), "state", state)
		collect(t).is(t, "dpu_devlink_port_function_active", port, want)
	}
}

// portThatFails: a driver that fails at one port ends the kernel's list there.
// Every port keeps its role all the same, and what is behind it its rows.
func portThatFails(t *testing.T, d *world.DPU) {
	before := collect(t).infos("dpu_interface_info")
	d.VF(0, 0).Fault(t, "fail function 5")
	defer d.VF(0, 0).Fault(t, "clear")
	e := collect(t)
	for device, info := range e.infos("dpu_interface_info") {
		if info["role"] != before[device]["role"] {
			t.Errorf("%s is %s, was %s", device, info["role"], before[device]["role"])
		}
	}
	for _, p := range []world.DPUPort{d.Uplink(0), d.PF(0), d.VF(0, 1)} {
		e.is(t, "dpu_devlink_port_info", labels{"devlink_port": p.DevlinkPort(), "device": p.Netdev()}, 1)
	}
}

// TestTrapCounters: traps and groups as devlink(8) has them, of a device that
// makes packets up.
func TestTrapCounters(t *testing.T) {
	n := world.AddNIC(t, 1, 1)
	world.Run(t, "ip", "link", "set", n.Physical(t)[0], "up")
	world.Await(t, "traps have packets", func() bool { return n.Traps(t)["fid_miss"].Stats.Rx.Packets >= 5 })
	world.Run(t, "ip", "link", "set", n.Physical(t)[0], "down")
	traps, groups := n.Traps(t), n.TrapGroups(t)
	e := collect(t)
	for name, trap := range traps {
		with := labels{"devlink": n.Handle(), "trap": name}
		e.is(t, "dpu_devlink_trap_packets_total", with, float64(trap.Stats.Rx.Packets))
		e.is(t, "dpu_devlink_trap_bytes_total", with, float64(trap.Stats.Rx.Bytes))
		e.is(t, "dpu_devlink_trap_info", labels{"trap": name, "group": trap.Group, "type": trap.Type, "action": trap.Action}, 1)
	}
	for name, group := range groups {
		e.is(t, "dpu_devlink_trap_group_packets_total", labels{"devlink": n.Handle(), "group": name}, float64(group.Stats.Rx.Packets))
	}
	if len(traps) < 10 || traps["fid_miss"].Stats.Rx.Packets == 0 {
		t.Errorf("%d traps", len(traps))
	}
	if got := e.with("dpu_devlink_trap_dropped_total", labels{"trap": "tail_drop"}); len(got) != 1 || fmt.Sprint(got[0]) == "0" {
		t.Errorf("drops %v", got)
	}
}
