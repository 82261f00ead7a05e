package systemd

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/dpu-exporter/dpu-exporter/internal/host"
	"github.com/dpu-exporter/dpu-exporter/test/need"
	"github.com/dpu-exporter/dpu-exporter/test/program"
)

// TestUnderSystemd starts the shipped unit under a real systemd and does to it
// what an operator, or bad luck, does.
func TestUnderSystemd(t *testing.T) {
	m := boot(t, program.Build(t))
	m.systemctl(t, "start", "dpu-exporter") // returns once the service has said READY=1
	t.Run("as installed", m.isConfined)
	t.Run("options", m.takesOptions)
	t.Run("reload", m.reloads)
	t.Run("watchdog", m.isWatched)
	t.Run("check", m.checksInSandbox)
	t.Run("devices", m.seesDevices)
	t.Run("namespaces", m.seesNamespaces)
	t.Run("without netlink", m.livesWithoutNetlink)
	t.Run("stop", m.stops)
}

func (m *machine) isConfined(t *testing.T) {
	if have := m.show(t, "StatusText"); !strings.HasPrefix(have, "At the start: 0 uplinks, ") {
		t.Errorf("StatusText=%q", have)
	}
	const netAdmin = "0000000000001000" // bit 12, capabilities(7)
	status := strings.Join(strings.Fields(m.process(t, "status")), " ")
	for _, want := range []string{"CapEff: " + netAdmin, "CapBnd: " + netAdmin, "NoNewPrivs: 1", "Seccomp: 2"} {
		if !strings.Contains(status, want) {
			t.Errorf("no %q in %s", want, status)
		}
	}
	if strings.Contains(status, "Uid: 0 ") {
		t.Errorf("runs as root: %s", status)
	}
	if have, want := m.process(t, "limits"), m.memlock(t); !strings.Contains(have, want) {
		t.Errorf("not %q in limits:\n%s", want, have)
	}
	checkScrape(t, m.scrape(t), 1, "process_start_time_seconds ", `dpu_interface_up{device="lo"} 1`)
}

// memlock is the line of /proc/PID/limits that LimitMEMLOCK=infinity gives: what
// it says, unless this machine itself may not raise a limit; then systemd gives
// all that it has.
func (m *machine) memlock(t *testing.T) string {
	t.Helper()
	raises, err := host.Holds(unix.CAP_SYS_RESOURCE)
	if err != nil {
		t.Fatal(err)
	}
	limit := "unlimited"
	if !raises {
		var own unix.Rlimit
		if err := unix.Getrlimit(unix.RLIMIT_MEMLOCK, &own); err != nil {
			t.Fatal(err)
		}
		limit = strconv.FormatUint(own.Max, 10)
		t.Logf("no CAP_SYS_RESOURCE here: locked memory stays at %s bytes", limit)
	}
	return fmt.Sprintf("Max locked memory         %-20s %-20s bytes", limit, limit)
}

