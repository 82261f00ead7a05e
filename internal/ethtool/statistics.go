package ethtool

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ErrCountChanged says that a driver has another number of statistics than was
// asked for, as when its channels changed: ask Describe again.
var ErrCountChanged = errors.New("the number of statistics changed")

// Statistics reads what `ethtool -S` prints: the driver's own statistics, by
// the SIOCETHTOOL commands ETHTOOL_GDRVINFO, ETHTOOL_GSTRINGS and
// ETHTOOL_GSTATS (include/uapi/linux/ethtool.h). It belongs to the network
// namespace of the thread that opened it and to one goroutine at a time. No
// privilege is needed.
//
// All memory that the kernel writes to is outside of Go's stacks: an ioctl with
// the address of a variable on a stack that moves meanwhile corrupts memory.
type Statistics struct {
	socket  *os.File
	request *ifreq
	memory  guarded
}

// ifreq is struct ifreq of include/uapi/linux/if.h with ifr_data.
type ifreq struct {
	name [unix.IFNAMSIZ]byte
	data unsafe.Pointer
	_    [16]byte
}

// Description says what the statistics of a device are.
type Description struct {
	Driver string   // of ETHTOOL_GDRVINFO: "mlx5e_rep" on a representor of mlx5_core
	Names  []string // in the driver's order: its bytes up to the first NUL, at most 32
}

// OpenStatistics opens a socket in the network namespace of the calling thread.
func OpenStatistics() (*Statistics, error) {
	// Any socket takes these commands; netlink is what is open already.
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_GENERIC)
	if err != nil {
		return nil, fmt.Errorf("open socket for ethtool: %w", err)
	}
	return &Statistics{socket: os.NewFile(uintptr(fd), "ethtool"), request: new(ifreq)}, nil
}

// Close closes the socket and frees the memory. What Read returned is gone.
func (s *Statistics) Close() error { return errors.Join(s.socket.Close(), s.memory.free()) }

const (
	lengthOfString = 32  // ETH_GSTRING_LEN
	stringSetStats = 1   // ETH_SS_STATS
	sizeOfDrvinfo  = 196 // struct ethtool_drvinfo
	driverAt       = 4
	countAt        = 180 // n_stats
	stringsAt      = 12  // data of struct ethtool_gstrings
	valuesAt       = 8   // data of struct ethtool_stats
	maxStatistics  = 1 << 20
)

// Describe reads the driver of a device and the names of its statistics, of
// which it may have none. A device without any ethtool answers EOPNOTSUPP, one
// that is gone ENODEV.
func (s *Statistics) Describe(device string) (Description, error) {
	driver, count, err := s.driver(device)
	if err != nil || count == 0 {
		return Description{Driver: driver}, err
	}
	names, err := s.names(device, count)
	return Description{Driver: driver, Names: names}, err
}

func (s *Statistics) driver(device string) (driver string, count int, err error) {
	b, err := s.memory.tail(sizeOfDrvinfo)
	if err != nil {
		return "", 0, err
	}
	clear(b)
	if err := s.call(device, unix.ETHTOOL_GDRVINFO, b); err != nil {
		return "", 0, fmt.Errorf("ethtool driver of %s: %w", device, err)
	}
	driver = untilNUL(b[driverAt : driverAt+lengthOfString])
	count = int(binary.NativeEndian.Uint32(b[countAt:]))
	if count > maxStatistics {
		return driver, 0, fmt.Errorf("ethtool driver of %s: %d statistics, more than can be", device, count)
	}
	return driver, count, nil
}

func (s *Statistics) names(device string, count int) ([]string, error) {
	b, err := s.memory.tail(stringsAt + count*lengthOfString)
	if err != nil {
		return nil, err
	}
	binary.NativeEndian.PutUint32(b[4:], stringSetStats)
	binary.NativeEndian.PutUint32(b[8:], uint32(count))
	err = s.call(device, unix.ETHTOOL_GSTRINGS, b)
	if got := int(binary.NativeEndian.Uint32(b[8:])); errors.Is(err, unix.EFAULT) || err == nil && got != count {
		err = ErrCountChanged
	}
	if err != nil {
		return nil, fmt.Errorf("ethtool strings of %s: %w", device, err)
	}
	all := b[stringsAt:]
	names := make([]string, count)
	for i := range names {
		names[i] = untilNUL(all[i*lengthOfString:][:lengthOfString])
	}
	return names, nil
}

// Read returns the values of a device that has count statistics, in the order
// of Description.Names. They stand until the next call. The error is
// ErrCountChanged when the driver has another number of them by now; it asks
// the kernel once and allocates nothing after the largest device was read.
func (s *Statistics) Read(device string, count int) ([]uint64, error) {
	b, err := s.memory.tail(valuesAt + 8*count)
	if err != nil {
		return nil, err
	}
	// A wrong number is answered by none at all (Linux 6.18) or by as many as
	// there are.
	binary.NativeEndian.PutUint32(b[4:], uint32(count))
	err = s.call(device, unix.ETHTOOL_GSTATS, b)
	if got := int(binary.NativeEndian.Uint32(b[4:])); errors.Is(err, unix.EFAULT) || err == nil && got != count {
		err = ErrCountChanged
	}
	if err != nil {
		return nil, fmt.Errorf("ethtool statistics of %s: %w", device, err)
	}
	return words(b[valuesAt:]), nil
}

// call makes one SIOCETHTOOL with command at the head of data.
func (s *Statistics) call(device string, command uint32, data []byte) error {
	r := s.request
	if len(device) >= len(r.name) || strings.IndexByte(device, 0) >= 0 || device == "" {
		return fmt.Errorf("interface name %q: %w", device, unix.ENODEV)
	}
	clear(r.name[copy(r.name[:], device):])
	binary.NativeEndian.PutUint32(data, command)
	r.data = unsafe.Pointer(unsafe.SliceData(data))
	for {
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, s.socket.Fd(), unix.SIOCETHTOOL, uintptr(unsafe.Pointer(r)))
		switch errno {
		case 0:
			return nil
		case unix.EINTR:
		default:
			return errno
		}
	}
}

func untilNUL(b []byte) string {
	if end := bytes.IndexByte(b, 0); end >= 0 {
		b = b[:end]
	}
	return string(b)
}
