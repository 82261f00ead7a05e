package module

import (
	"errors"
	"math"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/dpu-exporter/dpu-exporter/internal/outcome"
)

// memory is a module: pages by address<<8|number; page 00h holds its lower
// memory as well.
type memory struct {
	pages  map[int][]byte // of 256 octets
	broken int            // the page that fails
	read   int
}

func (m *memory) page(address, page uint8, offset, length uint32) ([]byte, error) {
	m.read++
	key := int(address)<<8 | int(page)
	if key == m.broken {
		return nil, syscall.EIO
	}
	b, ok := m.pages[key]
	if !ok {
		return nil, syscall.EINVAL
	}
	return b[offset : offset+length], nil
}

func (m *memory) set(page, at int, b ...byte) {
	if m.pages == nil {
		m.pages = map[int][]byte{}
	}
	if m.pages[page] == nil {
		m.pages[page] = make([]byte, 256)
	}
	copy(m.pages[page][at:], b)
}

func (m *memory) text(page, at, size int, text string) {
	b := []byte(text)
	for len(b) < size {
		b = append(b, ' ')
	}
	m.set(page, at, b...)
}

const page00, page01, page02, page03, page11, second = 0x5000, 0x5001, 0x5002, 0x5003, 0x5011, 0x5100

// qsfp is a QSFP28 of four lanes at 40.5 °C, whose second lane is dark.
func qsfp() *memory {
	m := &memory{}
	m.set(page00, 0, 0x11, 8, 0)
	m.set(page00, 9, 0x05)        // receive power: lane 2 low alarm and low warning
	m.set(page00, 22, 0x28, 0x80) // 40.5 °C
	m.set(page00, 26, 0x80, 0xe8) // 3.3 V
	m.set(page00, 34, 0x27, 0x10, 0, 0, 0x27, 0x10, 0x27, 0x10)
	m.set(page00, 42, 0x0b, 0xb8, 0x0b, 0xb8, 0x0b, 0xb8, 0x0b, 0xb8)
	m.set(page00, 50, 0x1f, 0x40, 0x1f, 0x40, 0x1f, 0x40, 0x1f, 0x40)
	m.text(page00, 148, 16, "ACME")
	m.text(page00, 168, 16, "Q28-SR4")
	m.text(page00, 184, 2, "A")
	m.text(page00, 196, 16, "SN0001")
	m.set(page03, 128, 0x4b, 0, 0xfb, 0, 0x46, 0, 0, 0) // 75, -5, 70, 0 °C
	m.set(page03, 176, 0x87, 0x72, 0x01, 0xa1, 0x43, 0xe2, 0x03, 0x40)
	return m
}

func TestQSFP(t *testing.T) {
	have, err := Read(qsfp().page)
	if err != nil {
		t.Fatal(err)
	}
	none := []Flags{{}, {}, {}, {}}
	want := Module{
		Type: "QSFP28", Vendor: "ACME", PartNumber: "Q28-SR4", Revision: "A", Serial: "SN0001",
		Monitors: []Monitor{
			{Temperature, []float64{40.5}, &Limits{75, -5, 70, 0}, []Flags{{}}},
			{Voltage, []float64{3.3}, nil, []Flags{{}}},
			{ReceivePower, []float64{1e-3, 0, 1e-3, 1e-3}, &Limits{3.4674e-3, 41.7e-6, 1.7378e-3, 83.2e-6},
				[]Flags{{}, {LowAlarm: true, LowWarning: true}, {}, {}}},
			{TransmitPower, []float64{.8e-3, .8e-3, .8e-3, .8e-3}, nil, none},
			{Bias, []float64{6e-3, 6e-3, 6e-3, 6e-3}, nil, none},
		},
	}
	check(t, want, have)
}

func check(t *testing.T, want, have Module) {
	t.Helper()
	near := cmpopts.EquateApprox(1e-9, 1e-12)
	if diff := cmp.Diff(want, have, near); diff != "" {
		t.Errorf("module (-want +have):\n%s", diff)
	}
}

func TestCopperHasNoSensors(t *testing.T) {
	m := qsfp()
	m.set(page00, 2, 4)
	m.set(page00, 9, 0)
	m.set(page00, 22, make([]byte, 40)...)
	delete(m.pages, page03)
	have, err := Read(m.page)
	if err != nil || len(have.Monitors) != 0 || have.Vendor != "ACME" {
		t.Errorf("%+v, %v", have, err)
	}
}

func TestBrokenPageLeavesTheRest(t *testing.T) {
	m := qsfp()
	m.broken = page03
	have, err := Read(m.page)
	if !errors.Is(err, syscall.EIO) || len(have.Monitors) != 5 || have.Monitors[0].Limits != nil || have.Monitors[0].Values[0] != 40.5 {
		t.Errorf("%+v, %v", have, err)
	}
	m.broken = page00
	if have, err := Read(m.page); !errors.Is(err, syscall.EIO) || have.Type != "" {
		t.Errorf("%+v, %v", have, err)
	}
}

func TestUnknownType(t *testing.T) {
	m := &memory{}
	m.set(page00, 0, 0x7f)
	have, err := Read(m.page)
	if outcome.Of(err) != outcome.Unsupported || have.Type != "unknown(0x7f)" || m.read != 1 {
		t.Errorf("%+v, %v", have, err)
	}
}

