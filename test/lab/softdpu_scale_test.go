//go:build lab

package lab

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/vishvananda/netlink"

	"github.com/google/go-cmp/cmp"

	"github.com/dpu-exporter/dpu-exporter/test/lab/world"
)

// TestSoftDPUScale: as many functions as a card has in the field come up, each
// with its netdev and its representor, and go without a trace.
func TestSoftDPUScale(t *testing.T) {
	const uplinks, vfs, sfs = 2, 128, 16
	began := time.Now()
	d := world.AddDPU(t, "big", world.DPUOptions{Uplinks: uplinks, VFs: vfs})
	var commands strings.Builder
	for n := range sfs {
		fmt.Fprintf(&commands, "port add %s flavour pcisf pfnum %d sfnum %d\n", d.Handle(), n%uplinks, n)
		fmt.Fprintf(&commands, "port function set %s state active\n", d.SF(n%uplinks, n).DevlinkPort())
	}
	world.Batch(t, "devlink", commands.String())
	came := time.Since(began)

	all := newEswitch(d, 1, uplinks, vfs)
	for n := range sfs {
		all.ports = append(all.ports, d.SF(n%uplinks, n))
		all.functions = append(all.functions, d.SF(n%uplinks, n))
	}
	wantNetdevs, wantPorts := map[string]bool{}, map[string]string{}
	for _, p := range all.ports {
		wantNetdevs[p.Netdev()] = true
		wantPorts[p.DevlinkPort()] = p.Netdev()
	}
	for _, f := range all.functions {
		wantNetdevs[f.Function()] = true
	}
	checkThere(t, "up", d, wantNetdevs, wantPorts)
	if n := len(wantPorts); n != 2+2+2*vfs+sfs {
		t.Errorf("looked for %d ports", n)
	}

	began = time.Now()
	d.Remove(t)
	went := time.Since(began)
	t.Logf("%d uplinks, %d VFs and %d SFs came in %.1f s and went in %.1f s", uplinks, uplinks*vfs, sfs, came.Seconds(), went.Seconds())
	if limit := 10 * time.Second; came > limit || went > limit { // about one here; what grows with the square takes minutes
		t.Errorf("it took more than %v", limit)
	}
	checkThere(t, "removed", d, nil, nil)
}

// checkThere checks that the netdevs of a DPU are these, and its devlink ports
// these, each with its netdev.
func checkThere(t *testing.T, when string, d *world.DPU, netdevs map[string]bool, ports map[string]string) {
	t.Helper()
	there, with := maps.Clone(netdevs), maps.Clone(ports)
	clear(there)
	clear(with)
	all, err := netlink.LinkList()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range all {
		if name := l.Attrs().Name; strings.HasPrefix(name, d.Name) {
			there[name] = true
		}
	}
	for _, p := range world.Ports(t) {
		if p.Device() == d.Handle() {
			with[p.Handle] = p.Netdev
		}
	}
	if diff := cmp.Diff(netdevs, there); diff != "" {
		t.Errorf("%s: netdevs (-want +got):\n%s", when, diff)
	}
	if diff := cmp.Diff(ports, with); diff != "" {
		t.Errorf("%s: ports and their netdevs (-want +got):\n%s", when, diff)
	}
}
