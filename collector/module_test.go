package collector

import (
	"context"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dpu-exporter/dpu-exporter/internal/outcome"
	"github.com/dpu-exporter/dpu-exporter/inventory"
)

// fakeModules are QSFP28 modules that measure nothing but 40.5 °C; errno is what
// reading fails with and takes how long a page takes.
type fakeModules struct {
	now   time.Time
	errno map[int]syscall.Errno
	takes map[int]time.Duration
	asked []int
}

func (f *fakeModules) Now() time.Time { return f.now }

func (f *fakeModules) ModulePage(_ context.Context, index int, _, page uint8, offset, length uint32) ([]byte, error) {
	f.asked = append(f.asked, index)
	f.now = f.now.Add(f.takes[index])
	if f.errno[index] != 0 {
		return nil, f.errno[index]
	}
	b := make([]byte, 256)
	switch page {
	case 0:
		b[0], b[6], b[22], b[23] = 0x11, 0x80, 0x28, 0x80
		copy(b[148:], "ACME            ")
	case 3:
		b[128], b[132] = 75, 70
	}
	return b[offset : offset+length], nil
}

func port(index int, name string, carrier bool) *inventory.Device {
	return &inventory.Device{Key: inventory.Key{Index: index}, Name: name, Role: inventory.PF, Carrier: &carrier}
}

func TestModules(t *testing.T) {
	f := &fakeModules{now: time.Unix(1e9, 0), errno: map[int]syscall.Errno{
		2: syscall.EIO, 3: syscall.EIO, 4: syscall.EOPNOTSUPP, 5: syscall.EPERM,
	}}
	c := NewModule(ModuleOptions{Modules: f, Now: f.Now})
	inv := inventory.NewSnapshot([]*inventory.Device{
		port(1, "p1", true), port(2, "p2", true), port(3, "p3", false), port(4, "p4", true), port(5, "p5", true),
		{Key: inventory.Key{Index: 9}, Name: "r0", Role: inventory.VFRepresentor},
	}, 0)
	text := exposition(t, c, inv)
	for _, want := range []string{
		`dpu_module_info{device="p1",type="QSFP28",vendor="ACME",part_number="",revision="",serial_number=""} 1`,
		`dpu_module_temperature_celsius{device="p1"} 40.5`,
		`dpu_module_temperature_limit_celsius{device="p1",level="high_alarm"} 75`,
		`dpu_module_alarm{device="p1",quantity="temperature",level="high_alarm"} 1`,
		`dpu_module_alarm{device="p1",quantity="temperature",level="low_alarm"} 0`,
		"# module_memory: 1 ok", "# module_memory: 2 unsupported", "# module_memory: 1 not_permitted", "# module_memory: 1 broken",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if strings.Contains(text, "voltage") || strings.Contains(text, `"p2"`) {
		t.Errorf("made-up values in\n%s", text)
	}
}

// A module that hangs its bus is left alone for a while, and hides no other.
func TestModuleThatHangsRests(t *testing.T) {
	f := &fakeModules{now: time.Unix(1e9, 0), takes: map[int]time.Duration{1: 5 * time.Second}}
	c := NewModule(ModuleOptions{Modules: f, Now: f.Now})
	inv := inventory.NewSnapshot([]*inventory.Device{port(1, "p1", true), port(2, "p2", true)}, 0)
	sample := func() (asked int) {
		f.asked = nil
		if err := c.sample(t.Context(), inv); err != nil {
			t.Fatal(err)
		}
		for _, index := range f.asked {
			if index == 1 {
				asked++
			}
		}
		if len(f.asked) == asked {
			t.Error("the other module was not read")
		}
		return asked
	}
	if asked := sample(); asked != 1 {
		t.Errorf("asked %d times although the first page took 5 s", asked)
	}
	f.now = f.now.Add(moduleEvery)
	if asked := sample(); asked != 0 {
		t.Errorf("asked %d times while it rests", asked)
	}
	if o := outcome.Of(c.readings.byKey[namedDevice{inventory.Key{Index: 1}, "p1"}].err); o != outcome.Broken {
		t.Errorf("outcome %v while it rests", o)
	}
	f.now = f.now.Add(moduleRest)
	f.takes[1] = 0
	if asked := sample(); asked != 3 {
		t.Errorf("asked %d times after its rest, want 3", asked)
	}
	if err := c.readings.byKey[namedDevice{inventory.Key{Index: 1}, "p1"}].err; err != nil {
		t.Errorf("error %v after its rest", err)
	}
}
