package world

import "testing"

// VF is the configuration of a VF, and what the kernel counts for it, as
// ip-link(8) shows them at its PF.
type VF struct {
	Number  int `json:"vf"`
	Address string
	VLANs   []struct{ VLAN, QoS int } `json:"vlan_list"` // one, of zeros without a VLAN
	Rate    struct {
		Max int `json:"max_tx"` // Mbit/s, 0 without a limit
		Min int `json:"min_tx"` // Mbit/s
	}
	SpoofChk bool
	Trust    bool
	Stats    map[string]map[string]float64 // by rx and tx, then by counter: packets, bytes
}

// VFs are the VFs of a PF or physical port, by number.
func VFs(t testing.TB, netdev string) []VF {
	t.Helper()
	return RunJSON[[]struct {
		VFs []VF `json:"vfinfo_list"`
	}](t, "ip", "-s", "-d", "-j", "link", "show", netdev)[0].VFs
}
