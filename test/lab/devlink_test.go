//go:build lab

package lab

import (
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dpu-exporter/dpu-exporter/internal/devlink"
	"github.com/dpu-exporter/dpu-exporter/internal/outcome"
	"github.com/dpu-exporter/dpu-exporter/test/lab/world"
)

// TestDevlinkReads: devices, ports and eswitches are those of devlink(8).
func TestDevlinkReads(t *testing.T) {
	nics := world.AddNICs(t, 2, 2, 3)
	nics[1].SetMode(t, world.Legacy)
	c, err := devlink.Dial()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ports, err := c.Ports(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	indexes := map[string]int{}
	for _, l := range links(t) {
		indexes[l.Name] = l.Index
	}
	var got []world.Port
	for _, p := range ports {
		if index := indexes[p.NetdevName]; p.NetdevIndex != index || index == 0 {
			t.Errorf("netdev %s has index %d, not %d", p.NetdevName, index, p.NetdevIndex)
		}
		got = append(got, world.Port{
			Handle: fmt.Sprintf("%s/%d", p.Handle, p.Index), Netdev: p.NetdevName, Flavour: p.Flavour.String(),
			Number: p.Number, Controller: p.Controller, PF: p.PF, VF: p.VF, External: p.External,
		})
	}
	if diff := cmp.Diff(world.Ports(t), got); diff != "" || len(got) != 7 {
		t.Errorf("%d ports (-want +got):\n%s", len(got), diff)
	}
	checkDevices(t, c, nics)
}

// checkDevices compares the devices and their eswitches, also of one that goes.
func checkDevices(t *testing.T, c *devlink.Conn, nics []*world.NIC) {
	t.Helper()
	devices, err := c.Devices(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, h := range devices {
		mode, err := c.Eswitch(t.Context(), h)
		if err != nil {
			t.Error(err)
		}
		got[h.String()] = mode.String()
	}
	if diff := cmp.Diff(world.Modes(t, nics...), got); diff != "" {
		t.Errorf("modes (-want +got):\n%s", diff)
	}
	nics[0].Remove(t)
	if _, err := c.Eswitch(t.Context(), devices[0]); outcome.Of(err) != outcome.Vanished {
		t.Errorf("eswitch of a device that is gone: %v", err)
	}
}

// TestDevlinkWatch: each port and device that comes or goes is heard of, in
// order, and nothing else is: the kernel does not tell the mode of an eswitch,
// which without VFs changes no port.
func TestDevlinkWatch(t *testing.T) {
	n := world.AddNIC(t, 1, 0)
	w, err := devlink.Watch()
	if err != nil {
		t.Fatal(err)
	}
	monitor := world.StartDevlinkMonitor(t)
	n.SetMode(t, world.Legacy)
	n.SetMode(t, world.Switchdev)
	n.SetVFs(t, 2)
	n.SetMode(t, world.Switchdev)
	n.SetMode(t, world.Legacy)
	n.Remove(t)
	announced := monitor.Until(t, "[dev,del] "+n.Handle())
	defer time.AfterFunc(10*time.Second, func() { _ = w.Close() }).Stop()
	for i, what := range announced {
		if err := w.Receive(); err != nil {
			t.Fatalf("%d of %d, %s: %v", i+1, len(announced), what, err)
		}
	}
	ended := make(chan error)
	go func() { ended <- w.Receive() }() // which waits: there is nothing left
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; !errors.Is(err, os.ErrClosed) {
		t.Errorf("receive after %d announcements: %v, want os.ErrClosed", len(announced), err)
	}
}
