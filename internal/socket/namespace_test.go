package socket

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/dpu-exporter/dpu-exporter/test/need"
	"github.com/dpu-exporter/dpu-exporter/test/worlds"
)

func never() error { return errors.New("it was done") }

func TestInNamespaceThatIsNone(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "red")
	if err := InNamespace(missing, never); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
	need.Root(t)
	if err := os.WriteFile(missing, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := InNamespace(missing, never); !errors.Is(err, unix.EINVAL) {
		t.Errorf("a plain file: %v", err)
	}
	if err := InNamespace("/proc/self/ns/uts", never); !errors.Is(err, unix.EINVAL) {
		t.Errorf("another kind: %v", err)
	}
}

// TestInNamespaceRefused: without CAP_SYS_ADMIN not even one's own may be entered.
func TestInNamespaceRefused(t *testing.T) {
	refused := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
		var none [2]unix.CapUserData
		if err := unix.Capset(&header, &none[0]); err != nil {
			refused <- err
			return
		}
		refused <- enterAnd("/proc/thread-self/ns/net", never)
	}()
	if err := <-refused; !errors.Is(err, fs.ErrPermission) {
		t.Errorf("refused: %v", err)
	}
}

// TestInNamespace: do runs there, its error comes back, and what is not there
// stays outside.
func TestInNamespace(t *testing.T) {
	home := inode(t)
	worlds.Enter(t)
	red := inode(t)
	wrong := errors.New("wrong")
	err := InNamespace(fmt.Sprintf("/proc/%d/ns/net", unix.Gettid()), func() error {
		if have := inode(t); have != red {
			t.Errorf("in %s, want %s", have, red)
		}
		return wrong
	})
	if !errors.Is(err, wrong) {
		t.Errorf("InNamespace: %v", err)
	}
	outside := make(chan string)
	go func() { outside <- inode(t) }()
	if have := <-outside; have != home || home == red {
		t.Errorf("another goroutine is in %s, want %s, not %s", have, home, red)
	}
}

// inode names the network namespace of the calling thread.
func inode(t *testing.T) string {
	t.Helper()
	link, err := os.Readlink("/proc/thread-self/ns/net")
	if err != nil {
		t.Error(err)
	}
	return link
}
