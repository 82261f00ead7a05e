package ethtool

import (
	"cmp"
	"errors"
	"math"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/internal/genl"
	"github.com/dpu-exporter/dpu-exporter/internal/genl/genltest"
	"github.com/dpu-exporter/dpu-exporter/test/worlds"
	gocmp "github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

func scripted(t *testing.T, script func(genltest.Request) genltest.Reply) *Conn {
	t.Helper()
	family, err := genl.Over(genltest.Dial(t, "ethtool", script), "ethtool")
	if err != nil {
		t.Fatal(err)
	}
	return &Conn{family: family}
}

// calls is every method that asks the kernel something.
var calls = map[string]func(*testing.T, *Conn) error{
	"link modes":    func(t *testing.T, c *Conn) error { return c.LinkModes(t.Context(), func(LinkMode) {}) },
	"link modes of": func(t *testing.T, c *Conn) error { _, err := c.LinkModesOf(t.Context(), 4); return err },
	"groups":        func(t *testing.T, c *Conn) error { _, err := c.Groups(t.Context(), 4); return err },
	"pause":         func(t *testing.T, c *Conn) error { _, err := c.Pause(t.Context(), 4); return err },
	"FEC":           func(t *testing.T, c *Conn) error { _, err := c.FEC(t.Context(), 4); return err },
	"link state":    func(t *testing.T, c *Conn) error { _, err := c.LinkState(t.Context(), 4); return err },
	"rings":         func(t *testing.T, c *Conn) error { _, err := c.Rings(t.Context(), 4); return err },
	"channels":      func(t *testing.T, c *Conn) error { _, err := c.Channels(t.Context(), 4); return err },
	"coalescing":    func(t *testing.T, c *Conn) error { _, err := c.Coalesce(t.Context(), 4); return err },
	"features":      func(t *testing.T, c *Conn) error { _, err := c.Features(t.Context(), 4); return err },
	"timestamping":  func(t *testing.T, c *Conn) error { _, err := c.Timestamping(t.Context(), 4); return err },
	"module page":   func(t *testing.T, c *Conn) error { _, err := c.ModulePage(t.Context(), 4, 0x50, 0, 0, 128); return err },
}

func TestErrors(t *testing.T) { genltest.CheckErrors(t, scripted, calls) }

func TestBadDeviceHidesNoOther(t *testing.T) {
	messages := slices.Insert(genltest.ReadCapture(t, vethCapture), 1, []byte{4, 1, 0, 0})
	c := scripted(t, func(genltest.Request) genltest.Reply {
		return genltest.Reply{Messages: messages, Interrupted: true, Errno: 0}
	})
	var got []string
	err := c.LinkModes(t.Context(), func(m LinkMode) { got = append(got, m.Name) })
	if !errors.Is(err, ErrInterrupted) || !strings.Contains(err.Error(), "ETHTOOL_A_LINKMODES_HEADER: missing") {
		t.Errorf("error %v", err)
	}
	if want := []string{"b0", "a0"}; !slices.Equal(got, want) {
		t.Errorf("visited %q, want %q", got, want)
	}
}

// A connection sees the namespace of the thread that dialled it, and only that.
func TestKernel(t *testing.T) {
	worlds.Enter(t)
	worlds.AddVeths(t, 2)
	c, err := Dial()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()

	var got []LinkMode
	if err := c.LinkModes(t.Context(), func(m LinkMode) { got = append(got, m) }); err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(got, func(a, b LinkMode) int { return cmp.Compare(a.Name, b.Name) })
	want := veths("a0", "a1", "b0", "b1")
	for i := range want {
		link, err := net.InterfaceByName(want[i].Name)
		if err != nil {
			t.Fatal(err)
		}
		want[i].Index = link.Index
		one, err := c.LinkModesOf(t.Context(), link.Index)
		if diff := gocmp.Diff(want[i], one); diff != "" || err != nil {
			t.Errorf("%s alone: %v (-want +got):\n%s", want[i].Name, err, diff)
		}
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("all (-want +got):\n%s", diff)
	}

	lo, err := net.InterfaceByName("lo")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.LinkModesOf(t.Context(), lo.Index); !errors.Is(err, unix.EOPNOTSUPP) {
		t.Errorf("loopback: %v, want EOPNOTSUPP", err)
	}
	if _, err := c.LinkModesOf(t.Context(), math.MaxInt32); !errors.Is(err, unix.ENODEV) {
		t.Errorf("no such device: %v, want ENODEV", err)
	}
}

func BenchmarkLinkModes(b *testing.B) {
	worlds.Enter(b)
	worlds.AddVeths(b, 50)
	c, err := Dial()
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	for b.Loop() {
		if err := c.LinkModes(b.Context(), func(LinkMode) {}); err != nil {
			b.Fatal(err)
		}
	}
}
