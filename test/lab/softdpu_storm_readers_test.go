//go:build lab

package lab

import (
	"context"
	encoding "encoding/binary"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
	"unsafe"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"

	"github.com/dpu-exporter/dpu-exporter/internal/rtnl"
)

// readers read whatever can be read, by every way that there is.
func (s *storm) readers() []actor {
	ethtool := []operation{{"ethtool -S", s.ethtoolStatistics}}
	for _, q := range ethtoolQuestions {
		ethtool = append(ethtool, operation{q.name, func(r *rand.Rand) error { return s.askEthtool(r, q) }})
	}
	devlink := []operation{}
	for _, q := range devlinkQuestions {
		devlink = append(devlink, operation{q.name, func(r *rand.Rand) error { return s.askDevlink(r, q) }})
	}
	const often = 20 * time.Millisecond
	return []actor{
		{"ethtool", 2, often, ethtool},
		{"devlink", 2, often, devlink},
		{"rtnetlink", 1, often, []operation{{"links with VFs", readLinks}, {"statistics", readStatistics}}},
		{"files", 1, 5 * often, []operation{
			{"/proc/net/dev", func(*rand.Rand) error { return readFile("/proc/net/dev") }}, {"sysfs", readSysfs}, {"debugfs", readDebugfs},
		}},
		{"exporter", 1, 500 * time.Millisecond, []operation{{"/metrics", s.scrape}}},
	}
}

func (s *storm) scrape(*rand.Rand) error {
	_, err := s.exporter.scrape()
	return err
}

func readLinks(*rand.Rand) error {
	_, err := netlink.LinkList()
	if errors.Is(err, netlink.ErrDumpInterrupted) {
		return nil
	}
	return err
}

// readStatistics is one RTM_GETSTATS dump, with the slow path.
func readStatistics(*rand.Rand) error {
	conn, err := rtnl.Dial()
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.Stats(context.Background(), func(*rtnl.Stats) {})
}

func readFile(path string) error {
	_, err := os.ReadFile(path)
	return err
}

// readSysfs reads a file of a netdev, and a device's.
func readSysfs(r *rand.Rand) error {
	folder := "/sys/class/net/" + anyThere(r, everyNetdev) + "/"
	file := oneOf(r, []string{"speed", "carrier", "phys_port_name", "phys_switch_id", "statistics/rx_bytes", "address"})
	return errors.Join(readFile(folder+file), readFile("/sys/bus/softdpu/devices/"+anyDPU(r).Name+"/sriov_numvfs"))
}

// readDebugfs reads all files of a device that can be read.
func readDebugfs(r *rand.Rand) error {
	return filepath.WalkDir("/sys/kernel/debug/softdpu/"+anyDPU(r).Name, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() == "report" {
			return err
		}
		return readFile(path)
	})
}

// ethtoolStatistics are the names and values as ethtool(8) asks for them by
// ioctl(2), with room for more than it was told of.
func (s *storm) ethtoolStatistics(r *rand.Rand) error {
	const gstrings, gstats, ofStatistics, lengthOfName, room = 0x1b, 0x1d, 1, 32, 4096 // linux/ethtool.h
	name := anyThere(r, everyNetdev)
	names := encoding.NativeEndian.AppendUint32(nil, gstrings)
	names = encoding.NativeEndian.AppendUint32(names, ofStatistics)
	names = append(names, make([]byte, 4+room*lengthOfName)...)
	values := encoding.NativeEndian.AppendUint32(nil, gstats)
	values = append(values, make([]byte, 4+room*8)...)
	return on(name, func(netlink.Link) error {
		return errors.Join(ethtoolIoctl(s.control, name, names), ethtoolIoctl(s.control, name, values))
	})
}

// ethtoolIoctl asks the driver of a netdev, which answers in the same bytes.
func ethtoolIoctl(socket int, name string, data []byte) error {
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&data[0])
	request := struct { // struct ifreq
		name [unix.IFNAMSIZ]byte
		data unsafe.Pointer
		_    [16]byte
	}{data: unsafe.Pointer(&data[0])}
	copy(request.name[:], name)
	if _, _, number := unix.Syscall(unix.SYS_IOCTL, uintptr(socket), unix.SIOCETHTOOL, uintptr(unsafe.Pointer(&request))); number != 0 {
		return number
	}
	return nil
}

// genlFamilies are the numbers of the families that are asked.
func genlFamilies(t *testing.T) map[string]uint16 {
	t.Helper()
	all := map[string]uint16{}
	for _, name := range []string{unix.ETHTOOL_GENL_NAME, unix.DEVLINK_GENL_NAME} {
		family, err := netlink.GenlFamilyGet(name)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = family.ID
	}
	return all
}

// ask sends one request of generic netlink and takes the whole answer.
func (s *storm) ask(family string, command uint8, flags int, attributes ...nl.NetlinkRequestData) error {
	request := nl.NewNetlinkRequest(int(s.families[family]), flags)
	request.AddData(&nl.Genlmsg{Command: command, Version: 1})
	for _, a := range attributes {
		request.AddData(a)
	}
	_, err := request.Execute(unix.NETLINK_GENERIC, 0)
	if errors.Is(err, netlink.ErrDumpInterrupted) {
		return nil
	}
	return err
}
