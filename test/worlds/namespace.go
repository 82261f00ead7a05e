// Package worlds makes the network namespaces that tests run in.
package worlds

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/test/need"
	"golang.org/x/sys/unix"
)

// Enter moves the calling test, and what it opens from its own goroutine, into
// a new network namespace until the test ends. Goroutines it starts stay
// outside, but may use sockets that the test opened.
func Enter(t testing.TB) {
	t.Helper()
	need.Root(t)
	runtime.LockOSThread()
	home, err := unix.Open("/proc/thread-self/ns/net", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatalf("open network namespace: %v", err)
	}
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		t.Fatalf("unshare network namespace: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Setns(home, unix.CLONE_NEWNET); err != nil {
			panic(fmt.Sprintf("return to the first network namespace: %v", err))
		}
		unix.Close(home)
		runtime.UnlockOSThread()
	})
}
