package world

import (
	"bufio"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dpu-exporter/dpu-exporter/test/need"
)

// A DevlinkMonitor is devlink-monitor(8) at work: it prints what the kernel
// announces of devices and ports.
type DevlinkMonitor struct{ lines chan string }

// StartDevlinkMonitor listens until the test ends.
func StartDevlinkMonitor(t testing.TB) *DevlinkMonitor {
	t.Helper()
	need.Lab(t)
	command := exec.Command("devlink", "monitor", "dev", "port")
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	m := &DevlinkMonitor{lines: make(chan string)}
	ended := make(chan struct{})
	t.Cleanup(func() {
		close(ended)
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	go func() {
		for scanner := bufio.NewScanner(out); scanner.Scan(); {
			select {
			case m.lines <- scanner.Text():
			case <-ended:
				return
			}
		}
	}()
	Await(t, "devlink monitor listens", func() bool { return listens(t, command.Process.Pid) })
	return m
}

// listens says whether a process is in a multicast group of generic netlink.
// The columns of /proc/net/netlink are sk, Eth, Pid, Groups…
func listens(t testing.TB, pid int) bool {
	t.Helper()
	text, err := os.ReadFile("/proc/net/netlink")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) > 3 && f[1] == "16" && f[2] == strconv.Itoa(pid) && f[3] != "00000000" {
			return true
		}
	}
	return false
}

// Until returns the announcements from the last call up to the one that begins
// with that text, like "[dev,del] netdevsim/netdevsim1".
func (m *DevlinkMonitor) Until(t testing.TB, last string) (announced []string) {
	t.Helper()
	for deadline := time.After(commandLimit); ; {
		select {
		case line := <-m.lines:
			if strings.HasPrefix(line, "[") { // the others are details
				announced = append(announced, line)
			}
			if strings.HasPrefix(line, last) {
				return announced
			}
		case <-deadline:
			t.Fatalf("devlink monitor never said %q; it said %q", last, announced)
		}
	}
}
