package genl

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"testing"
	"time"

	"github.com/dpu-exporter/dpu-exporter/internal/genl/genltest"
	"github.com/dpu-exporter/dpu-exporter/test/worlds"
	"github.com/google/go-cmp/cmp"
	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

const family = "testfamily"

func scripted(t *testing.T, script func(genltest.Request) genltest.Reply) *Conn {
	t.Helper()
	c, err := Over(genltest.Dial(t, family, script), family)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func message(text string) []byte { return append([]byte{7, 1, 0, 0}, text...) }

func TestFamilyAbsent(t *testing.T) {
	if _, err := Over(genltest.Dial(t, family, nil), "another"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("scripted kernel: %v, want fs.ErrNotExist", err)
	}
	if _, err := Dial("no-such-family"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("this kernel: %v, want fs.ErrNotExist", err)
	}
	if _, err := Listen("nlctrl", "no-such-group"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("group: %v, want fs.ErrNotExist", err)
	}
}

func TestErrnoSurvives(t *testing.T) {
	for _, errno := range []unix.Errno{unix.EPERM, unix.EOPNOTSUPP, unix.ENODEV, unix.EMSGSIZE} {
		c := scripted(t, func(genltest.Request) genltest.Reply {
			return genltest.Reply{Messages: [][]byte{message("came before")}, Errno: errno}
		})
		if _, err := c.Do(t.Context(), 1, nil); !errors.Is(err, errno) {
			t.Errorf("do: %v, want %v", err, errno)
		}
		parts, err := c.Dump(t.Context(), 1, nil)
		if !errors.Is(err, errno) {
			t.Errorf("dump: %v, want %v", err, errno)
		}
		if want := [][]byte{[]byte("came before")}; !cmp.Equal(parts, want) {
			t.Errorf("dump that ended in %v: %q, want %q", errno, parts, want)
		}
	}
}

func TestRequestAndReply(t *testing.T) {
	c := scripted(t, func(r genltest.Request) genltest.Reply {
		if r.Command != 9 || r.Dump || string(r.Attributes) != "question" {
			t.Errorf("request %+v", r)
		}
		return genltest.Reply{Messages: [][]byte{message("answer")}}
	})
	if got, err := c.Do(t.Context(), 9, []byte("question")); err != nil || string(got) != "answer" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestGarbageIsAnError(t *testing.T) {
	for _, garbage := range [][]byte{nil, {1}, {1, 2, 3}, {1, 1, 0xff, 0xff}} {
		c := scripted(t, func(genltest.Request) genltest.Reply {
			return genltest.Reply{Messages: [][]byte{garbage}}
		})
		if _, err := c.Do(t.Context(), 1, nil); err == nil {
			t.Errorf("do accepted %x", garbage)
		}
		if _, err := c.Dump(t.Context(), 1, nil); err == nil {
			t.Errorf("dump accepted %x", garbage)
		}
	}
}

func TestInterruptedDumpIsRepeated(t *testing.T) {
	for _, test := range []struct{ interruptions, asked int }{{0, 1}, {2, 3}, {attempts, attempts}} {
		asked := 0
		c := scripted(t, func(genltest.Request) genltest.Reply {
			asked++
			return genltest.Reply{
				Messages:    [][]byte{message("one"), message("two")},
				Interrupted: asked <= test.interruptions,
			}
		})
		parts, err := c.Dump(t.Context(), 1, nil)
		if gaveUp := test.interruptions == attempts; errors.Is(err, ErrInterrupted) != gaveUp || !gaveUp && err != nil {
			t.Errorf("%d interruptions: %v", test.interruptions, err)
		}
		if want := [][]byte{[]byte("one"), []byte("two")}; !cmp.Equal(parts, want) {
			t.Errorf("%d interruptions: %q, want %q", test.interruptions, parts, want)
		}
		if asked != test.asked {
			t.Errorf("%d interruptions: asked %d times, want %d", test.interruptions, asked, test.asked)
		}
	}
}

func TestContext(t *testing.T) {
	c := scripted(t, func(genltest.Request) genltest.Reply {
		return genltest.Reply{Err: os.ErrDeadlineExceeded}
	})
	if _, err := c.Do(t.Context(), 1, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("answer too late: %v", err)
	}
	c.turn <- struct{}{} // somebody else's request
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Do(ctx, 1, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("waiting for another request: %v", err)
	}
	<-c.turn
	asked := false
	c = scripted(t, func(genltest.Request) genltest.Reply { asked = true; return genltest.Reply{} })
	if _, err := c.Dump(ctx, 1, nil); !errors.Is(err, context.Canceled) || asked {
		t.Errorf("cancelled before: %v, asked %v", err, asked)
	}
}

func TestKernelDeadline(t *testing.T) {
	c, err := Dial("nlctrl")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	if _, err := c.Dump(ctx, unix.CTRL_CMD_GETFAMILY, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("after the deadline: %v", err)
	}
	families, err := c.Dump(t.Context(), unix.CTRL_CMD_GETFAMILY, nil)
	if err != nil || len(families) == 0 {
		t.Errorf("next request: %d families, %v", len(families), err)
	}
}

func TestClosed(t *testing.T) {
	c, err := Dial("nlctrl")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := c.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
	if _, err := c.Dump(t.Context(), unix.CTRL_CMD_GETFAMILY, nil); !errors.Is(err, os.ErrClosed) {
		t.Errorf("after close: %v, want os.ErrClosed", err)
	}
}

// A dump that is given up half way must not spoil the next request.
func TestAbandonedDump(t *testing.T) {
	worlds.Enter(t)
	worlds.AddVeths(t, 60) // more than the kernel puts in one datagram
	c, err := Dial(unix.ETHTOOL_GENL_NAME)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	e := netlink.NewAttributeEncoder()
	e.Nested(unix.ETHTOOL_A_CHANNELS_HEADER, func(*netlink.AttributeEncoder) error { return nil })
	all, err := e.Encode()
	if err != nil {
		t.Fatal(err)
	}
	const command = unix.ETHTOOL_MSG_LINKMODES_GET
	want, err := c.Dump(t.Context(), command, all)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.send(command, all, netlink.Request|netlink.Dump); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Dump(t.Context(), command, all); !errors.Is(err, unix.EBUSY) {
		t.Fatalf("second dump while one runs: %v, want EBUSY", err)
	}
	got, err := c.Dump(t.Context(), command, all)
	if err != nil {
		t.Fatalf("after a failed request: %v", err)
	}
	if !bytes.Equal(bytes.Join(got, nil), bytes.Join(want, nil)) || len(got) != 120 {
		t.Errorf("%d devices, want 120, as before", len(got))
	}
}