// checkScrape wants every collector to have succeeded, or failed, and some words.
func checkScrape(t *testing.T, text string, success int, words ...string) {
	t.Helper()
	for _, want := range append(words, `dpu_collector_success{collector="interface"} `+string(rune('0'+success))) {
		if !strings.Contains(text, "\n"+want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
}

// takesOptions: what stands in the one variable arrives as it was written, but
// for backslashes, which systemd takes for its own.
func (m *machine) takesOptions(t *testing.T) {
	m.restart(t, "", `--device.exclude=veth.* --device.exclude='mlx5_(12|13) x' --device.exclude=a[.]b --device.exclude=a\.b`)
	want := "/usr/local/bin/dpu-exporter serve --device.exclude=veth.* --device.exclude=mlx5_(12|13) x --device.exclude=a[.]b --device.exclude=a.b "
	if have := strings.ReplaceAll(m.process(t, "cmdline"), "\x00", " "); have != want {
		t.Errorf("command line %q, want %q", have, want)
	}
}

func (m *machine) reloads(t *testing.T) {
	config := m.path("/etc/default/node.yml")
	write(t, config, "")
	m.restart(t, "", "--config.file=/etc/default/node.yml")
	before := m.show(t, "MainPID")
	for _, step := range []struct{ content, status string }{
		{"colour: red\n", "Configuration not reloaded, the old one stays in force: /etc/default/node.yml:1:"},
		{"# mended\n", "At the last reload: 0 uplinks, "},
	} {
		write(t, config, step.content)
		m.systemctl(t, "reload", "dpu-exporter")
		await(t, step.status, func() string {
			if have := m.show(t, "StatusText"); !strings.HasPrefix(have, step.status) {
				return have
			}
			return ""
		})
	}
	if state, pid := m.show(t, "ActiveState"), m.show(t, "MainPID"); state != "active" || pid != before {
		t.Errorf("%s with process %s, was %s", state, pid, before)
	}
}

// isWatched: a process that is well keeps its watchdog quiet, one that stands
// still is replaced.
func (m *machine) isWatched(t *testing.T) {
	m.restart(t, "WatchdogSec=1", "")
	before, seen := m.show(t, "MainPID"), map[string]bool{}
	await(t, "six pings, two more than fit in the watchdog's second", func() string {
		seen[m.show(t, "WatchdogTimestampMonotonic")] = true
		if len(seen) < 6 {
			return "fewer"
		}
		return ""
	})
	if pid := m.show(t, "MainPID"); pid != before {
		t.Fatalf("process %s became %s", before, pid)
	}
	if out, err := m.try("systemctl", "kill", "--signal=STOP", "dpu-exporter"); err != nil {
		t.Fatalf("kill: %v\n%s", err, out)
	}
	await(t, "another process", func() string {
		if pid := m.show(t, "MainPID"); m.show(t, "NRestarts") != "1" || m.show(t, "ActiveState") != "active" || pid == before {
			return fileOr(m.log, "")
		}
		return ""
	})
	m.checkLog(t, "SIGABRT: abort", "goroutine ")
	checkScrape(t, m.scrape(t), 1)
}

// checksInSandbox: check, run where the service runs, agrees with the shipped
// files on what is granted.
func (m *machine) checksInSandbox(t *testing.T) {
	const check = "ExecStartPre=/usr/local/bin/dpu-exporter check"
	m.restart(t, check, "")
	m.checkLog(t,
		"ok     rtnetlink ", "ok     generic netlink ", "ok     eswitch mode ", "ok     ethtool ioctl ",
		"note   ICMP echo ", "note   packet sockets ", "note   network namespaces ",
		"add AmbientCapabilities=CAP_NET_RAW", "add AmbientCapabilities=CAP_SYS_ADMIN")
	_, granted, _ := strings.Cut(read(t, probes), "[Service]")
	m.restart(t, check+granted, "")
	m.checkLog(t, "ok     eswitch mode ", "ok     ICMP echo ", "ok     packet sockets ", "ok     network namespaces ", "ok     locked memory ")
	m.restart(t, check+"\nLimitMEMLOCK=64K", "")
	m.checkLog(t, "note   locked memory ", "add LimitMEMLOCK=infinity")
	if strings.Contains(m.memlock(t), "unlimited") {
		m.restart(t, check, "")
		m.checkLog(t, "ok     locked memory ")
	}
	m.restart(t, check+granted+"\nRestrictNamespaces=yes", "")
	m.checkLog(t, "note   network namespaces ", "RestrictNamespaces=net")
}

// seesDevices: DeviceAllow= takes a device by its path, and without it check
// says what to add. Two harmless devices stand for those of RDMA: null, which
// DevicePolicy=closed lets through, and tun, which it does not.
func (m *machine) seesDevices(t *testing.T) {
	const nodes = "mkdir /dev/infiniband && mknod -m 666 /dev/infiniband/uverbs0 c 1 3 && mknod -m 666 /dev/infiniband/rdma_cm c 10 200"
	if out, err := m.try("sh", "-c", nodes); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const check = "ExecStartPre=/usr/local/bin/dpu-exporter check"
	m.restart(t, check, "")
	m.checkLog(t, "ok     RDMA devices ")
	m.restart(t, check+"\nDeviceAllow=", "")
	m.checkLog(t, "note   RDMA devices          open /dev/infiniband/rdma_cm: operation not permitted; ",
		"add DeviceAllow=char-infiniband_verbs rw and DeviceAllow=/dev/infiniband/rdma_cm rw")
}

// seesNamespaces: a network namespace that is made after the service has started
// is there for it, in spite of its own mounts.
func (m *machine) seesNamespaces(t *testing.T) {
	m.restart(t, "", "")
	if out, err := m.try(need.Tool(t, "ip"), "netns", "add", "red"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	made := stat(t, m.path("/run/netns/red"))
	if seen := stat(t, m.path("/proc/"+m.show(t, "MainPID")+"/root/run/netns/red")); !os.SameFile(made, seen) {
		t.Errorf("the service sees %v, not %v", seen.Sys(), made.Sys())
	}
}

func stat(t *testing.T, path string) os.FileInfo {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// livesWithoutNetlink: a sandbox that forgets AF_NETLINK costs the counters, and
// says so, and does not cost the process.
func (m *machine) livesWithoutNetlink(t *testing.T) {
	const sandbox = "RestrictAddressFamilies=\nRestrictAddressFamilies=AF_UNIX AF_INET AF_INET6"
	m.restart(t, sandbox, "")
	if state := m.show(t, "ActiveState"); state != "active" {
		t.Errorf("ActiveState=%s", state)
	}
	checkScrape(t, m.scrape(t), 0)
	m.checkLog(t, "add AF_NETLINK to RestrictAddressFamilies=")
}

func (m *machine) stops(t *testing.T) {
	m.systemctl(t, "stop", "dpu-exporter")
	if result := m.show(t, "Result"); result != "success" {
		t.Errorf("Result=%s", result)
	}
}

func (m *machine) checkLog(t *testing.T, words ...string) {
	t.Helper()
	log := read(t, m.path("/run/log"))
	for _, want := range words {
		if !strings.Contains(log, want) {
			t.Errorf("no %q in:\n%s", want, log)
		}
	}
}
