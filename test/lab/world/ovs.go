package world

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// An OVS is a running Open vSwitch with a database and sockets of its own.
type OVS struct {
	// Dir holds what /run/openvswitch does elsewhere: db.sock, which speaks
	// OVSDB (RFC 7047), and the control sockets and process numbers of the two
	// daemons. Programs find it by OVS_RUNDIR, which is set until the test ends.
	Dir string
}

// StartOVS starts Open vSwitch with settings for its only row of the table
// Open_vSwitch (ovs-vswitchd.conf.db(5)), like other_config:hw-offload=true.
func StartOVS(t testing.TB, settings ...string) *OVS {
	t.Helper()
	return startOVS(t, "/usr/lib/openvswitch-switch/ovs-vswitchd", settings)
}

func startOVS(t testing.TB, daemon string, settings []string) *OVS {
	t.Helper()
	Run(t, "modprobe", "-a", "openvswitch", "tun")
	o := &OVS{Dir: t.TempDir()}
	for _, name := range []string{"OVS_RUNDIR", "OVS_LOGDIR", "OVS_DBDIR"} {
		t.Setenv(name, o.Dir)
	}
	t.Setenv("OVS_TIMEOUT", "20") // seconds
	// Control sockets are named after the program, and so found by its usual name.
	program := filepath.Join(o.Dir, "ovs-vswitchd")
	must(t, os.Symlink(daemon, program))
	Run(t, "ovsdb-tool", "create", o.file("conf.db"), "/usr/share/openvswitch/vswitch.ovsschema")
	t.Cleanup(func() { o.stop(t) })
	Run(t, "ovsdb-server", "--detach", "--no-chdir", "--pidfile", "--log-file", "--remote=punix:"+o.Socket(), o.file("conf.db"))
	Run(t, "ovs-vsctl", append([]string{"--no-wait", "init", "--", "set", "Open_vSwitch", "."}, append(settings, "external_ids:lab=true")...)...)
	Run(t, program, "--detach", "--no-chdir", "--pidfile", "--log-file")
	return o
}

// Socket is where the database answers.
func (o *OVS) Socket() string { return o.file("db.sock") }

func (o *OVS) file(name string) string { return filepath.Join(o.Dir, name) }

// PID is the process of a daemon: ovs-vswitchd or ovsdb-server; 0 while it does
// not run.
func (o *OVS) PID(daemon string) int {
	text, _ := os.ReadFile(o.file(daemon + ".pid"))
	pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	return pid
}

// stop stops what runs, and takes away the datapath with its devices.
func (o *OVS) stop(t testing.TB) {
	t.Helper()
	if t.Failed() {
		text, _ := os.ReadFile(o.file("ovs-vswitchd.log"))
		t.Logf("ovs-vswitchd said:\n%s", text)
	}
	o.end(t, "ovs-vswitchd", "exit", "--cleanup") // which needs the database
	o.end(t, "ovsdb-server", "exit")
}

// end ends a daemon, if it runs.
func (o *OVS) end(t testing.TB, daemon string, how ...string) {
	t.Helper()
	pid := o.PID(daemon)
	if pid == 0 {
		return
	}
	if _, err := o.TryAppctl(t, daemon, how...); err != nil {
		t.Errorf("stop %s: %v", daemon, err)
		_ = unix.Kill(pid, unix.SIGKILL)
	}
	Await(t, daemon+" ended", func() bool { return unix.Kill(pid, 0) != nil })
}

// Set changes the database with ovs-vsctl(8) and waits until the switch has
// followed.
func (o *OVS) Set(t testing.TB, args ...string) string {
	t.Helper()
	return Run(t, "ovs-vsctl", args...)
}

// Appctl asks ovs-vswitchd with ovs-appctl(8).
func (o *OVS) Appctl(t testing.TB, args ...string) string {
	t.Helper()
	out, err := o.TryAppctl(t, "ovs-vswitchd", args...)
	must(t, err)
	return out
}

// TryAppctl is Appctl for either daemon, and for what it may refuse.
func (o *OVS) TryAppctl(t testing.TB, daemon string, args ...string) (string, error) {
	t.Helper()
	return Try(t, "ovs-appctl", append([]string{"-t", daemon}, args...)...)
}

// AddBridge makes a bridge with ports, over the kernel's datapath (system) or
// that of ovs-vswitchd (netdev). portType is the type of their interfaces: ""
// for plain devices, afxdp, dpdk….
func (o *OVS) AddBridge(t testing.TB, name, datapath, portType string, ports ...string) {
	t.Helper()
	args := []string{"add-br", name, "--", "set", "Bridge", name, "datapath_type=" + datapath}
	for _, port := range ports {
		args = append(args, "--", "add-port", name, port)
		if portType != "" {
			args = append(args, "--", "set", "Interface", port, "type="+portType)
		}
	}
	o.Set(t, args...)
	t.Cleanup(func() { _, _ = Try(t, "ovs-vsctl", "--if-exists", "del-br", name) })
}

// Address makes the bridge's own device an endpoint, in the guest's first
// namespace.
func (o *OVS) Address(t testing.TB, bridge, address string) Endpoint {
	t.Helper()
	e := Endpoint{Device: bridge}
	e.setAddress(t, address)
	return e
}

// A DatapathFlow is a flow of a datapath as dpctl/dump-flows -m shows it.
type DatapathFlow struct {
	InPort, EthType string // eth0, 0x0800
	Packets, Bytes  int
	Offloaded       string // yes, partial; "" without
	Datapath        string // what carries it out: tc, ovs, dpdk
	Actions         string
}

// flowLine is one line of dpctl/dump-flows -m.
var flowLine = regexp.MustCompile(
	`in_port\(([^)]*)\).*eth_type\((0x[0-9a-f]+)\).* packets:(\d+), bytes:(\d+), used:[^,]*, (?:offloaded:(\w+), )?dp:(\w+), actions:(\S+)`)

// in_port(eth2),…,eth_type(0x0800),ipv4(…), packets:4, bytes:336, used:1.104s, offloaded:yes, dp:tc, actions:eth1

// Flows are the flows of the datapath in use, of a type: all, offloaded, ovs,
// tc… (ovs-dpctl(8)).
func (o *OVS) Flows(t testing.TB, kind string) (flows []DatapathFlow) {
	t.Helper()
	for _, m := range flowLine.FindAllStringSubmatch(o.Appctl(t, "dpctl/dump-flows", "-m", "type="+kind), -1) {
		packets, bytes := int(integer(t, m[3])), int(integer(t, m[4]))
		flows = append(flows, DatapathFlow{m[1], m[2], packets, bytes, m[5], m[6], strings.TrimSuffix(m[7], ",")})
	}
	return flows
}

// String is the flow in one line.
func (f DatapathFlow) String() string {
	return fmt.Sprintf("%s %s → %s: %d packets, dp:%s offloaded:%s", f.InPort, f.EthType, f.Actions, f.Packets, f.Datapath, f.Offloaded)
}
