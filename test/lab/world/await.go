package world

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// awaitLimit is how long the guest may take to become as wanted.
const awaitLimit = 10 * time.Second

// Await waits until a condition holds that the kernel brings about in its own
// time and tells nobody of.
func Await(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(awaitLimit); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after %v still not: %s", awaitLimit, what)
		}
	}
}

// AwaitListening waits until a process's namespace has a TCP socket that
// listens on a port (/proc/PID/net/tcp, proc_net_tcp.rst).
func AwaitListening(t testing.TB, pid, port int) {
	t.Helper()
	Await(t, fmt.Sprintf("process %d listens on port %d", pid, port), func() bool {
		for _, family := range []string{"tcp", "tcp6"} {
			table, _ := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, family))
			for line := range strings.Lines(string(table)) {
				f := strings.Fields(line) // 0: 00000000:4853 00000000:0000 0A …
				if len(f) > 3 && strings.HasSuffix(f[1], fmt.Sprintf(":%04X", port)) && f[3] == "0A" {
					return true
				}
			}
		}
		return false
	})
}
