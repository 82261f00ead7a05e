// Package sysfs reads the few links and files of sysfs that say what a network
// device is, and never waits for the RTNL lock. What says who a device is the
// kernel answers from memory; only the files of RDMA ports, of sensors and of a
// PCI function's link ask the hardware.
package sysfs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// FS is the root of a mounted sysfs, usually /sys.
type FS string

// Function is what sysfs says of the device below a network interface.
// What it does not say is empty or nil.
type Function struct {
	Driver  string // last element of the driver link: mlx5_core, mlx5_core.sf, virtio_net
	PCI     string // PCI function that the device is or sits on: 0000:03:00.0
	Virtual *bool  // the PCI function has a physfn link: an SR-IOV virtual function
	PF      string // where that link leads: the physical function of a virtual one
}

// Function reads the links of /sys/bus/<bus>/devices/<device>. What could be
// read is returned along with the errors of what could not; a link that is
// absent is no error, an absent device is fs.ErrNotExist.
func (f FS) Function(bus, device string) (Function, error) {
	dir, err := f.device(bus, device)
	if err != nil {
		return Function{}, err
	}
	place, err := os.Readlink(dir)
	if err != nil {
		return Function{}, fmt.Errorf("sysfs device %s/%s: %w", bus, device, err)
	}
	var fn Function
	var driverErr, physfnErr error
	fn.Driver, driverErr = linkBase(filepath.Join(dir, "driver"))
	if fn.PCI = pciBelow(bus, place); fn.PCI != "" {
		fn.PF, physfnErr = linkBase(filepath.Join(string(f), "bus/pci/devices", fn.PCI, "physfn"))
		if virtual := fn.PF != ""; physfnErr == nil {
			fn.Virtual = &virtual
		}
	}
	if err := errors.Join(driverErr, physfnErr); err != nil {
		return fn, fmt.Errorf("sysfs device %s/%s: %w", bus, device, err)
	}
	return fn, nil
}

// HasBus reports whether sysfs shows a bus, and so all devices that are on it.
func (f FS) HasBus(bus string) bool {
	if checkName(bus) != nil {
		return false
	}
	_, err := os.Lstat(filepath.Join(string(f), "bus", bus, "devices"))
	return err == nil
}

// SFNumber reads the subfunction number that the user gave an auxiliary device
// (/sys/bus/auxiliary/devices/<device>/sfnum). It is nil for an auxiliary
// device that is no subfunction.
func (f FS) SFNumber(device string) (*uint32, error) {
	dir, err := f.device("auxiliary", device)
	if err != nil {
		return nil, err
	}
	sf, err := readNumber(filepath.Join(dir, "sfnum"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &sf, nil
}

// Parent finds the device below a network interface on kernels before 5.14,
// which do not send IFLA_PARENT_DEV_NAME. A sysfs mount shows the network
// namespace it was mounted in, so the answer counts only when the interface of
// that name has the same index there; otherwise, and when there is no device
// below it, the error is fs.ErrNotExist.
func (f FS) Parent(name string, index int) (bus, device string, err error) {
	if err := checkName(name); err != nil {
		return "", "", err
	}
	dir := filepath.Join(string(f), "class/net", name)
	text, err := readShort(filepath.Join(dir, "ifindex"))
	if err != nil {
		return "", "", err
	}
	if text != strconv.Itoa(index) {
		return "", "", fmt.Errorf("sysfs interface %q has index %q, not %d: %w", name, text, index, fs.ErrNotExist)
	}
	link, err := os.Readlink(filepath.Join(dir, "device"))
	if err != nil {
		return "", "", err
	}
	subsystem, err := os.Readlink(filepath.Join(dir, "device/subsystem"))
	if err != nil {
		return "", "", err
	}
	return filepath.Base(subsystem), filepath.Base(link), nil
}

// RDMADevice is one entry of /sys/class/infiniband.
type RDMADevice struct {
	Name   string // mlx5_0
	Device string // last element of its device link: 0000:03:00.0, mlx5_core.sf.2; "" for software devices
}

// RDMADevices lists the RDMA devices by name, without opening anything below
// them. Devices whose link cannot be read are listed without Device and joined
// into the error. A kernel without RDMA has none.
func (f FS) RDMADevices() ([]RDMADevice, error) {
	dir := filepath.Join(string(f), "class/infiniband")
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	failed := []error{err}
	devices := make([]RDMADevice, 0, len(entries))
	for _, entry := range entries {
		device, err := linkBase(filepath.Join(dir, entry.Name(), "device"))
		failed = append(failed, err)
		devices = append(devices, RDMADevice{Name: entry.Name(), Device: device})
	}
	return devices, errors.Join(failed...)
}

// device returns the path of a device on a bus.
func (f FS) device(bus, device string) (string, error) {
	if err := errors.Join(checkName(bus), checkName(device)); err != nil {
		return "", err
	}
	return filepath.Join(string(f), "bus", bus, "devices", device), nil
}

// checkName refuses what would lead out of the folder that it is joined to.
func checkName(name string) error {
	if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\x00") {
		return fmt.Errorf("sysfs name %q: %w", name, fs.ErrInvalid)
	}
	return nil
}

// linkBase returns the last element of a link's target, "" without a link.
func linkBase(path string) (string, error) {
	target, err := os.Readlink(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return filepath.Base(target), nil
}

// patience is how long a file may take that tells the poller to wait. Files of
// sysfs answer at once; this is for what else may lie at their path.
const patience = time.Second

// readShort reads a one-line file. What is no regular file, such as a pipe, is
// fs.ErrInvalid.
func readShort(path string) (string, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return "", err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("read %s: no regular file but %s: %w", path, info.Mode(), fs.ErrInvalid)
	}
	line, err := readOnce(file)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return line, nil
}

// readOnce reads what one read(2) gives of an open file, without spaces around
// it. It is os.ErrDeadlineExceeded where nothing comes.
func readOnce(file *os.File) (string, error) {
	if err := file.SetReadDeadline(time.Now().Add(patience)); err != nil && !errors.Is(err, os.ErrNoDeadline) {
		return "", err
	}
	var line [64]byte
	n, err := file.Read(line[:])
	return strings.TrimSpace(string(line[:n])), err
}