func TestSFP(t *testing.T) {
	m := &memory{}
	m.set(page00, 0, 3)
	m.text(page00, 20, 16, "ACME")
	m.text(page00, 40, 16, "S28-LR")
	m.text(page00, 56, 4, "B1")
	m.text(page00, 68, 16, "S2")
	m.set(page00, 92, 0x68)
	m.set(second, 0, 0x55, 0, 0xd8, 0, 0x50, 0, 0xdd, 0) // 85, -40, 80, -35 °C
	m.set(second, 96, 0xf6, 0x80)                        // -9.5 °C
	m.set(second, 98, 0x80, 0xe8)
	m.set(second, 100, 0x0b, 0xb8)
	m.set(second, 102, 0x1f, 0x40)
	m.set(second, 104, 0, 1)
	m.set(second, 112, 0x02, 0x40) // transmit power high alarm; receive power low alarm
	m.set(second, 116, 0x00, 0x40) // receive power low warning
	have, err := Read(m.page)
	if err != nil {
		t.Fatal(err)
	}
	check(t, Module{
		Type: "SFP", Vendor: "ACME", PartNumber: "S28-LR", Revision: "B1", Serial: "S2",
		Monitors: []Monitor{
			{Temperature, []float64{-9.5}, &Limits{85, -40, 80, -35}, []Flags{{}}},
			{Voltage, []float64{3.3}, nil, []Flags{{}}},
			{ReceivePower, []float64{1e-7}, nil, []Flags{{LowAlarm: true, LowWarning: true}}},
			{TransmitPower, []float64{.8e-3}, nil, []Flags{{HighAlarm: true}}},
			{Bias, []float64{6e-3}, nil, []Flags{{}}},
		},
	}, have)

	m.set(page00, 92, 0x58) // calibrated by the reader
	if have, err := Read(m.page); err != nil || have.Monitors != nil {
		t.Errorf("externally calibrated: %+v, %v", have, err)
	}
}

func TestCMIS(t *testing.T) {
	m := &memory{}
	m.set(page00, 0, 0x18, 0x50, 0)
	m.set(page00, 9, 0x02) // temperature low alarm
	m.set(page00, 14, 0x30, 0)
	m.set(page00, 16, 0x80, 0xe8)
	m.set(page00, 88, 0x84) // 8 lanes of the host, 4 of the medium
	m.text(page00, 129, 16, "ACME")
	m.text(page00, 148, 16, "QDD-DR4")
	m.text(page00, 164, 2, "1")
	m.text(page00, 166, 16, "S3")
	m.set(page01, 159, 3, 7|1<<3) // all monitors; bias in units of 4 µA
	m.set(page02, 128, 0x4b, 0, 0xfb, 0, 0x46, 0, 0, 0)
	m.set(page11, 139, 0, 0, 0, 0, 4) // bias high alarm, lane 3
	m.set(page11, 154, 0x27, 0x10, 0x27, 0x10, 0x27, 0x10, 0x27, 0x10)
	m.set(page11, 170, 0x0b, 0xb8, 0x0b, 0xb8, 0x0b, 0xb8, 0x0b, 0xb8)
	m.set(page11, 186, 0x13, 0x88, 0x13, 0x88, 0x13, 0x88, 0x13, 0x88)
	have, err := Read(m.page)
	if err != nil {
		t.Fatal(err)
	}
	none := []Flags{{}, {}, {}, {}}
	check(t, Module{
		Type: "QSFP-DD", Vendor: "ACME", PartNumber: "QDD-DR4", Revision: "1", Serial: "S3",
		Monitors: []Monitor{
			{Temperature, []float64{48}, &Limits{75, -5, 70, 0}, []Flags{{LowAlarm: true}}},
			{Voltage, []float64{3.3}, nil, []Flags{{}}},
			{ReceivePower, []float64{.5e-3, .5e-3, .5e-3, .5e-3}, nil, none},
			{TransmitPower, []float64{1e-3, 1e-3, 1e-3, 1e-3}, nil, none},
			{Bias, []float64{12e-3, 12e-3, 12e-3, 12e-3}, nil, []Flags{{}, {}, {HighAlarm: true}, {}}},
		},
	}, have)

	m.set(page00, 2, 0x80) // a copper cable
	if have, err := Read(m.page); err != nil || have.Monitors != nil || have.PartNumber != "QDD-DR4" {
		t.Errorf("flat memory: %+v, %v", have, err)
	}
}

// FuzzRead: no memory makes it crash or give what is no number.
func FuzzRead(f *testing.F) {
	for _, kind := range []byte{0x03, 0x11, 0x18} {
		f.Add(append([]byte{kind}, make([]byte, 255)...))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) != 256 {
			return
		}
		m, _ := Read(func(_, _ uint8, offset, length uint32) ([]byte, error) { return b[offset : offset+length], nil })
		for _, monitor := range m.Monitors {
			for _, v := range monitor.Values {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Errorf("%v: %v", monitor.Quantity, v)
				}
			}
		}
	})
}
