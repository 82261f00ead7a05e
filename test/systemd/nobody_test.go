package systemd

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/internal/ability"
	"github.com/dpu-exporter/dpu-exporter/test/need"
	"github.com/dpu-exporter/dpu-exporter/test/program"
	"github.com/dpu-exporter/dpu-exporter/test/worlds"
)

// asNobody is the command line that runs another as nobody with the given
// capabilities, in the ambient set and in the bounding set as a unit has them.
func asNobody(capabilities ...string) []string {
	sets := "-all"
	for _, c := range capabilities {
		sets += ",+" + strings.ToLower(strings.TrimPrefix(c, "CAP_"))
	}
	return []string{"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs",
		"--inh-caps=" + sets, "--ambient-caps=" + sets, "--bounding-set=" + sets, "--"}
}

// reachable builds the program where nobody may run it.
func reachable(t *testing.T) string {
	t.Helper()
	path := program.Build(t)
	if err := os.Chmod(filepath.Dir(filepath.Dir(path)), 0o755); err != nil { // of all of the test's folders
		t.Fatal(err)
	}
	return path
}

// checkAs is what check prints as nobody with capabilities and a usual limit of
// locked memory.
func checkAs(t *testing.T, path string, capabilities ...string) string {
	t.Helper()
	command := slices.Concat([]string{"prlimit", "--memlock=65536:65536"}, asNobody(capabilities...), []string{path, "check"})
	out, err := exec.Command(command[0], command[1:]...).CombinedOutput()
	if err != nil {
		t.Fatalf("check with %v: %v\n%s", capabilities, err, out)
	}
	return string(out)
}

// line is what check says of one thing.
func line(t *testing.T, text, name string) string {
	t.Helper()
	m := regexp.MustCompile(`(?m)^[a-z]+ +` + regexp.QuoteMeta(name) + `  .*$`).FindString(text)
	if m == "" {
		t.Fatalf("check says nothing of %s:\n%s", name, text)
	}
	return m
}

// TestEachCapability: with the capability that the table names, and no other,
// the ability works; without it, it does not, and check names the line to add.
// Without any, what needs none works.
func TestEachCapability(t *testing.T) {
	need.Tool(t, "setpriv")
	worlds.Enter(t) // its net.ipv4.ping_group_range is the kernel's own, which shuts out every group
	path := reachable(t)
	without := checkAs(t, path)
	tried := 0
	for _, a := range ability.All("/dev") {
		have := line(t, without, a.Name)
		if a.Capability == "" {
			if a.Name != "RDMA devices" && !strings.HasPrefix(have, "ok ") {
				t.Errorf("without capabilities: %s", have)
			}
			continue
		}
		tried++
		if !strings.HasPrefix(have, "note ") || !strings.Contains(have, "AmbientCapabilities="+a.Capability) || !strings.Contains(have, "needs "+a.Capability) {
			t.Errorf("without %s: %s", a.Capability, have)
		}
		if have := line(t, checkAs(t, path, a.Capability), a.Name); !strings.HasPrefix(have, "ok ") {
			t.Errorf("with %s: %s", a.Capability, have)
		}
	}
	if tried < 5 {
		t.Errorf("only %d abilities need a capability", tried)
	}
}

// TestEchoByGroup: the setting that check names opens ICMP to a user without
// capabilities.
func TestEchoByGroup(t *testing.T) {
	need.Tool(t, "setpriv")
	worlds.Enter(t)
	path := reachable(t)
	if have := line(t, checkAs(t, path), "ICMP echo"); !strings.Contains(have, `set net.ipv4.ping_group_range to "0 2147483647"`) {
		t.Errorf("refused: %s", have)
	}
	if err := os.WriteFile("/proc/sys/net/ipv4/ping_group_range", []byte("0 2147483647"), 0); err != nil {
		t.Fatal(err)
	}
	if have := line(t, checkAs(t, path), "ICMP echo"); !strings.HasPrefix(have, "ok ") {
		t.Errorf("allowed: %s", have)
	}
}

// TestCapabilitiesOfTheUnit: nobody with exactly what the unit grants exports
// everything, and check agrees.
func TestCapabilitiesOfTheUnit(t *testing.T) {
	need.Root(t)
	need.Tool(t, "setpriv")
	path := reachable(t)
	capabilities := readUnit(t, shipped)["AmbientCapabilities"]
	text := checkAs(t, path, capabilities...)
	for _, a := range ability.All("/dev") {
		if slices.Contains(capabilities, a.Capability) || a.Capability == "" && !a.Later {
			if have := line(t, text, a.Name); !strings.HasPrefix(have, "ok ") {
				t.Errorf("%s", have)
			}
		}
	}
	command := append(asNobody(capabilities...), path, "serve", "--web.listen-address=127.0.0.1:0")
	address := program.Start(t, command[0], command[1:]...).Address(t)
	checkScrape(t, program.MustRead(t, "http://"+address+"/metrics"), 1, `dpu_interface_up{device="lo"} `, "process_start_time_seconds ")
}
