//go:build lab

package lab

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// place is where a namespace may be, which goes when its file is closed.
type place struct {
	mu   sync.Mutex
	file *os.File // nil without one
}

// errNoNamespace is met with where there is none.
var errNoNamespace = errors.New("no namespace")

// elsewhere calls a function in another network namespace, or a new one.
func elsewhere(enter func() error, do func() error) error {
	runtime.LockOSThread()
	home, err := os.Open("/proc/thread-self/ns/net")
	if err != nil {
		return err
	}
	defer home.Close()
	if err := enter(); err != nil {
		runtime.UnlockOSThread()
		return err
	}
	err = do()
	if back := unix.Setns(int(home.Fd()), unix.CLONE_NEWNET); back != nil {
		return back // and the thread ends with the goroutine
	}
	runtime.UnlockOSThread()
	return err
}

// within calls a function in the namespace of a place, which stays meanwhile.
func (p *place) within(do func() error) error {
	p.mu.Lock()
	if p.file == nil {
		p.mu.Unlock()
		return errNoNamespace
	}
	fd, err := unix.FcntlInt(p.file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	p.mu.Unlock()
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return elsewhere(func() error { return unix.Setns(fd, unix.CLONE_NEWNET) }, do)
}

func (s *storm) anyPlace(r *rand.Rand) *place { return &s.namespaces[r.IntN(len(s.namespaces))] }

func (s *storm) addNamespace(r *rand.Rand) error {
	p := s.anyPlace(r)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.file != nil {
		return os.ErrExist
	}
	return elsewhere(func() error { return unix.Unshare(unix.CLONE_NEWNET) }, func() (err error) {
		p.file, err = os.Open("/proc/thread-self/ns/net")
		return err
	})
}

// moveIn takes a function, or now and then an uplink, to a namespace and sets it
// up there. A representor may not go.
func (s *storm) moveIn(r *rand.Rand) error {
	p, name := s.anyPlace(r), anyThere(r, everyFunction)
	if r.IntN(5) == 0 {
		name = anyThere(r, everyEswitch)
	}
	return on(name, func(l netlink.Link) error {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.file == nil {
			return errNoNamespace
		}
		if err := netlink.LinkSetNsFd(l, int(p.file.Fd())); err != nil {
			return err
		}
		return elsewhere(func() error { return unix.Setns(int(p.file.Fd()), unix.CLONE_NEWNET) }, func() error {
			moved, err := netlink.LinkByName(name)
			if err != nil {
				return err
			}
			return netlink.LinkSetUp(moved)
		})
	})
}

// moveOut brings all that is in a namespace back.
func (s *storm) moveOut(r *rand.Rand) error {
	home, err := os.Open("/proc/1/ns/net")
	if err != nil {
		return err
	}
	defer home.Close()
	return s.anyPlace(r).within(func() error {
		all, err := netlink.LinkList()
		for _, l := range all {
			if strings.HasPrefix(l.Attrs().Name, "st") {
				err = cmp.Or(err, netlink.LinkSetNsFd(l, int(home.Fd())))
			}
		}
		return err
	})
}

// deleteNamespace lets the namespace go with all that is in it: the kernel
// brings netdevs back that are no software's.
func (s *storm) deleteNamespace(r *rand.Rand) error { return s.anyPlace(r).leave() }

func (p *place) leave() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.file == nil {
		return errNoNamespace
	}
	defer func() { p.file = nil }()
	return p.file.Close()
}

func (s *storm) leaveNamespaces() {
	for n := range s.namespaces {
		_ = s.namespaces[n].leave()
	}
}
