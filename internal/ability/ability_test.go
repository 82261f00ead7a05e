package ability

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/dpu-exporter/dpu-exporter/internal/outcome"
	"github.com/dpu-exporter/dpu-exporter/test/need"
)

func TestRemedy(t *testing.T) {
	a := Ability{Family: "AF_PACKET", Allow: lines("CAP_NET_RAW", "RestrictNamespaces=net")}
	for _, c := range []struct {
		err  error
		want string
	}{
		{fmt.Errorf("socket: %w", unix.EAFNOSUPPORT), "add AF_PACKET to RestrictAddressFamilies="},
		{fmt.Errorf("socket: %w", unix.EPERM), "add AmbientCapabilities=CAP_NET_RAW and CapabilityBoundingSet=CAP_NET_RAW and RestrictNamespaces=net to the unit (a container: --user=0:0 --cap-add=NET_RAW)"},
		{unix.EACCES, a.Allow},
		{unix.ENODEV, ""},
		{fs.ErrNotExist, ""},
		{errors.New("broken"), ""},
		{nil, ""},
	} {
		if have := a.Remedy(c.err); have != c.want {
			t.Errorf("Remedy(%v) = %q, want %q", c.err, have, c.want)
		}
	}
}

// TestTableIsComplete: whatever can be refused has a remedy, and names are
// unique.
func TestTableIsComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, a := range All("/dev") {
		if a.Name == "" || a.For == "" || seen[a.Name] {
			t.Errorf("%q, for %q: empty or twice", a.Name, a.For)
		}
		seen[a.Name] = true
		if a.Family == "" && a.Allow == "" {
			t.Errorf("%s: nothing to do when it is refused", a.Name)
		}
		if a.Capability != "" && !strings.Contains(a.Allow, "AmbientCapabilities="+a.Capability+" and CapabilityBoundingSet="+a.Capability) {
			t.Errorf("%s: %q does not grant %s", a.Name, a.Allow, a.Capability)
		}
	}
}

func TestOpenRefused(t *testing.T) {
	if err := open(-1, unix.SOCK_RAW, 0); !errors.Is(err, unix.EAFNOSUPPORT) {
		t.Errorf("open: %v", err)
	}
}

// TestAskEswitch: root is answered, also by a kernel with devlink (make lab
// LAB_PACKAGES=./internal/ability), and a thread without capabilities is not.
func TestAskEswitch(t *testing.T) {
	need.Root(t)
	if err := askEswitch(t.Context()); err != nil {
		t.Errorf("as root: %v", err)
	}
	refused := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
		var none [2]unix.CapUserData
		refused <- errors.Join(unix.Capset(&header, &none[0]), askEswitch(t.Context()))
	}()
	if err := <-refused; !errors.Is(err, fs.ErrPermission) {
		t.Errorf("without capabilities: %v", err)
	}
}

func TestLockMemory(t *testing.T) {
	if err := lockMemory(0); !errors.Is(err, unix.EINVAL) {
		t.Errorf("nothing to lock: %v", err)
	}
	if err := lockMemory(os.Getpagesize()); err != nil {
		t.Errorf("a page: %v", err)
	}
}

func TestOpenRDMA(t *testing.T) {
	dev := t.TempDir()
	if err := openRDMA(dev); outcome.Of(err) != outcome.Unsupported {
		t.Errorf("no device: %v", err)
	}
	if err := os.Mkdir(filepath.Join(dev, "infiniband"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"uverbs0", "uverbs1", "rdma_cm"} {
		if err := os.Symlink("/dev/null", filepath.Join(dev, "infiniband", name)); err != nil {
			t.Fatal(err)
		}
		if err := openRDMA(dev); err != nil {
			t.Errorf("openRDMA with %s: %v", name, err)
		}
	}
	if err := os.WriteFile(filepath.Join(dev, "infiniband/uverbs-"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := openRDMA(dev); err == nil || !strings.Contains(err.Error(), "no character device") {
		t.Errorf("a plain file: %v", err)
	}
}
