package systemd

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dpu-exporter/dpu-exporter/internal/socket"
	"github.com/dpu-exporter/dpu-exporter/test/need"
	"github.com/dpu-exporter/dpu-exporter/test/program"
)

// machine is a real systemd with the shipped files installed, in namespaces of
// its own (testdata/machine.sh).
type machine struct {
	pid int // of systemd
	log string
}

// patience is how long anything may take on a busy machine.
const patience = time.Minute

// boot starts systemd; the machine ends with the test.
func boot(t *testing.T, binary string) *machine {
	t.Helper()
	need.Root(t)
	systemd := "/lib/systemd/systemd"
	_, err := os.Stat(systemd)
	need.That(t, err == nil, "needs "+systemd)
	waitForTurn(t)
	m := &machine{log: filepath.Join(t.TempDir(), "kmsg")}
	write(t, m.log, "")
	p := program.Start(t, need.Tool(t, "unshare"), "--pid", "--fork", "--mount", "--mount-proc", "--cgroup", "--uts", "--ipc", "--net",
		"--kill-child", "sh", "testdata/machine.sh", binary, "../../deploy/systemd", m.log)
	await(t, "systemd to start", func() string {
		m.pid, _ = strconv.Atoi(strings.TrimSpace(fileOr(fmt.Sprintf("/proc/%d/task/%[1]d/children", p.PID()), "")))
		if m.pid == 0 {
			return "no child"
		}
		if out, err := m.try("systemctl", "is-active", "multi-user.target"); err != nil {
			return out + p.Log() + fileOr(m.log, "")
		}
		return ""
	})
	return m
}

// waitForTurn keeps other machines away until the test ends: two would share the
// control group of the service.
func waitForTurn(t *testing.T) {
	t.Helper()
	await(t, "another machine to end", func() string {
		turn, err := net.Listen("unix", "@dpu-exporter/test/systemd")
		if err != nil {
			return err.Error()
		}
		t.Cleanup(func() { _ = turn.Close() })
		return ""
	})
}

// await polls until wrong says that nothing is.
func await(t *testing.T, what string, wrong func() string) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		have := wrong()
		if have == "" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("waited %s for %s: %s", patience, what, have)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func fileOr(path, missing string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return missing
	}
	return string(text)
}

// try runs a program in the machine.
func (m *machine) try(args ...string) (string, error) {
	enter := append([]string{"--target", strconv.Itoa(m.pid), "--mount", "--pid", "--net", "--cgroup", "--"}, args...)
	out, err := exec.Command("nsenter", enter...).CombinedOutput()
	return string(out), err
}

// systemctl runs it in the machine.
func (m *machine) systemctl(t *testing.T, args ...string) {
	t.Helper()
	if out, err := m.try(append([]string{"systemctl"}, args...)...); err != nil {
		t.Fatalf("systemctl %v: %v\n%s\n%s", args, err, out, fileOr(m.log, ""))
	}
}

// show is a property of the service.
func (m *machine) show(t *testing.T, property string) string {
	t.Helper()
	out, err := m.try("systemctl", "show", "--value", "--property="+property, "dpu-exporter")
	if err != nil {
		t.Fatalf("systemctl show: %v\n%s", err, out)
	}
	return strings.TrimSpace(out)
}

// path is where a file of the machine is seen from outside.
func (m *machine) path(name string) string { return fmt.Sprintf("/proc/%d/root%s", m.pid, name) }

// restart installs the only drop-in and the only options, and restarts the
// service, whose output is in /run/log.
func (m *machine) restart(t *testing.T, dropIn, options string) {
	t.Helper()
	output := "\nStandardOutput=append:/run/log\nStandardError=inherit\nRestartSec=100ms\n"
	write(t, m.path("/etc/systemd/system/dpu-exporter.service.d/test.conf"), "[Service]\n"+dropIn+output)
	write(t, m.path("/etc/default/dpu-exporter"), fmt.Sprintf("DPU_EXPORTER_OPTIONS=%q\n", options))
	write(t, m.path("/run/log"), "")
	m.systemctl(t, "daemon-reload")
	m.systemctl(t, "restart", "dpu-exporter")
}

// process is a file of /proc of the service's main process.
func (m *machine) process(t *testing.T, file string) string {
	t.Helper()
	return read(t, m.path("/proc/"+m.show(t, "MainPID")+"/"+file))
}

// scrape returns /metrics.
func (m *machine) scrape(t *testing.T) (text string) {
	t.Helper()
	err := socket.InNamespace(fmt.Sprintf("/proc/%d/ns/net", m.pid), func() (err error) {
		text, err = program.Read("http://127.0.0.1:10042/metrics")
		return err
	})
	if err != nil {
		t.Fatalf("scrape: %v", err)
	}
	return text
}
