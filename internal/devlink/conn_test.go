package devlink

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/internal/genl"
	"github.com/dpu-exporter/dpu-exporter/internal/genl/genltest"
	"github.com/google/go-cmp/cmp"
	"github.com/mdlayher/genetlink"
	"golang.org/x/sys/unix"
)

func scripted(t *testing.T, script func(genltest.Request) genltest.Reply) *Conn {
	t.Helper()
	family, err := genl.Over(genltest.Dial(t, "devlink", script), "devlink")
	if err != nil {
		t.Fatal(err)
	}
	return &Conn{family: family}
}

// replay answers each command with a file of testdata.
func replay(t *testing.T) *Conn {
	files := map[uint8]string{
		unix.DEVLINK_CMD_PORT_GET:    "dpu-ports",
		unix.DEVLINK_CMD_GET:         "devices",
		unix.DEVLINK_CMD_ESWITCH_GET: "eswitch",
	}
	return scripted(t, func(r genltest.Request) genltest.Reply {
		if one := r.Command == unix.DEVLINK_CMD_ESWITCH_GET; r.Dump == one {
			t.Errorf("command %d: dump %v", r.Command, r.Dump)
		} else if one {
			if h, err := decodeHandle(r.Attributes); err != nil || h != dpu {
				t.Errorf("asked about %s, %v", h, err)
			}
		}
		return genltest.Reply{Messages: genltest.ReadCapture(t, "testdata/"+files[r.Command]+".hex")}
	})
}

func TestReplay(t *testing.T) {
	c := replay(t)
	ports, err := c.Ports(t.Context())
	if diff := cmp.Diff(captures["testdata/dpu-ports.hex"], ports); diff != "" || err != nil {
		t.Errorf("ports: %v (-want +got):\n%s", err, diff)
	}
	devices, err := c.Devices(t.Context())
	if want := []Handle{dpu, {"auxiliary", "mlx5_core.sf.2"}}; !cmp.Equal(devices, want) || err != nil {
		t.Errorf("devices: %v, %v, want %v", devices, err, want)
	}
	if mode, err := c.Eswitch(t.Context(), dpu); mode != Switchdev || err != nil {
		t.Errorf("eswitch: %v, %v, want switchdev", mode, err)
	}
}

// calls is every method that asks the kernel something.
var calls = map[string]func(*testing.T, *Conn) error{
	"ports":       func(t *testing.T, c *Conn) error { _, err := c.Ports(t.Context()); return err },
	"devices":     func(t *testing.T, c *Conn) error { _, err := c.Devices(t.Context()); return err },
	"eswitch":     func(t *testing.T, c *Conn) error { _, err := c.Eswitch(t.Context(), dpu); return err },
	"port":        func(t *testing.T, c *Conn) error { _, err := c.Port(t.Context(), dpu, 1); return err },
	"info":        func(t *testing.T, c *Conn) error { _, err := c.Info(t.Context(), dpu); return err },
	"reporters":   func(t *testing.T, c *Conn) error { _, err := c.Reporters(t.Context(), dpu); return err },
	"diagnose":    func(t *testing.T, c *Conn) error { _, err := c.Diagnose(t.Context(), dpu, nil, "fw"); return err },
	"traps":       func(t *testing.T, c *Conn) error { _, err := c.Traps(t.Context(), dpu); return err },
	"trap groups": func(t *testing.T, c *Conn) error { _, err := c.TrapGroups(t.Context(), dpu); return err },
	"resources":   func(t *testing.T, c *Conn) error { _, err := c.Resources(t.Context(), dpu); return err },
	"rates":       func(t *testing.T, c *Conn) error { _, err := c.Rates(t.Context(), dpu); return err },
	"params":      func(t *testing.T, c *Conn) error { _, err := c.Params(t.Context(), dpu); return err },
}

func TestErrors(t *testing.T) { genltest.CheckErrors(t, scripted, calls) }

func TestBadPortHidesNoOther(t *testing.T) {
	messages := genltest.ReadCapture(t, "testdata/netdevsim-ports.hex")
	messages[1] = messages[1][:len(messages[1])-8] // without its last attribute's second half
	messages[2] = []byte{3, 1, 0, 0}
	c := scripted(t, func(genltest.Request) genltest.Reply {
		return genltest.Reply{Messages: messages, Interrupted: true}
	})
	ports, err := c.Ports(t.Context())
	if !errors.Is(err, ErrInterrupted) || !strings.Contains(err.Error(), "DEVLINK_ATTR_BUS_NAME: missing") {
		t.Errorf("error %v", err)
	}
	var got []uint32
	for _, p := range ports {
		got = append(got, p.Index)
	}
	if want := []uint32{0, 1, 129, 130}; !cmp.Equal(got, want) {
		t.Errorf("ports %v, want %v", got, want)
	}
}

// Real devlink, where this kernel has it.
func TestKernel(t *testing.T) {
	c, err := Dial()
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := Watch(); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("watch: %v, want fs.ErrNotExist", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if _, err := c.Ports(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := c.Devices(t.Context()); err != nil {
		t.Error(err)
	}
	w, err := Watch()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	if err := w.Receive(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("receive after close: %v, want os.ErrClosed", err)
	}
}

// rehearsal is a source of notifications: each step is heard once.
type rehearsal struct {
	steps []func() ([]genetlink.Message, error)
}

func (r *rehearsal) Close() error { return nil }

func (r *rehearsal) Receive() ([]genetlink.Message, error) {
	if len(r.steps) == 0 {
		return nil, os.ErrClosed
	}
	step := r.steps[0]
	r.steps = r.steps[1:]
	return step()
}

func hear(commands ...uint8) func() ([]genetlink.Message, error) {
	return func() ([]genetlink.Message, error) {
		var heard []genetlink.Message
		for _, command := range commands {
			heard = append(heard, genetlink.Message{Header: genetlink.Header{Command: command}})
		}
		return heard, nil
	}
}

func TestWatcher(t *testing.T) {
	fail := func() ([]genetlink.Message, error) { return nil, ErrOverrun }
	w := &Watcher{notifications: &rehearsal{steps: []func() ([]genetlink.Message, error){
		hear(unix.DEVLINK_CMD_PARAM_NEW), // passed over
		hear(unix.DEVLINK_CMD_HEALTH_REPORTER_RECOVER, unix.DEVLINK_CMD_PORT_NEW),
		fail,
		hear(unix.DEVLINK_CMD_PORT_DEL),
		hear(unix.DEVLINK_CMD_NEW),
		hear(unix.DEVLINK_CMD_DEL),
	}}}
	for i, want := range []error{nil, ErrOverrun, nil, nil, nil, os.ErrClosed} {
		if err := w.Receive(); !errors.Is(err, want) || want == nil && err != nil {
			t.Errorf("receive %d: %v, want %v", i, err, want)
		}
	}
}
