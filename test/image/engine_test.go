// Package image builds the container image as an operator does, opens it, and
// runs it as deploy/container says.
package image

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/test/need"
	"github.com/dpu-exporter/dpu-exporter/test/program"
)

// root is the top of the tree, seen from this folder.
const root = "../.."

// name is what the tests call the image in stores of their own.
const name = "localhost/dpu-exporter:test"

// storage keeps images and containers of a test in its own folder
// (containers-storage.conf(5)); vfs needs nothing of the kernel.
const storage = `[storage]
driver = "vfs"
graphroot = "%[1]s/graph"
runroot = "%[1]s/run"
`

// settings make podman work inside a container too (containers.conf(5)): there
// it may neither make control groups nor raise limits.
const settings = `[containers]
cgroups = "disabled"
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
log_driver = "k8s-file"
[engine]
cgroup_manager = "cgroupfs"
events_logger = "none"
tmp_dir = "%[1]s/tmp"
`

// ground gives crun one hierarchy of control groups, which it insists on, and
// shows the network namespace in /sys, where the first one's is mounted already.
// Both are seen by the engine alone.
const ground = `mount -t sysfs sysfs /sys 2>/dev/null
mount -t cgroup2 cgroup2 /sys/fs/cgroup && exec "$0" "$@"`

// ownBin runs make in the tree with a bin/ that is the test's, since make image
// leaves the binaries there.
const ownBin = `mkdir -p bin "$XDG_RUNTIME_DIR/bin" && mount --bind "$XDG_RUNTIME_DIR/bin" bin && exec make "$@"`

// useOwnStore makes the engines that t starts keep everything in a folder of its
// own. Its path is short: podman has sockets there, and where one does not fit
// into an address (unix(7)) it waits 20 seconds for containers that have ended.
func useOwnStore(t *testing.T) {
	t.Helper()
	need.Root(t)
	dir, err := os.MkdirTemp("", "image")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	t.Setenv("XDG_RUNTIME_DIR", dir) // of crun and ownBin
	for variable, text := range map[string]string{"CONTAINERS_STORAGE_CONF": storage, "CONTAINERS_CONF": settings} {
		path := filepath.Join(dir, strings.ToLower(variable))
		if err := os.WriteFile(path, fmt.Appendf(nil, text, dir), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Setenv(variable, path)
	}
}

// makeImage runs make image and returns the archive it wrote.
func makeImage(t *testing.T, engine string) string {
	t.Helper()
	need.Tool(t, "make")
	archive := filepath.Join(t.TempDir(), "image.tar")
	output(t, "unshare", "--mount", "--wd="+root, "sh", "-c", ownBin, "make", "image", "ENGINE="+need.Tool(t, engine), "IMAGE="+name, "ARCHIVE="+archive)
	return archive
}

// output runs a command that must succeed and returns what it printed.
func output(t *testing.T, command ...string) string {
	t.Helper()
	c := exec.Command(command[0], command[1:]...)
	var stderr strings.Builder
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", strings.Join(command, " "), err, out, &stderr)
	}
	return string(out)
}

// grounded is a command on its ground.
func grounded(command ...string) []string {
	return append([]string{"unshare", "--mount", "sh", "-c", ground}, command...)
}

// podmanRun is the command that runs the image with these options of
// podman-run(1) and arguments of the program.
func podmanRun(options []string, args ...string) []string {
	return grounded(slices.Concat([]string{"podman", "run", "--pull=never"}, options, []string{name}, args)...)
}

// start runs the program in a container until the test ends, and returns it when
// it listens, with its process number.
func start(t *testing.T, options []string) (*program.Program, string) {
	t.Helper()
	const container = "started"
	command := podmanRun(append(options, "--name="+container))
	p := program.Start(t, command[0], command[1:]...)
	t.Cleanup(func() { output(t, "podman", "rm", "--force", "--ignore", "--time=1", container) })
	p.AwaitLog(t, "Listening on")
	return p, strings.TrimSpace(output(t, "podman", "inspect", "--format={{.State.Pid}}", container))
}
