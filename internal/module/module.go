// Package module reads what a pluggable module measures from its memory: SFP
// (SFF-8472), QSFP (SFF-8636) and those of CMIS. It is a codec alone; the pages
// are given to it.
package module

import (
	"errors"
	"fmt"
	"strings"
)

// Page reads length octets at offset of a page of the module's memory; offsets
// below 128 are in the lower memory. address is that on the I2C bus.
type Page func(address, page uint8, offset, length uint32) ([]byte, error)

// The I2C addresses of module memory; the second holds the measurements of SFPs.
const (
	address            = 0x50
	measurementAddress = 0x51
)

// Module is what a module says of itself and measures.
type Module struct {
	Type                         string // QSFP28, SFP…
	Vendor, PartNumber, Revision string
	Serial                       string
	Monitors                     []Monitor
}

// Monitor is one thing that a module measures.
type Monitor struct {
	Quantity Quantity
	Values   []float64 // of each lane, or the one of the module
	Limits   *Limits   // nil where the module has none
	Flags    []Flags   // beside Values; nil where the module has none
}

// Quantity says what is measured and in what unit.
type Quantity uint8

// The quantities.
const (
	Temperature   Quantity = iota // degrees Celsius
	Voltage                       // volts
	ReceivePower                  // watts, by lane
	TransmitPower                 // watts, by lane
	Bias                          // amperes of the laser, by lane
	Quantities    = iota
)

// String returns temperature, voltage, receive_power, transmit_power or bias.
func (q Quantity) String() string {
	return [Quantities]string{"temperature", "voltage", "receive_power", "transmit_power", "bias"}[q]
}

// OfLane says whether the quantity is measured for each lane.
func (q Quantity) OfLane() bool { return q >= ReceivePower }

// Limits are those that the vendor set, in the unit of the quantity.
type Limits struct{ HighAlarm, LowAlarm, HighWarning, LowWarning float64 }

// Flags say which limits were passed since the memory was last read: reading
// clears them, whoever reads.
type Flags struct{ HighAlarm, LowAlarm, HighWarning, LowWarning bool }

// ErrUnknownType says that the module's memory has a layout that is not known here.
var ErrUnknownType = fmt.Errorf("module memory of an unknown layout: %w", errors.ErrUnsupported)

// Read reads a module: three pages of a QSFP, two of an SFP, six of a CMIS one. An
// error of a page behind the first leaves out what is on it and is returned with
// the rest.
func Read(page Page) (Module, error) {
	lower, err := page(address, 0, 0, 128)
	if err != nil {
		return Module{}, err
	}
	kind, known := types[lower[0]]
	if !known {
		return Module{Type: fmt.Sprintf("unknown(%#02x)", lower[0])}, ErrUnknownType
	}
	m := Module{Type: kind.name}
	return m, kind.read(&m, lower, page)
}

// types are the identifiers of SFF-8024 table 4-1 whose memory is known here.
var types = map[uint8]struct {
	name string
	read func(*Module, []byte, Page) error
}{
	0x03: {"SFP", readSFP},
	0x0c: {"QSFP", readQSFP},
	0x0d: {"QSFP+", readQSFP},
	0x11: {"QSFP28", readQSFP},
	0x18: {"QSFP-DD", readCMIS},
	0x19: {"OSFP", readCMIS},
	0x1e: {"QSFP+ CMIS", readCMIS},
	0x1f: {"SFP-DD CMIS", readCMIS},
	0x20: {"SFP+ CMIS", readCMIS},
}

// text is a field of ASCII padded with blanks.
func text(b []byte) string { return strings.TrimRight(strings.TrimSpace(string(b)), "\x00") }

// unsigned and signed are big-endian 16-bit numbers in units.
func unsigned(b []byte, unit float64) float64 { return float64(uint16(b[0])<<8|uint16(b[1])) * unit }

func signed(b []byte, unit float64) float64 {
	return float64(int16(uint16(b[0])<<8|uint16(b[1]))) * unit
}

// The units of the numbers in memory, the same in all three standards.
const (
	celsiusUnit = 1.0 / 256
	voltUnit    = 100e-6
	wattUnit    = 0.1e-6
	ampereUnit  = 2e-6
)

// number reads a number of a quantity.
func (q Quantity) number(b []byte) float64 {
	switch q {
	case Temperature:
		return signed(b, celsiusUnit)
	case Voltage:
		return unsigned(b, voltUnit)
	case Bias:
		return unsigned(b, ampereUnit)
	}
	return unsigned(b, wattUnit)
}

// numbers reads one number for each lane.
func (q Quantity) numbers(b []byte, lanes int) []float64 {
	values := make([]float64, lanes)
	for i := range values {
		values[i] = q.number(b[2*i:])
	}
	return values
}

// limits reads high alarm, low alarm, high warning and low warning, nil where
// they are blank.
func (q Quantity) limits(b []byte) *Limits {
	l := Limits{q.number(b), q.number(b[2:]), q.number(b[4:]), q.number(b[6:])}
	if l == (Limits{}) {
		return nil
	}
	return &l
}

// add adds a monitor. One that reads 0 on all lanes and has no limits does not
// exist: a copper cable has its octets and no sensors.
func (m *Module) add(monitor Monitor) {
	exists := monitor.Limits != nil
	for _, v := range monitor.Values {
		exists = exists || v != 0
	}
	if exists {
		m.Monitors = append(m.Monitors, monitor)
	}
}

// fourFlags reads a nibble: high alarm, low alarm, high warning, low warning
// from its highest bit.
func fourFlags(nibble uint8) Flags {
	return Flags{nibble&8 != 0, nibble&4 != 0, nibble&2 != 0, nibble&1 != 0}
}
