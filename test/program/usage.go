package program

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// userHZ is the unit of the times in /proc/PID/stat (proc(5)), fixed on Linux.
const userHZ = 100

// CPU is the processor time the program has used so far, to 10 ms.
func (p *Program) CPU(t testing.TB) time.Duration {
	t.Helper()
	stat := p.proc(t, "stat")
	fields := strings.Fields(stat[strings.LastIndex(stat, ")")+1:]) // the name may hold blanks
	var ticks int
	for _, f := range fields[11:13] { // utime, stime
		n, err := strconv.Atoi(f)
		if err != nil {
			t.Fatalf("/proc stat: %v", err)
		}
		ticks += n
	}
	return time.Duration(ticks) * time.Second / userHZ
}

// ResidentBytes is VmRSS of the program.
func (p *Program) ResidentBytes(t testing.TB) int {
	t.Helper()
	for line := range strings.Lines(p.proc(t, "status")) {
		if value, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kib, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(value), " kB"))
			if err != nil {
				t.Fatalf("VmRSS: %v", err)
			}
			return kib << 10
		}
	}
	t.Fatal("no VmRSS")
	return 0
}

func (p *Program) proc(t testing.TB, file string) string {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", p.PID(), file))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
