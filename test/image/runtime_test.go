package image

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/test/need"
)

// testAddedCapabilitiesNeedRoot shows why the form with probes is root: what an
// engine adds is lost when another user executes a program, unless the engine
// makes it ambient as well (capabilities(7)). Podman does. Docker and Kubernetes
// do not; a bundle of the OCI runtime with the same sets stands for them.
func testAddedCapabilitiesNeedRoot(t *testing.T, images []contents) {
	t.Run("podman", func(t *testing.T) {
		enterNetwork(t)
		added := probes()
		added.User = counters.User
		wantFound(t, output(t, podmanRun(added.options(), "check")...), "ok", needCapabilities...)
	})
	for _, user := range []struct {
		id    int
		level string
	}{{65532, "note"}, {0, "ok"}} {
		t.Run("not ambient, "+user.level, func(t *testing.T) {
			enterNetwork(t)
			bundle := t.TempDir()
			install(t, binary(t, images, runtime.GOARCH), filepath.Join(bundle, "rootfs/dpu-exporter"))
			describe(t, bundle, user.id, probes().CapAdd)
			found := output(t, grounded(need.Tool(t, "crun"), "--cgroup-manager=disabled", "--root="+t.TempDir(), "run", "--bundle="+bundle, "bundle")...)
			wantFound(t, found, user.level, needCapabilities...)
		})
	}
}

// describe writes config.json of a bundle that runs check in the network it is
// started in, with capabilities in every set but the ambient one (OCI runtime
// specification, config.md).
func describe(t *testing.T, bundle string, user int, capabilities []string) {
	t.Helper()
	output(t, need.Tool(t, "crun"), "spec", "--bundle="+bundle)
	file := filepath.Join(bundle, "config.json")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var spec struct {
		Version  string         `json:"ociVersion"`
		Process  map[string]any `json:"process"`
		Root     map[string]any `json:"root"`
		Mounts   []any          `json:"mounts"`
		Platform map[string]any `json:"linux"`
	}
	if err := json.Unmarshal(text, &spec); err != nil {
		t.Fatal(err)
	}
	var long []string
	for _, c := range capabilities {
		long = append(long, "CAP_"+c)
	}
	spec.Process["args"] = []string{"/dpu-exporter", "check"}
	spec.Process["terminal"] = false
	spec.Process["user"] = map[string]int{"uid": user, "gid": user}
	spec.Process["capabilities"] = map[string][]string{"bounding": long, "permitted": long, "effective": long, "inheritable": long}
	spec.Platform["namespaces"] = []map[string]string{{"type": "pid"}, {"type": "ipc"}, {"type": "uts"}, {"type": "mount"}}
	if text, err = json.Marshal(spec); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// install writes a program to a path, and makes the folder for it.
func install(t *testing.T, body []byte, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, body, 0o755); err != nil {
		t.Fatal(err)
	}
}

// testArm64BinaryRuns runs the program of the arm64 image in emulation. It reads
// devices and their roles; counters it does not, since QEMU's user mode passes on
// only the requests of rtnetlink that it knows, and RTM_GETSTATS is none.
func testArm64BinaryRuns(t *testing.T, images []contents) {
	qemu := need.Tool(t, "qemu-aarch64-static")
	path := filepath.Join(t.TempDir(), "bin/dpu-exporter")
	install(t, binary(t, images, "arm64"), path)
	if said := output(t, qemu, path, "--version"); !strings.Contains(said, "linux/arm64") {
		t.Errorf("--version:\n%s", said)
	}
	enterNetwork(t)
	metrics := output(t, qemu, path, "metrics", "--no-collector.interface")
	for _, sample := range []string{`goarch="arm64"`, `dpu_exporter_devices{role="veth"} 2`, `dpu_collector_success{collector="exporter"} 1`} {
		if !strings.Contains(metrics, sample) {
			t.Errorf("metrics has no %s", sample)
		}
	}
}
