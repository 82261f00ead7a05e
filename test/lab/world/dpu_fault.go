package world

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func (d *DPU) debugfs(file string) string {
	return filepath.Join("/sys/kernel/debug/softdpu", d.Name, file)
}

// Fault has reads of the device itself go wrong: "stall info 3000" (ms),
// "fail param 5" (errno), "clear"; fault.c of the module has the names.
func (d *DPU) Fault(t testing.TB, command string) {
	t.Helper()
	WriteFile(t, d.debugfs("fault"), command)
}

// Report has the health reporter "fw" report an error with a message.
func (d *DPU) Report(t testing.TB, message string) {
	t.Helper()
	WriteFile(t, d.debugfs("fw/report"), message)
}

func (p DPUPort) debugfs(file string) string {
	return p.DPU.debugfs(filepath.Join(p.Name(), file))
}

// Fault has something at the port go wrong: "stall stats 3000" (ms), "fail
// module_page 5" (errno), "garbage 1", "stale 1", "strings 3", "link down",
// "clear"; fault.c of the module has the names.
func (p DPUPort) Fault(t testing.TB, command string) {
	t.Helper()
	WriteFile(t, p.debugfs("fault"), command)
}

// Set sets counters of the eswitch's side of the port, by the names in its file
// counters: "rx_crc_errors_phy 5", or "rx_crc_errors_phy +5" to add.
func (p DPUPort) Set(t testing.TB, counters ...string) {
	t.Helper()
	WriteFile(t, p.debugfs("counters"), strings.Join(counters, "\n"))
}

// SetFunction is Set for the function's side.
func (p DPUPort) SetFunction(t testing.TB, counters ...string) {
	t.Helper()
	WriteFile(t, p.debugfs("function"), strings.Join(counters, "\n"))
}

// Counters are all counters of the eswitch's side of the port.
func (p DPUPort) Counters(t testing.TB) map[string]int64 {
	t.Helper()
	return counters(t, p.debugfs("counters"))
}

// FunctionCounters are those of the function's side.
func (p DPUPort) FunctionCounters(t testing.TB) map[string]int64 {
	t.Helper()
	return counters(t, p.debugfs("function"))
}

// Rules are the rules that hardware has at the port, a line each.
func (p DPUPort) Rules(t testing.TB) []string {
	t.Helper()
	text, err := os.ReadFile(p.debugfs("rules"))
	must(t, err)
	return slices.Collect(strings.Lines(string(text)))
}

func counters(t testing.TB, file string) map[string]int64 {
	t.Helper()
	text, err := os.ReadFile(file)
	must(t, err)
	values := map[string]int64{}
	for line := range strings.Lines(string(text)) {
		var name string
		var value int64
		if _, err := fmt.Sscanf(line, "%s %d", &name, &value); err != nil {
			t.Fatalf("%s: %q: %v", file, line, err)
		}
		values[name] = value
	}
	return values
}
