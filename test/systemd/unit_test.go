package systemd

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/coreos/go-systemd/v22/unit"

	"github.com/dpu-exporter/dpu-exporter/internal/ability"
	"github.com/dpu-exporter/dpu-exporter/test/need"
)

const (
	shipped     = "../../deploy/systemd/dpu-exporter.service"
	probes      = "../../deploy/systemd/probes.conf"
	environment = "../../deploy/systemd/dpu-exporter.default"
)

// maxExposure is ten times the exposure that systemd may find.
const maxExposure = "20"

// settings are the words of each setting in [Service], in their order.
type settings map[string][]string

// readUnit reads the section [Service] of a file.
func readUnit(t *testing.T, path string) settings {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	options, err := unit.DeserializeOptions(f)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	s := settings{}
	for _, o := range options {
		if o.Section == "Service" {
			s[o.Name] = append(s[o.Name], strings.Fields(o.Value)...)
		}
	}
	return s
}

// needed are the capabilities that the table names, for this version or for later.
func needed(later bool) []string {
	var names []string
	for _, a := range ability.All("/dev") {
		if a.Capability != "" && a.Later == later {
			names = append(names, a.Capability)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// TestCapabilitiesAreThoseOfTheTable: no more, for what cannot be explained is
// not granted, and no less.
func TestCapabilitiesAreThoseOfTheTable(t *testing.T) {
	for path, want := range map[string][]string{shipped: needed(false), probes: needed(true)} {
		s := readUnit(t, path)
		for _, name := range []string{"AmbientCapabilities", "CapabilityBoundingSet"} {
			if have := slices.Sorted(slices.Values(s[name])); !slices.Equal(have, want) {
				t.Errorf("%s: %s=%v, the table has %v", path, name, have, want)
			}
		}
	}
}

// TestFamiliesAreThoseOfTheTable: a sandbox without AF_NETLINK hides every
// counter, one without AF_INET the ethtool ioctl.
func TestFamiliesAreThoseOfTheTable(t *testing.T) {
	want := []string{"AF_UNIX", "AF_INET", "AF_INET6"} // notifications; the web server
	for _, a := range ability.All("/dev") {
		if a.Family != "" {
			want = append(want, a.Family)
		}
	}
	slices.Sort(want)
	want = slices.Compact(want)
	if have := slices.Sorted(slices.Values(readUnit(t, shipped)["RestrictAddressFamilies"])); !slices.Equal(have, want) {
		t.Errorf("RestrictAddressFamilies=%v, want %v", have, want)
	}
}

// TestAdviceIsWhatIsShipped: what check says to add are lines of the shipped unit.
func TestAdviceIsWhatIsShipped(t *testing.T) {
	text, advised := read(t, shipped), ""
	for _, a := range ability.All("/dev") {
		advised += a.Allow + "\n"
	}
	for _, line := range []string{"RestrictNamespaces=net", "LimitMEMLOCK=infinity", "DeviceAllow=char-infiniband_verbs rw", "DeviceAllow=/dev/infiniband/rdma_cm rw"} {
		if !strings.Contains(advised, line) || !strings.Contains(text, "\n"+line+"\n") {
			t.Errorf("%s is not both in the unit and in what check says", line)
		}
	}
}

// TestDocumentHasTheTable: a row for each ability, with its capability.
func TestDocumentHasTheTable(t *testing.T) {
	text := read(t, "../../docs/operating.md")
	for _, a := range ability.All("/dev") {
		row := regexp.MustCompile(`(?m)^\| ` + a.Name + ` \|.*$`).FindString(text)
		if row == "" || !strings.Contains(row, a.Capability) || a.Later != strings.Contains(row, ", later |") {
			t.Errorf("%s, with %q, later %v: row %q", a.Name, a.Capability, a.Later, row)
		}
	}
}

func TestServiceSettings(t *testing.T) {
	s := readUnit(t, shipped)
	for name, want := range map[string]string{
		"Type": "notify", "NotifyAccess": "main", "WatchdogSec": "60", "Restart": "on-failure",
		"DynamicUser": "yes", "StateDirectory": "dpu-exporter", "NoNewPrivileges": "yes",
		"ExecStart": "/usr/local/bin/dpu-exporter serve $DPU_EXPORTER_OPTIONS", "ExecReload": "/bin/kill -HUP $MAINPID",
		"EnvironmentFile": "-/etc/default/dpu-exporter", "RestrictNamespaces": "net", "LimitMEMLOCK": "infinity",
		"DevicePolicy": "closed", "DeviceAllow": "char-infiniband_verbs rw /dev/infiniband/rdma_cm rw",
		"RestartSec": "5", "TimeoutStartSec": "60", "TimeoutStopSec": "10", "UMask": "0077", "SystemCallErrorNumber": "EPERM",
		"MemoryDenyWriteExecute": "yes", "LockPersonality": "yes", "ProtectHostname": "yes", "ProtectSystem": "strict",
		"ProtectKernelTunables": "yes", "ProtectProc": "invisible", "PrivateMounts": "yes", "RestrictRealtime": "yes",
	} {
		if have := strings.Join(s[name], " "); have != want {
			t.Errorf("%s=%s, want %s", name, have, want)
		}
	}
	for _, name := range []string{"User", "PrivateNetwork", "PrivateDevices", "PrivateUsers", "ProcSubset"} {
		if have := s[name]; have != nil {
			t.Errorf("%s=%v hides what the exporter reads", name, have)
		}
	}
}

// TestSystemdAcceptsTheUnit: systemd itself finds no fault in the unit, with and
// without the drop-in, and does find one where there is one.
func TestSystemdAcceptsTheUnit(t *testing.T) {
	if out, _ := judge(t, "testdata/faulty.service", "", "verify"); !strings.Contains(out, "'RestrictAddresFamilies'") {
		t.Errorf("the fault is not named:\n%s", out)
	}
	for _, dropIn := range []string{"", probes} {
		out, err := judge(t, shipped, dropIn, "verify")
		if err != nil || strings.TrimSpace(out) != "" {
			t.Errorf("with drop-in %q: %v\n%s", dropIn, err, out)
		}
	}
}

// TestExposure: systemd exits with 1 above the threshold.
func TestExposure(t *testing.T) {
	if out, err := judge(t, "testdata/exposed.service", "", "security", "--offline=true", "--threshold="+maxExposure); err == nil {
		t.Errorf("an exposed unit is accepted:\n%s", out)
	}
	out, err := judge(t, shipped, "", "security", "--offline=true", "--threshold="+maxExposure)
	if err != nil {
		t.Errorf("security: %v\n%s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	t.Log(lines[len(lines)-1])
}

// judge is what systemd says of a copy of a unit that names a program that is
// there, with a drop-in if one is given.
func judge(t *testing.T, path, dropIn string, args ...string) (string, error) {
	t.Helper()
	tool := need.Tool(t, "systemd-analyze") //nolint:misspell // the name of a program
	dir := t.TempDir()
	text := strings.ReplaceAll(read(t, path), "/usr/local/bin/dpu-exporter", "/bin/true")
	copied := filepath.Join(dir, "dpu-exporter.service")
	write(t, copied, text)
	if dropIn != "" {
		if err := os.Mkdir(copied+".d", 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(copied+".d", filepath.Base(dropIn)), read(t, dropIn))
	}
	out, err := exec.CommandContext(t.Context(), tool, append(args, "--no-pager", copied)...).CombinedOutput()
	return string(out), err
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
