//go:build lab

package lab

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpu-exporter/dpu-exporter/test/lab/world"
)

// TestRates: leaves and nodes in switchdev mode are what devlink says, and what
// the driver was told.
func TestRates(t *testing.T) {
	n := world.AddNIC(t, 1, 2)
	for _, change := range [][]string{
		{"set", "128", "tx_share", "10mbit", "tx_max", "1000mbit"},
		{"add", "gold", "tx_share", "100mbit", "tx_max", "4gbit"},
		{"set", "129", "parent", "gold"},
	} {
		if err := n.SetRate(t, change[0], change[1], change[2:]...); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]world.Rate{
		"128":  {Type: "leaf", Share: 1_250_000, Max: 125_000_000},
		"129":  {Type: "leaf", Parent: "gold"},
		"gold": {Type: "node", Share: 12_500_000, Max: 500_000_000},
	}
	if diff := cmp.Diff(want, n.Rates(t)); diff != "" {
		t.Errorf("rates (-want +got):\n%s", diff)
	}
	for _, told := range []struct{ name, field, want string }{
		{"128", "tx_share", "10"}, {"128", "tx_max", "1000"}, {"129", "rate_parent", "gold"},
		{"gold", "tx_share", "100"}, {"gold", "tx_max", "4000"},
	} {
		if got := n.DriverRate(t, told.name, told.field); got != told.want {
			t.Errorf("the driver has %s %q of %s, want %q", told.field, got, told.name, told.want)
		}
	}
	if err := n.SetRate(t, "del", "gold"); err == nil {
		t.Error("a node with children was deleted")
	}
	if err := n.SetRate(t, "add", "odd", "tx_share", "3gbit", "tx_max", "1gbit"); err == nil {
		t.Error("a share above the maximum was accepted")
	}
}

// TestVFRates: in legacy mode ip-link(8) limits VFs, in switchdev mode the
// driver refuses; the driver keeps what it was told.
func TestVFRates(t *testing.T) {
	n := world.AddNIC(t, 1, 2)
	port := n.Physical(t)[0]
	limit := []string{"link", "set", port, "vf", "1", "max_tx_rate", "100", "min_tx_rate", "10"}
	if _, err := world.Try(t, "ip", limit...); err == nil {
		t.Error("a VF was limited in switchdev mode")
	}
	n.SetMode(t, world.Legacy)
	world.Run(t, "ip", limit...)
	var got [][3]int
	for _, vf := range world.VFs(t, port) {
		got = append(got, [3]int{vf.Number, vf.Rate.Min, vf.Rate.Max})
	}
	if diff := cmp.Diff([][3]int{{0, 0, 0}, {1, 10, 100}}, got); diff != "" {
		t.Errorf("VF, min, max (-want +got):\n%s", diff)
	}
	n.SetMode(t, world.Switchdev)
	if told := n.DriverRate(t, "129", "tx_max"); told != "100" {
		t.Errorf("the driver limits VF 1 to %s Mbit/s, want 100", told)
	}
}
