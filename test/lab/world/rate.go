package world

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// Rate is a rate object as devlink-rate(8) shows it.
type Rate struct {
	Type   string // leaf (a VF), node (a group)
	Share  uint64 `json:"tx_share"` // bytes per second
	Max    uint64 `json:"tx_max"`   // bytes per second
	Parent string // node above it
}

// Rates are the NIC's rate objects, leaves by the index of their port and nodes
// by name. Leaves exist in switchdev mode.
func (n *NIC) Rates(t testing.TB) map[string]Rate {
	t.Helper()
	rates := map[string]Rate{}
	for handle, rate := range RunJSON[struct{ Rate map[string]Rate }](t, "devlink", "-j", "port", "function", "rate", "show").Rate {
		if name, own := strings.CutPrefix(handle, n.Handle()+"/"); own {
			rates[name] = rate
		}
	}
	return rates
}

// SetRate adds, changes or deletes a rate object: SetRate(t, "set", "128",
// "tx_max", "1gbit"), SetRate(t, "add", "gold").
func (n *NIC) SetRate(t testing.TB, verb, name string, what ...string) error {
	t.Helper()
	_, err := Try(t, "devlink", append([]string{"port", "function", "rate", verb, n.Handle() + "/" + name}, what...)...)
	return err
}

// DriverRate is what the driver was told of a rate object: tx_share and tx_max
// in Mbit/s, rate_parent. A leaf has the index of its port, a node its name.
func (n *NIC) DriverRate(t testing.TB, name, field string) string {
	t.Helper()
	folder := "rate_nodes"
	if strings.Trim(name, "0123456789") == "" {
		folder = "ports"
	}
	text, err := os.ReadFile(n.debugfs(fmt.Sprintf("%s/%s/%s", folder, name, field)))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}
