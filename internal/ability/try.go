package ability

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/dpu-exporter/dpu-exporter/internal/devlink"
	"github.com/dpu-exporter/dpu-exporter/internal/ethtool"
	"github.com/dpu-exporter/dpu-exporter/internal/host"
	"github.com/dpu-exporter/dpu-exporter/internal/outcome"
)

// open opens a socket and closes it.
func open(family, kind, protocol int) error {
	fd, err := unix.Socket(family, kind|unix.SOCK_CLOEXEC, protocol)
	if err != nil {
		return fmt.Errorf("socket: %w", err)
	}
	return unix.Close(fd)
}

// openEcho opens what sends ICMP echo requests: a datagram socket, for groups in
// net.ipv4.ping_group_range (icmp(7)), or a raw one (raw(7)).
func openEcho() error {
	if open(unix.AF_INET, unix.SOCK_DGRAM, unix.IPPROTO_ICMP) == nil {
		return nil
	}
	return open(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP)
}

// askDriver asks lo for its driver by SIOCETHTOOL. That lo has none is an
// answer too.
func askDriver() error {
	s, err := ethtool.OpenStatistics()
	if err != nil {
		return err
	}
	defer s.Close()
	if _, err := s.Describe("lo"); err != nil && outcome.Of(err) != outcome.Unsupported {
		return err
	}
	return nil
}

// askEswitch asks for the eswitch of a device that is not there. The kernel
// looks at the capability first (GENL_ADMIN_PERM in net/netlink/genetlink.c),
// and wants it in the first user namespace. Without devlink that is all to try.
func askEswitch(ctx context.Context) error {
	held, err := host.Holds(unix.CAP_NET_ADMIN)
	if err != nil {
		return err
	}
	if !held {
		return fmt.Errorf("CAP_NET_ADMIN is not held: %w", fs.ErrPermission)
	}
	c, err := devlink.Dial()
	if outcome.Of(err) == outcome.Unsupported {
		return nil
	}
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.Eswitch(ctx, devlink.Handle{Bus: "none", Device: "none"})
	if outcome.Of(err) == outcome.Vanished {
		return nil
	}
	return err
}

// rdmaMemory is what a probe may register with an RDMA device.
const rdmaMemory = 256 << 20

// lockMemory locks so many bytes of address space that no memory stands behind
// (MLOCK_ONFAULT), and lets go of them. Too low a limit is ENOMEM, and EPERM if
// it is 0 (mlock(2)).
func lockMemory(size int) error {
	space, err := unix.Mmap(-1, 0, size, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		return fmt.Errorf("mmap: %w", err)
	}
	_, _, errno := unix.Syscall(unix.SYS_MLOCK2, uintptr(unsafe.Pointer(unsafe.SliceData(space))), uintptr(size), unix.MLOCK_ONFAULT)
	if err := unix.Munmap(space); err != nil { // which unlocks
		return fmt.Errorf("munmap: %w", err)
	}
	switch errno {
	case 0:
		return nil
	case unix.ENOMEM:
		return fmt.Errorf("%d MiB are above the limit: %w", size>>20, fs.ErrPermission)
	}
	return fmt.Errorf("mlock: %w", errno)
}

// openRDMA opens a character device of ib_uverbs, and that of rdma_ucm where it is
// loaded, which not all RDMA needs. They make nothing before they are asked to.
func openRDMA(dev string) error {
	paths, err := filepath.Glob(filepath.Join(dev, "infiniband/uverbs*"))
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return fmt.Errorf("no RDMA device at %s: %w", filepath.Join(dev, "infiniband"), fs.ErrNotExist)
	}
	for _, path := range []string{paths[0], filepath.Join(dev, "infiniband/rdma_cm")} {
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if info.Mode()&fs.ModeCharDevice == 0 {
			return fmt.Errorf("%s is no character device", path)
		}
		file, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		if err := file.Close(); err != nil {
			return err
		}
	}
	return nil
}
