package genltest

import (
	"errors"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/internal/outcome"
	"golang.org/x/sys/unix"
)

// CheckErrors checks that every call of a connection to a family keeps the
// identity of the kernel's errors, and that attributes which cannot be read are
// an error. Dial makes the connection to a scripted kernel.
func CheckErrors[C any](
	t *testing.T, dial func(t *testing.T, script func(Request) Reply) C, calls map[string]func(*testing.T, C) error,
) {
	t.Helper()
	for errno, want := range map[unix.Errno]outcome.Outcome{
		unix.EPERM:      outcome.NotPermitted,
		unix.EOPNOTSUPP: outcome.Unsupported,
		unix.ENODEV:     outcome.Vanished,
		unix.EIO:        outcome.Broken,
	} {
		c := dial(t, func(Request) Reply { return Reply{Errno: errno} })
		for name, call := range calls {
			if err := call(t, c); !errors.Is(err, errno) || outcome.Of(err) != want {
				t.Errorf("%s: %v is %v, want %v", name, err, outcome.Of(err), want)
			}
		}
	}
	// A generic netlink header, then an attribute longer than the message.
	garbage := []byte{1, 1, 0, 0, 0xff, 0xff, 1, 0}
	c := dial(t, func(Request) Reply { return Reply{Messages: [][]byte{garbage}} })
	for name, call := range calls {
		if err := call(t, c); err == nil || outcome.Of(err) != outcome.Broken {
			t.Errorf("%s: garbage gives %v", name, err)
		}
	}
}
