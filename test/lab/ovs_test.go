//go:build lab

package lab

import (
	"strings"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/test/lab/world"
)

// TestOVS has all bridges that one ovs-vswitchd can: starting it is what costs.
func TestOVS(t *testing.T) {
	ovs := world.StartOVS(t, "other_config:hw-offload=true", "other_config:pmd-cpu-mask=2",
		"other_config:max-idle=120000") // ms: a flow outlives whatever a busy machine does between two packets
	t.Run("offload", func(t *testing.T) { offloadsToNIC(t, ovs) })
	t.Run("softdpu", func(t *testing.T) { softDPUWithOVS(t, ovs) })
	t.Run("vxlan", func(t *testing.T) { tunnels(t, ovs) })
	t.Run("afxdp", func(t *testing.T) { pollsAFXDP(t, ovs) })
	if _, err := ovs.TryAppctl(t, "ovs-vswitchd", "dpctl/offload-stats-show"); err == nil {
		t.Error("a kernel datapath told offload statistics")
	}
}

// offloadsToNIC: what two VFs say to each other goes through flows that tc has
// given to the NIC, and all but the first packets of a flow are counted there.
func offloadsToNIC(t *testing.T, ovs *world.OVS) {
	representors := world.AddNIC(t, 1, 2).Representors(t)
	ovs.AddBridge(t, "br-offload", "system", "", representors...)
	a := world.Namespace("").AddBehind(t, representors[0], "vf0", "10.6.0.1/24")
	b := world.Namespace("").AddBehind(t, representors[1], "vf1", "10.6.0.2/24")
	reaches(t, "VF to VF", a, b, world.Pings, world.Pings)
	reaches(t, "VF to VF once more", a, b, world.Pings, world.Pings)
	for _, way := range [][2]string{{representors[0], representors[1]}, {representors[1], representors[0]}} {
		world.Await(t, "offloaded flow from "+way[0], func() bool { // statistics follow within a second or so
			for _, f := range ovs.Flows(t, "offloaded") {
				if f.InPort == way[0] && f.EthType == "0x0800" && f.Actions == way[1] {
					return f.Datapath == "tc" && f.Offloaded == "yes" && f.Packets >= world.Pings
				}
			}
			return false
		})
	}
	if rules := world.FlowerRules(t, representors[0]); len(rules) == 0 || !rules[0].InHW {
		t.Errorf("tc rules at the representor: %+v", rules)
	}
	checkBridgeRoles(t, representors)
}

// checkBridgeRoles: the program tells the switch's own devices from the ports.
func checkBridgeRoles(t *testing.T, representors []string) {
	t.Helper()
	e := collect(t)
	info, config := e.infos("dpu_interface_info"), e.infos("dpu_interface_config_info")
	for _, name := range []string{"br-offload", "ovs-system"} {
		if info[name]["role"] != "openvswitch" || info[name]["kind"] != "openvswitch" || config[name]["master"] != "" {
			t.Errorf("%s: %v %v", name, info[name], config[name])
		}
	}
	for _, name := range representors {
		if info[name]["role"] != "vf_representor" || config[name]["master"] != "ovs-system" {
			t.Errorf("%s: %v %v", name, info[name], config[name])
		}
	}
}

// tunnels: a bridge and a plain VXLAN device of another host understand each
// other, with the same key.
func tunnels(t *testing.T, ovs *world.OVS) {
	tunnel := ovs.AddTunnel(t, "br-tunnel", 7)
	reaches(t, "through the tunnel", tunnel.Inside, tunnel.Outside, world.Pings, world.Pings)
	if flows := ovs.Flows(t, "all"); !strings.Contains(flowsText(flows), "set(tunnel(tun_id=0x7") {
		t.Errorf("no flow into the tunnel: %v", flows)
	}
	ovs.Set(t, "set", "Interface", tunnel.Port, "options:key=8")
	reaches(t, "with another key", tunnel.Inside, tunnel.Outside, 0, 0)
}

func flowsText(flows []world.DatapathFlow) string {
	var b strings.Builder
	for _, f := range flows {
		b.WriteString(f.String() + "\n")
	}
	return b.String()
}

// pollsAFXDP: a poll mode thread receives what an endpoint sends.
func pollsAFXDP(t *testing.T, ovs *world.OVS) {
	e := world.Namespace("").AddEndpoint(t, "polled", "polled", "10.7.0.1/24")
	ovs.AddBridge(t, "br-xdp", "netdev", "afxdp", "polled")
	checkPMD(t, ovs, e, ovs.Address(t, "br-xdp", "10.7.0.2/24"))
}

func TestOVSWithDPDK(t *testing.T) {
	ovs := world.StartOVSDPDK(t, "other_config:pmd-cpu-mask=2")
	e := world.Namespace("").AddEndpoint(t, "polled", "polled", "10.7.0.1/24")
	ovs.AddDPDKBridge(t, "br-dpdk", "polled")
	checkPMD(t, ovs, e, ovs.Address(t, "br-dpdk", "10.7.0.2/24"))
}

// checkPMD: the one poll mode thread is where it was put, has work and waits
// for work.
func checkPMD(t *testing.T, ovs *world.OVS, from, to world.Endpoint) {
	t.Helper()
	reaches(t, "through the userspace datapath", from, to, world.Pings, world.Pings)
	pmds := ovs.PMDs(t)
	if len(pmds) != 1 || pmds[0].Core != 1 || pmds[0].Received < world.Pings || pmds[0].IdleCycles == 0 || pmds[0].ProcessingCycles == 0 {
		t.Errorf("poll mode threads %+v after %d pings", pmds, world.Pings)
	}
}
