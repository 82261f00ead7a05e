package sysfs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// RDMAPort is a port of an RDMA device, numbered from 1.
type RDMAPort struct {
	Device string // mlx5_0
	Port   uint32
}

// RDMAPorts lists the ports of a device (/sys/class/infiniband/<device>/ports).
// An absent device is fs.ErrNotExist.
func (f FS) RDMAPorts(device string) ([]RDMAPort, error) {
	if err := checkName(device); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(filepath.Join(string(f), "class/infiniband", device, "ports"))
	var ports []RDMAPort
	for _, entry := range entries {
		if number, err := strconv.ParseUint(entry.Name(), 10, 32); err == nil {
			ports = append(ports, RDMAPort{device, uint32(number)})
		}
	}
	slices.SortFunc(ports, func(a, b RDMAPort) int { return int(a.Port) - int(b.Port) })
	return ports, err
}

func (f FS) rdmaPort(p RDMAPort, file string) (string, error) {
	if err := checkName(p.Device); err != nil {
		return "", err
	}
	return filepath.Join(string(f), "class/infiniband", p.Device, "ports", strconv.FormatUint(uint64(p.Port), 10), file), nil
}

// RDMAPortFile reads a one-line file of a port: state ("4: ACTIVE"), phys_state
// ("5: LinkUp"), rate ("100 Gb/sec (4X EDR)"), link_layer ("Ethernet"). A file
// that is absent is fs.ErrNotExist.
func (f FS) RDMAPortFile(p RDMAPort, file string) (string, error) {
	path, err := f.rdmaPort(p, file)
	if err != nil {
		return "", err
	}
	return readShort(path)
}

// RDMACounters lists the counters of a folder of a port, counters or
// hw_counters, without reading them. A driver without that folder is
// fs.ErrNotExist.
func (f FS) RDMACounters(p RDMAPort, folder string) ([]string, error) {
	path, err := f.rdmaPort(p, folder)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(path)
	names := make([]string, 0, len(entries))
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names, err
}

// RDMACounter reads one counter of a folder of a port. "N/A (no PMA)", which
// VFs of some drivers say, is errors.ErrUnsupported, as is an absent one; what
// the device refuses keeps its errno.
func (f FS) RDMACounter(p RDMAPort, folder, counter string) (uint64, error) {
	if err := checkName(counter); err != nil {
		return 0, err
	}
	text, err := f.RDMAPortFile(p, filepath.Join(folder, counter))
	if err != nil {
		return 0, err
	}
	if strings.HasPrefix(text, "N/A") {
		return 0, fmt.Errorf("%s of %s/%d says %q: %w", counter, p.Device, p.Port, text, errors.ErrUnsupported)
	}
	value, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s of %s/%d: %w", counter, p.Device, p.Port, err)
	}
	return value, nil
}

// RDMAGIDs counts the addresses of a port by the type that gid_attrs gives them:
// "IB/RoCE v1", "RoCE v2". Places that hold none are passed over.
func (f FS) RDMAGIDs(p RDMAPort) (map[string]int, error) {
	path, err := f.rdmaPort(p, "gid_attrs/types")
	if err != nil {
		return nil, err
	}
	places, err := os.ReadDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	count, failed := map[string]int{}, []error{err}
	for _, place := range places {
		kind, err := readShort(filepath.Join(path, place.Name()))
		switch {
		case isEmptyGID(err):
		case err != nil:
			failed = append(failed, err)
		default:
			count[kind]++
		}
	}
	return count, errors.Join(failed...)
}

// isEmptyGID says whether a type could not be read because the place holds no
// address (gid_attr_show of drivers/infiniband/core/sysfs.c: EINVAL).
func isEmptyGID(err error) bool { return errors.Is(err, unix.EINVAL) }
