package outcome

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"testing"
)

func TestOf(t *testing.T) {
	for _, c := range []struct {
		err  error
		want Outcome
	}{
		{nil, OK},
		{syscall.EOPNOTSUPP, Unsupported},
		{syscall.EPROTONOSUPPORT, Unsupported},
		{syscall.ENOSYS, Unsupported},
		{syscall.ENOENT, Unsupported},
		{fs.ErrNotExist, Unsupported},
		{syscall.EPERM, NotPermitted},
		{syscall.EACCES, NotPermitted},
		{fs.ErrPermission, NotPermitted},
		{syscall.EAFNOSUPPORT, NotPermitted},
		{syscall.ENODEV, Vanished},
		{syscall.ENXIO, Vanished},
		{syscall.EMSGSIZE, Truncated},
		{syscall.EIO, Broken},
		{syscall.EINVAL, Broken},
		{syscall.EBUSY, Broken},
		{context.DeadlineExceeded, Broken},
		{os.ErrClosed, Broken},
		{errors.New("anything else"), Broken},
	} {
		wrapped := fmt.Errorf("p0: read counters: %w", c.err)
		if c.err == nil {
			wrapped = nil
		}
		for _, err := range []error{c.err, wrapped, errors.Join(wrapped)} {
			if have := Of(err); have != c.want {
				t.Errorf("%v is %v, want %v", err, have, c.want)
			}
		}
	}
}

func TestNames(t *testing.T) {
	want := []string{"ok", "unsupported", "not_permitted", "vanished", "broken", "truncated"}
	if len(want) != Count {
		t.Fatalf("%d outcomes", Count)
	}
	for o, name := range want {
		if have := Outcome(o).String(); have != name {
			t.Errorf("outcome %d is %q, want %q", o, have, name)
		}
	}
}
