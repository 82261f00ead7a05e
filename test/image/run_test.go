package image

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/dpu-exporter/dpu-exporter/test/need"
	"github.com/dpu-exporter/dpu-exporter/test/program"
	"github.com/dpu-exporter/dpu-exporter/test/worlds"
)

// metricsURL is what the program answers in the host's network.
const metricsURL = "http://127.0.0.1:10042/metrics"

// needCapabilities are what check finds to work with the capabilities of the form
// with probes, and not without; one for each of them.
var needCapabilities = []string{"eswitch mode", "packet sockets", "network namespaces", "locked memory"}

// testContainers runs the image as deploy/container says. What the engine takes
// for the host's network is a namespace of the test but where a test says so.
func testContainers(t *testing.T) {
	t.Run("counters", testCounters)
	t.Run("probes", testProbes)
	t.Run("host network", testHostNetwork)
	t.Run("own network", testOwnNetwork)
}

// enterNetwork moves the test to a namespace with a veth pair.
func enterNetwork(t *testing.T) {
	t.Helper()
	worlds.Enter(t)
	worlds.SetUp(t, "lo")
	worlds.AddVeths(t, 1)
}

// testCounters: an ordinary user without any capability, who can write nowhere,
// exports what the interfaces count.
func testCounters(t *testing.T) {
	enterNetwork(t)
	found := output(t, podmanRun(counters.options(), "check")...)
	wantFound(t, found, "ok", "collector.interface", "rtnetlink", "generic netlink")
	wantFound(t, found, "note", needCapabilities...)
	p, pid := start(t, counters.options())
	wantStatus(t, pid, "65532", 0)
	if mount := rootMount(t, pid); !strings.HasPrefix(mount, "ro,") {
		t.Errorf("/ is mounted %s", mount)
	}
	metrics := program.MustRead(t, metricsURL)
	for _, sample := range []string{`dpu_collector_success{collector="interface"} 1`, `dpu_interface_info{device="a0",`, `dpu_interface_receive_bytes_total{device="b0"} `} {
		if !strings.Contains(metrics, sample) {
			t.Errorf("/metrics has no %s", sample)
		}
	}
	if took, err := p.Stop(t); err != nil {
		t.Errorf("ended with %v after %v", err, took)
	}
}

// testProbes: root with four capabilities and no other.
func testProbes(t *testing.T) {
	enterNetwork(t)
	found := output(t, podmanRun(probes().options(), "check")...)
	wantFound(t, found, "ok", needCapabilities...)
	_, pid := start(t, probes().options())
	wantStatus(t, pid, "0", 1<<unix.CAP_NET_ADMIN|1<<unix.CAP_NET_RAW|1<<unix.CAP_SYS_ADMIN|1<<unix.CAP_IPC_LOCK)
	if mount := rootMount(t, pid); !strings.HasPrefix(mount, "ro,") {
		t.Errorf("/ is mounted %s", mount)
	}
	if metrics := program.MustRead(t, metricsURL); !strings.Contains(metrics, `dpu_interface_info{device="a0",`) {
		t.Error("/metrics has no device a0")
	}
}

// testHostNetwork: in the network of the machine the program knows that it is
// there, although it sees no process of the machine's.
func testHostNetwork(t *testing.T) {
	needNumberedNamespace(t)
	metrics := output(t, podmanRun(counters.options(), "metrics")...)
	if sample := `dpu_exporter_netns_info{host="true"} 1`; !strings.Contains(metrics, sample) {
		t.Errorf("metrics has no %s", sample)
	}
}

// testOwnNetwork: with a network of the container's own the log and the metrics
// tell that the interfaces are not the machine's. Its /proc and /sys do not help.
func testOwnNetwork(t *testing.T) {
	needNumberedNamespace(t)
	own := counters
	own.NetworkMode = "none"
	mounts := []string{"--volume=/proc:/host/proc:ro", "--volume=/sys:/host/sys:ro"}
	metrics := output(t, podmanRun(append(own.options(), mounts...), "metrics", "--path.procfs=/host/proc", "--path.sysfs=/host/sys")...)
	for sample, want := range map[string]bool{`dpu_exporter_netns_info{host="false"} 1`: true, `dpu_interface_info{device="lo",`: true, `dpu_interface_info{device="eth0",`: false} {
		if strings.Contains(metrics, sample) != want {
			t.Errorf("metrics has %s: %v, want %v", sample, !want, want)
		}
	}
	p, _ := start(t, own.options())
	p.AwaitLog(t, "these are the interfaces of another network namespace than the host's")
}

// wantFound looks for the findings of check of a level: ok, note or error.
func wantFound(t *testing.T, found, level string, whats ...string) {
	t.Helper()
	for _, what := range whats {
		if !regexp.MustCompile(`(?m)^` + level + ` +` + regexp.QuoteMeta(what) + `  `).MatchString(found) {
			t.Errorf("check has no %s of %s:\n%s", level, what, found)
		}
	}
}

// needNumberedNamespace skips t where a process that cannot see the machine's
// first one cannot tell its network namespace.
func needNumberedNamespace(t *testing.T) {
	t.Helper()
	own, err := os.Readlink("/proc/thread-self/ns/net")
	need.That(t, err == nil && own == "net:[4026531833]", "needs the network namespace of the machine, and Linux 6.18, which numbers it")
}

// wantStatus compares what the kernel says of a process (proc_pid_status(5))
// with its user and all the capabilities it may have.
func wantStatus(t *testing.T, pid, user string, capabilities uint64) {
	t.Helper()
	text, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil {
		t.Fatal(err)
	}
	set := fmt.Sprintf("%016x", capabilities)
	for field, want := range map[string]string{
		"Uid:": strings.TrimSpace(strings.Repeat(user+"\t", 4)), "Gid:": strings.TrimSpace(strings.Repeat(user+"\t", 4)),
		"CapEff:": set, "CapPrm:": set, "CapBnd:": set, "CapInh:": fmt.Sprintf("%016x", 0), "CapAmb:": fmt.Sprintf("%016x", 0),
		"NoNewPrivs:": "1",
	} {
		if line := "\n" + field + "\t" + want + "\n"; !strings.Contains(string(text), line) {
			t.Errorf("no %q in status:\n%s", strings.TrimSpace(line), text)
		}
	}
}

// rootMount is how / is mounted for a process: its options in
// /proc/PID/mountinfo (proc_pid_mountinfo(5)).
func rootMount(t *testing.T, pid string) string {
	t.Helper()
	text, err := os.ReadFile("/proc/" + pid + "/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) > 5 && f[4] == "/" { // 36 35 0:32 / / ro,relatime - ext4 /dev/vda rw
			return f[5]
		}
	}
	t.Fatalf("no / in\n%s", text)
	return ""
}
