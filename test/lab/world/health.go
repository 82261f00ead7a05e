package world

import (
	"strconv"
	"testing"
)

// Reporter is a health reporter as devlink-health(8) shows it.
type Reporter struct {
	Name        string `json:"reporter"`
	State       string // healthy, error
	Error       int    // times that it was broken
	Recover     int    // times that it was recovered
	AutoRecover bool   `json:"auto_recover"`
}

// Reporter is the NIC's health reporter "dummy", the one that can be broken
// (drivers/net/netdevsim/health.c).
func (n *NIC) Reporter(t testing.TB) Reporter {
	t.Helper()
	return RunJSON[struct{ Health map[string][]Reporter }](t,
		"devlink", "-j", "health", "show", n.Handle(), "reporter", "dummy").Health[n.Handle()][0]
}

// BreakHealth has the reporter report an error with a message. Unless it may
// not, it recovers by itself at once.
func (n *NIC) BreakHealth(t testing.TB, message string) {
	t.Helper()
	WriteFile(t, n.debugfs("health/break_health"), message)
}

// SetAutoRecover says whether the reporter recovers by itself.
func (n *NIC) SetAutoRecover(t testing.TB, on bool) {
	t.Helper()
	Run(t, "devlink", "health", "set", n.Handle(), "reporter", "dummy", "auto_recover", strconv.FormatBool(on))
}

// FailRecovery says whether recovering fails.
func (n *NIC) FailRecovery(t testing.TB, on bool) {
	t.Helper()
	word := "0"
	if on {
		word = "1"
	}
	WriteFile(t, n.debugfs("health/fail_recover"), word)
}

// Recover has the reporter recover.
func (n *NIC) Recover(t testing.TB) error {
	t.Helper()
	_, err := Try(t, "devlink", "health", "recover", n.Handle(), "reporter", "dummy")
	return err
}

// HealthDump is the message in the dump, which the kernel takes at the first
// error and keeps, through recoveries, until it is cleared
// (devlink-health(8), dump clear).
func (n *NIC) HealthDump(t testing.TB) string {
	t.Helper()
	return RunJSON[struct {
		Message string `json:"break_message"`
	}](t, "devlink", "-j", "health", "dump", "show", n.Handle(), "reporter", "dummy").Message
}
