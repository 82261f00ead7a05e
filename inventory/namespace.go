package inventory

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/dpu-exporter/dpu-exporter/internal/host"
	"github.com/dpu-exporter/dpu-exporter/internal/outcome"
)

// Inode numbers of the machine's first namespaces (include/uapi/linux/nsfs.h,
// before that include/linux/proc_ns.h). The network namespace has a fixed one
// since Linux 6.18; earlier kernels number it like any other, from 0xF0000000
// up, so that nothing else ever has this number.
const (
	firstPIDNamespace     = 0xEFFFFFFC // PID_NS_INIT_INO
	firstNetworkNamespace = 0xEFFFFFF9 // NET_NS_INIT_INO
)

// Host says whether a network namespace is the host's own.
type Host uint8

// The three answers. Maybe is the answer where the host's first process cannot
// be seen.
const (
	MaybeHost Host = iota
	IsHost
	NotHost
)

// String returns unknown, true or false.
func (h Host) String() string { return [...]string{"unknown", "true", "false"}[h] }

// Namespace is the network namespace that an inventory was opened in.
type Namespace struct {
	Inode uint64 // of /proc/thread-self/ns/net; 0 where that cannot be read
	Host  Host   // whether it is the host's
	Why   string // why that cannot be told; "" when it can

	err error // of Why
}

// currentNamespace looks at the calling thread's network namespace and, below
// procfs, at that of the machine's first process (namespaces(7)).
func currentNamespace(procfs string) Namespace {
	own, err := namespaceInode("/proc/thread-self/ns/net")
	if err != nil {
		return Namespace{Why: err.Error(), err: err}
	}
	n := Namespace{Inode: own}
	n.Host, n.err = compareNamespace(procfs, own, numbersFirstNamespace(host.Release()))
	if n.err != nil {
		n.Why = n.err.Error()
	}
	return n
}

// note tells of interfaces that are not, or may not be, the host's.
func (n Namespace) note() *Note {
	switch {
	case n.Host == NotHost:
		return &Note{
			Source: "netns", Outcome: outcome.OK,
			Text: "these are the interfaces of another network namespace than the host's; in a container, run with host networking",
		}
	case n.Host == MaybeHost && n.err != nil:
		why := outcome.Unsupported
		if outcome.Of(n.err) == outcome.NotPermitted {
			why = outcome.NotPermitted
		}
		return &Note{
			Source: "netns", Outcome: why,
			Text: fmt.Sprintf("cannot tell whether these are the host's interfaces: %v", n.err),
		}
	}
	return nil
}

// numbersFirstNamespace says whether a kernel gives the first network namespace
// its fixed inode number, so that any other number is another namespace's.
func numbersFirstNamespace(release string) bool {
	var major, minor int
	if n, _ := fmt.Sscanf(release, "%d.%d", &major, &minor); n != 2 {
		return false
	}
	return major > 6 || major == 6 && minor >= 18
}

// compareNamespace compares a network namespace with the first process's. That
// process is the machine's own only when it is in the first PID namespace: in a
// container, process 1 is the container's. Where the first network namespace
// has a fixed number, that alone decides.
func compareNamespace(procfs string, own uint64, fixed bool) (Host, error) {
	switch {
	case own == firstNetworkNamespace:
		return IsHost, nil
	case fixed:
		return NotHost, nil
	}
	pid, err := namespaceInode(filepath.Join(procfs, "1/ns/pid"))
	if err != nil {
		return MaybeHost, err
	}
	if pid != firstPIDNamespace {
		return MaybeHost, fmt.Errorf("%s is a container's first process, not the machine's", filepath.Join(procfs, "1"))
	}
	first, err := namespaceInode(filepath.Join(procfs, "1/ns/net"))
	if err != nil {
		return MaybeHost, err
	}
	if first == own {
		return IsHost, nil
	}
	return NotHost, nil
}

// namespaceInode reads the inode number from a link like net:[4026531840].
func namespaceInode(path string) (uint64, error) {
	link, err := os.Readlink(path)
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(link, ":[")
	inode, err := strconv.ParseUint(strings.TrimSuffix(rest, "]"), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("namespace link %s: %q: %w", path, link, err)
	}
	return inode, nil
}
