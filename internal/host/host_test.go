package host_test

import (
	"bufio"
	"errors"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/internal/host"
	"github.com/dpu-exporter/dpu-exporter/test/need"
	"golang.org/x/sys/unix"
)

func TestHoldsRefusesWhatIsNoCapability(t *testing.T) {
	for _, capability := range []uint{64, 1 << 20, ^uint(0)} {
		if held, err := host.Holds(capability); held || !errors.Is(err, unix.EINVAL) {
			t.Errorf("Holds(%d) = %v, %v", capability, held, err)
		}
	}
}

// The kernel writes down the same set in /proc/thread-self/status (proc_pid_status(5)).
func TestHoldsWhatTheKernelSays(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	effective := statusOf(t, "CapEff:")
	for capability := range uint(64) {
		held, err := host.Holds(capability)
		if want := effective>>capability&1 == 1; err != nil || held != want {
			t.Errorf("Holds(%d) = %v, %v, want %v", capability, held, err, want)
		}
	}
}

func statusOf(t *testing.T, field string) uint64 {
	t.Helper()
	file, err := os.Open("/proc/thread-self/status")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if hex, ok := strings.CutPrefix(lines.Text(), field); ok {
			set, err := strconv.ParseUint(strings.TrimSpace(hex), 16, 64)
			if err != nil {
				t.Fatal(err)
			}
			return set
		}
	}
	t.Fatalf("no %s", field)
	return 0
}

func TestHoldsNotWhatWasGivenUp(t *testing.T) {
	need.Root(t)
	type answer struct {
		held bool
		err  error
	}
	answers := make(chan answer, 2)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		held, err := host.Holds(unix.CAP_NET_ADMIN)
		answers <- answer{held, err}
		header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
		var none [2]unix.CapUserData
		err = unix.Capset(&header, &none[0])
		held, heldErr := host.Holds(unix.CAP_NET_ADMIN)
		answers <- answer{held, errors.Join(err, heldErr)}
	}()
	if before := <-answers; !before.held || before.err != nil {
		t.Errorf("before: %+v", before)
	}
	if after := <-answers; after.held || after.err != nil {
		t.Errorf("after: %+v", after)
	}
}

func TestRelease(t *testing.T) {
	want, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		t.Fatal(err)
	}
	if got := host.Release(); got == "" || got != strings.TrimSpace(string(want)) {
		t.Errorf("Release() = %q, want %q", got, want)
	}
}
