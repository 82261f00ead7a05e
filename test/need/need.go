// Package need lets a test say what it cannot run without. Where that is
// missing the test skips with the reason; where DPU_EXPORTER_TEST_REQUIRE=1 is
// set, as in CI, it fails instead.
package need

import (
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/dpu-exporter/dpu-exporter/internal/host"
)

// Root skips t unless it runs as root with the right to make network namespaces
// and links in them, which root of a container may not have.
func Root(t testing.TB) {
	t.Helper()
	if os.Geteuid() != 0 {
		missing(t, "needs root (network namespaces)")
	}
	for name, capability := range map[string]uint{"CAP_SYS_ADMIN": unix.CAP_SYS_ADMIN, "CAP_NET_ADMIN": unix.CAP_NET_ADMIN} {
		if holds, err := host.Holds(capability); err != nil || !holds {
			missing(t, "needs "+name+" (network namespaces)")
		}
	}
}

// Tool returns the path of a program, and skips t when it is not installed.
func Tool(t testing.TB, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		missing(t, "needs "+name+" on the path")
	}
	return path
}

// Lab skips t unless it runs in the guest of the lab, whose devices and modules
// it is free to change.
func Lab(t testing.TB) {
	t.Helper()
	if os.Getenv("DPU_EXPORTER_LAB") != "1" {
		missing(t, "needs the lab: make lab")
	}
}

// That skips t with the reason why unless there is what it needs.
func That(t testing.TB, there bool, why string) {
	t.Helper()
	if !there {
		missing(t, why)
	}
}

// Long skips t in -short runs.
func Long(t testing.TB) {
	t.Helper()
	if testing.Short() {
		missing(t, "takes long; not with -short")
	}
}

func missing(t testing.TB, why string) {
	t.Helper()
	if os.Getenv("DPU_EXPORTER_TEST_REQUIRE") == "1" {
		t.Fatal("required here: " + why)
	}
	t.Skip(why)
}
