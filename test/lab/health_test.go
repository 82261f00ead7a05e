//go:build lab

package lab

import (
	"testing"

	"github.com/dpu-exporter/dpu-exporter/test/lab/world"
)

// TestHealthReporter: a reporter is broken and recovered as it is told, by its
// counters, its dump and the kernel's tracepoint.
func TestHealthReporter(t *testing.T) {
	n := world.AddNIC(t, 1, 0)
	reports := world.StartTrace(t, "devlink/devlink_health_report")
	check := func(when string, want world.Reporter) {
		t.Helper()
		want.Name = "dummy"
		if got := n.Reporter(t); got != want {
			t.Errorf("%s: %+v, want %+v", when, got, want)
		}
	}
	check("at first", world.Reporter{State: "healthy", AutoRecover: true})
	n.BreakHealth(t, "overheated")
	check("after it recovered by itself", world.Reporter{State: "healthy", Error: 1, Recover: 1, AutoRecover: true})

	n.SetAutoRecover(t, false)
	n.BreakHealth(t, "stuck")
	check("broken", world.Reporter{State: "error", Error: 2, Recover: 1})
	n.FailRecovery(t, true)
	if err := n.Recover(t); err == nil {
		t.Error("it recovered although that fails")
	}
	check("after a recovery that failed", world.Reporter{State: "error", Error: 2, Recover: 1})
	if message := n.HealthDump(t); message != "overheated" {
		t.Errorf("the dump says %q, not the first message", message)
	}
	n.FailRecovery(t, false)
	if err := n.Recover(t); err != nil {
		t.Error(err)
	}
	check("recovered", world.Reporter{State: "healthy", Error: 2, Recover: 2})

	for _, message := range []string{"overheated", "stuck"} {
		if lines := reports.Lines(t, "dev_name="+n.Handle()[len("netdevsim/"):], "reporter_name=dummy", message); len(lines) != 1 {
			t.Errorf("reported %q %d times, want once: %q", message, len(lines), lines)
		}
	}
}
