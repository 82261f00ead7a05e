package sysfs

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// VF is one SR-IOV virtual function of a PCI function.
type VF struct {
	Number uint32 // N of the virtfn<N> link
	PCI    string // 0000:03:00.2
}

// VFs lists the virtual functions of a PCI function by their number: the
// virtfn<N> links of /sys/bus/pci/devices/<pci>, without opening anything in
// that folder. A link that cannot be read is left out and joined into the
// error; an absent function is fs.ErrNotExist.
func (f FS) VFs(pci string) ([]VF, error) {
	dir, err := f.device("pci", pci)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	failed := []error{err}
	var vfs []VF
	for _, entry := range entries {
		digits, ok := strings.CutPrefix(entry.Name(), "virtfn")
		number, err := strconv.ParseUint(digits, 10, 32)
		if !ok || err != nil {
			continue
		}
		address, err := linkBase(filepath.Join(dir, entry.Name()))
		switch {
		case err != nil:
			failed = append(failed, err)
		case address == "": // it went meanwhile
		case !IsPCI(address):
			failed = append(failed, fmt.Errorf("%s of %s leads to %q: %w", entry.Name(), pci, address, fs.ErrInvalid))
		default:
			vfs = append(vfs, VF{Number: uint32(number), PCI: address})
		}
	}
	slices.SortFunc(vfs, func(a, b VF) int { return cmp.Compare(a.Number, b.Number) })
	return vfs, errors.Join(failed...)
}

// VFNumber is the number of a virtual function: the N of its physical
// function's link virtfn<N>, which leads to it. It is computed instead of
// searched for: the first virtual function stands sriov_offset routing IDs behind the
// physical one, each next one sriov_stride further (PCI Express, SR-IOV
// capability; the kernel answers both files from memory). It is nil where the
// kernel does not say (Linux 4.14 and older).
func (f FS) VFNumber(pf, vf string) (*uint32, error) {
	dir, err := f.device("pci", pf)
	if err != nil {
		return nil, err
	}
	offset, offsetErr := readNumber(filepath.Join(dir, "sriov_offset"))
	stride, strideErr := readNumber(filepath.Join(dir, "sriov_stride"))
	if errors.Is(offsetErr, fs.ErrNotExist) || errors.Is(strideErr, fs.ErrNotExist) {
		return nil, nil
	}
	if err := errors.Join(offsetErr, strideErr); err != nil {
		return nil, err
	}
	domain, first := routingID(pf)
	ownDomain, own := routingID(vf)
	behind := int64(own) - int64(first) - int64(offset)
	if domain == "" || domain != ownDomain || offset == 0 || behind < 0 || behind > 0 && (stride == 0 || behind%int64(stride) != 0) {
		return nil, fmt.Errorf("%s is no VF of %s with offset %d and stride %d: %w", vf, pf, offset, stride, fs.ErrInvalid)
	}
	number := uint32(behind / max(int64(stride), 1)) // one VF alone may have the stride 0
	return &number, nil
}

func readNumber(path string) (uint32, error) {
	text, err := readShort(path)
	if err != nil {
		return 0, err
	}
	number, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	return uint32(number), nil
}

// SFs lists the auxiliary devices that are subfunctions by name: those of
// /sys/bus/auxiliary/devices with an sfnum file, which is not opened. Devices of
// which that cannot be told are left out and joined into the error. A kernel
// without an auxiliary bus has none.
func (f FS) SFs() ([]string, error) {
	dir := filepath.Join(string(f), "bus/auxiliary/devices")
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	failed := []error{err}
	var sfs []string
	for _, entry := range entries {
		_, err := os.Lstat(filepath.Join(dir, entry.Name(), "sfnum"))
		switch {
		case err == nil:
			sfs = append(sfs, entry.Name())
		case !errors.Is(err, fs.ErrNotExist):
			failed = append(failed, err)
		}
	}
	return sfs, errors.Join(failed...)
}

// VFCounts says how many virtual functions a PCI function has and can have
// (sriov_numvfs and sriov_totalvfs, which the kernel answers from memory). A
// function without SR-IOV is fs.ErrNotExist.
func (f FS) VFCounts(pci string) (now, most uint32, err error) {
	dir, err := f.device("pci", pci)
	if err != nil {
		return 0, 0, err
	}
	if most, err = readNumber(filepath.Join(dir, "sriov_totalvfs")); err != nil {
		return 0, 0, err
	}
	now, err = readNumber(filepath.Join(dir, "sriov_numvfs"))
	return now, most, err
}
