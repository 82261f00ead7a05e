package world

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Port is a devlink port as devlink-port(8) shows it. Numbers that it does not
// show are nil.
type Port struct {
	Handle     string  `json:"-"` // netdevsim/netdevsim1/128
	Netdev     string  // "" without one in this namespace
	Flavour    string  // physical, pcivf…
	Number     *uint32 `json:"port"`
	Controller *uint32
	PF         *uint32 `json:"pfnum"`
	VF         *uint32 `json:"vfnum"`
	SF         *uint32 `json:"sfnum"`
	External   *bool
	Function   *struct {
		Address        string `json:"hw_addr"`
		State, OpState string // of an SF: active, inactive; attached, detached
	}
}

// Device is the devlink device that the port is of.
func (p Port) Device() string { return path.Dir(p.Handle) }

// Index is the number of the port on its device (DEVLINK_ATTR_PORT_INDEX).
func (p Port) Index() int {
	index, _ := strconv.Atoi(path.Base(p.Handle))
	return index
}

// Ports are the devlink ports of the guest's first namespace, in order.
func Ports(t testing.TB) []Port {
	t.Helper()
	return Namespace("").Ports(t)
}

// Ports are the devlink ports of this namespace, in order.
func (n Namespace) Ports(t testing.TB) []Port {
	t.Helper()
	args := []string{"-j", "port", "show"}
	if n != "" {
		args = append([]string{"-N", string(n)}, args...)
	}
	var ports []Port
	for handle, p := range RunJSON[struct{ Port map[string]Port }](t, "devlink", args...).Port {
		p.Handle = handle
		ports = append(ports, p)
	}
	slices.SortFunc(ports, func(a, b Port) int {
		if a.Device() != b.Device() {
			return strings.Compare(a.Device(), b.Device())
		}
		return a.Index() - b.Index()
	})
	return ports
}

// LinkPorts ties two physical ports of NICs like a cable, until one of them is
// removed: what one sends the other receives. Each is named with the namespace
// that it is in. The kernel refuses representors (EINVAL).
func LinkPorts(t testing.TB, inA Namespace, a string, inB Namespace, b string) error {
	t.Helper()
	fileA, fileB := inA.open(t), inB.open(t)
	defer fileA.Close()
	defer fileB.Close()
	ends := fmt.Sprintf("%d:%d %d:%d", fileA.Fd(), inA.index(t, a), fileB.Fd(), inB.index(t, b))
	return os.WriteFile("/sys/bus/netdevsim/link_device", []byte(ends), 0o200)
}
