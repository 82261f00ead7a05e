package world

import (
	"net"
	"os"
	"testing"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/dpu-exporter/dpu-exporter/test/program"
)

// A Namespace is a network namespace of the guest, by its name in /run/netns;
// the empty one is the guest's first.
type Namespace string

// AddNamespace makes a network namespace with loopback up.
func AddNamespace(t testing.TB, name string) Namespace {
	t.Helper()
	Run(t, "ip", "netns", "add", name)
	t.Cleanup(func() { Run(t, "ip", "netns", "del", name) })
	n := Namespace(name)
	n.Inside(t, func() {
		lo, err := netlink.LinkByName("lo")
		must(t, err)
		must(t, netlink.LinkSetUp(lo))
	})
	return n
}

// Run is Run in this namespace.
func (n Namespace) Run(t testing.TB, program string, args ...string) string {
	t.Helper()
	program, args = n.command(program, args)
	return Run(t, program, args...)
}

// Try is Try in this namespace.
func (n Namespace) Try(t testing.TB, program string, args ...string) (string, error) {
	t.Helper()
	program, args = n.command(program, args)
	return Try(t, program, args...)
}

// command is what runs a program in this namespace (ip-netns(8)).
func (n Namespace) command(program string, args []string) (string, []string) {
	if n == "" {
		return program, args
	}
	return "ip", append([]string{"netns", "exec", string(n), program}, args...)
}

// Start starts a program in this namespace; it ends with the test.
func (n Namespace) Start(t testing.TB, path string, args ...string) *program.Program {
	t.Helper()
	path, args = n.command(path, args)
	return program.Start(t, path, args...)
}

// open opens the namespace's file (ip-netns(8)).
func (n Namespace) open(t testing.TB) *os.File {
	t.Helper()
	file := "/proc/1/ns/net"
	if n != "" {
		file = "/run/netns/" + string(n)
	}
	f, err := os.OpenFile(file, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// index is the interface index of a device of this namespace.
func (n Namespace) index(t testing.TB, device string) (index int) {
	t.Helper()
	n.Inside(t, func() {
		link, err := net.InterfaceByName(device)
		must(t, err)
		index = link.Index
	})
	return index
}
