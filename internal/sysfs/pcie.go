package sysfs

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// PCIFunction is what sysfs says of a PCI function's identity and link. What it
// does not say is nil or "".
type PCIFunction struct {
	Vendor, Device                   string // 0x15b3, 0xa2dc
	SubsystemVendor, SubsystemDevice string
	Revision                         string
	NUMANode                         *uint32
	Speed, MaxSpeed                  *float64 // GT/s of each lane
	Width, MaxWidth                  *uint32  // lanes
}

// PCIFunction reads one function (Documentation/ABI/testing/sysfs-bus-pci). A
// file that is absent or says "Unknown" leaves out what is in it; errors of
// others are joined. An absent function is fs.ErrNotExist.
func (f FS) PCIFunction(address string) (PCIFunction, error) {
	dir, err := f.device("pci", address)
	if err != nil {
		return PCIFunction{}, err
	}
	if _, err := os.Stat(dir); err != nil {
		return PCIFunction{}, err
	}
	var p PCIFunction
	var failed []error
	text := func(name string) string {
		line, err := readShort(filepath.Join(dir, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = append(failed, err)
		}
		return line
	}
	p.Vendor, p.Device = text("vendor"), text("device")
	p.SubsystemVendor, p.SubsystemDevice = text("subsystem_vendor"), text("subsystem_device")
	p.Revision = text("revision")
	p.NUMANode = number(text("numa_node"), 0)
	p.Speed, p.MaxSpeed = transfers(text("current_link_speed")), transfers(text("max_link_speed"))
	p.Width, p.MaxWidth = number(text("current_link_width"), 1), number(text("max_link_width"), 1)
	return p, errors.Join(failed...)
}

// number is a decimal number; nil where it is none, as with -1, or less than least.
// 255 lanes stand for an unknown width.
func number(text string, least uint64) *uint32 {
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil || n < least || least > 0 && n > 32 {
		return nil
	}
	return new(uint32(n))
}

// transfers reads "16.0 GT/s PCIe"; nil for "Unknown".
func transfers(text string) *float64 {
	word, _, ok := strings.Cut(text, " GT/s")
	n, err := strconv.ParseFloat(word, 64)
	if !ok || err != nil || n <= 0 {
		return nil
	}
	return &n
}

// AER are the errors that a PCI function reported of one severity
// (Documentation/ABI/testing/sysfs-bus-pci-devices-aer).
type AER struct {
	Severity string // correctable, nonfatal, fatal
	Total    uint64
	Errors   []AERError // those that happened
}

// AERError is one kind of error.
type AERError struct {
	Name  string // BadTLP, Timeout…
	Count uint64
}

// AER reads the three severities. A function that does not report is
// fs.ErrNotExist.
func (f FS) AER(address string) ([]AER, error) {
	dir, err := f.device("pci", address)
	if err != nil {
		return nil, err
	}
	var all []AER
	for _, severity := range []string{"correctable", "nonfatal", "fatal"} {
		file, err := os.Open(filepath.Join(dir, "aer_dev_"+severity))
		if err != nil {
			return all, err
		}
		a, err := parseAER(severity, bufio.NewScanner(file))
		_ = file.Close() // only read
		if err != nil {
			return all, fmt.Errorf("%s: %w", file.Name(), err)
		}
		all = append(all, a)
	}
	return all, nil
}

// parseAER reads lines of a name and a count; the total's begins with TOTAL_ERR.
func parseAER(severity string, lines *bufio.Scanner) (AER, error) {
	a, total := AER{Severity: severity}, false
	for lines.Scan() {
		name, digits, _ := strings.Cut(strings.TrimSpace(lines.Text()), " ")
		count, err := strconv.ParseUint(strings.TrimSpace(digits), 10, 64)
		switch {
		case err != nil:
			return a, fmt.Errorf("line %q: %w", lines.Text(), err)
		case strings.HasPrefix(name, "TOTAL_ERR"):
			a.Total, total = count, true
		case count > 0:
			a.Errors = append(a.Errors, AERError{name, count})
		}
	}
	if err := lines.Err(); err != nil || !total {
		return a, errors.Join(err, errNoTotal)
	}
	return a, nil
}

var errNoTotal = errors.New("no total")

// Sensor is a temperature that a PCI function's driver measures, in degrees
// Celsius (Documentation/hwmon/sysfs-interface.rst).
type Sensor struct {
	Name     string // its label, or temp1
	Value    float64
	Critical *float64
}

// Temperatures reads the sensors of a function. A driver without any is
// fs.ErrNotExist; a sensor that cannot be read is left out and joined into the
// error.
func (f FS) Temperatures(address string) ([]Sensor, error) {
	dir, err := f.device("pci", address)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(dir, "hwmon")); err != nil {
		return nil, err
	}
	inputs, err := filepath.Glob(filepath.Join(dir, "hwmon", "hwmon*", "temp*_input"))
	if err != nil {
		return nil, err
	}
	slices.Sort(inputs)
	var sensors []Sensor
	var failed []error
	for _, input := range inputs {
		stem := strings.TrimSuffix(input, "_input")
		value, err := milli(input)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		s := Sensor{Name: filepath.Base(stem), Value: value}
		if label, err := readShort(stem + "_label"); err == nil && label != "" {
			s.Name = label
		}
		if critical, err := milli(stem + "_crit"); err == nil {
			s.Critical = &critical
		}
		sensors = append(sensors, s)
	}
	return sensors, errors.Join(failed...)
}

// milli reads a number of thousandths.
func milli(path string) (float64, error) {
	text, err := readShort(path)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	return float64(n) / 1000, nil
}
