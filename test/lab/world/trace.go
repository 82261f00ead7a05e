package world

import (
	"os"
	"strings"
	"testing"
)

// tracing is tracefs, which debugfs mounts by itself
// (Documentation/trace/ftrace.rst).
const tracing = "/sys/kernel/debug/tracing/"

// A Trace records the calls of one tracepoint: what the kernel did, apart from
// what it counted.
type Trace struct{ event string }

// StartTrace records a tracepoint, like devlink/devlink_trap_report, until the
// test ends.
func StartTrace(t testing.TB, event string) Trace {
	t.Helper()
	tr := Trace{event: event}
	WriteFile(t, tracing+"trace", "")
	// Names of processes would take probes in the scheduler: code that all
	// processors run while it is patched, which emulation does not survive.
	WriteFile(t, tracing+"options/record-cmd", "0")
	WriteFile(t, tracing+"events/"+event+"/enable", "1")
	t.Cleanup(func() { tr.Stop(t) })
	return tr
}

// Stop ends the recording.
func (tr Trace) Stop(t testing.TB) {
	t.Helper()
	WriteFile(t, tracing+"events/"+tr.event+"/enable", "0")
}

// Lines are the recorded calls that hold all of these words.
func (tr Trace) Lines(t testing.TB, words ...string) (lines []string) {
	t.Helper()
	text, err := os.ReadFile(tracing + "trace")
	if err != nil {
		t.Fatal(err)
	}
next:
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		for _, word := range words {
			if !strings.Contains(line, word) {
				continue next
			}
		}
		lines = append(lines, strings.TrimSpace(line))
	}
	return lines
}
