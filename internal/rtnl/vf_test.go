package rtnl

import (
	"context"
	"encoding/hex"
	"errors"
	"math"
	"net"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// attr is an attribute of its true length.
func attr(kind uint16, value string) string { return attribute(4+len(value), kind, value) }

// words are 32-bit numbers.
func words(numbers ...uint32) string {
	var b []byte
	for _, n := range numbers {
		b = native.AppendUint32(b, n)
	}
	return string(b)
}

// vfInfo is a VF as the kernel writes it, with the attributes that follow its
// address.
func vfInfo(number uint32, more string) string {
	mac := words(number) + "\x02\x00\x00\x00\x00" + string(rune(number)) + strings.Repeat("\x00", 26)
	return attr(unix.IFLA_VF_INFO, attr(unix.IFLA_VF_MAC, mac)+more)
}

// vfsAnswer is a link with a list of VFs, and the end of the answer.
func vfsAnswer(announced uint32, list string) string {
	return packet(unix.RTM_NEWLINK, 0, 1, ifinfo(4)+
		attr(unix.IFLA_ADDRESS, "\x02\x00\x00\x00\x00\x01")+
		attr(unix.IFLA_NUM_VF, words(announced))+attr(unix.IFLA_VFINFO_LIST, list)) +
		packet(unix.NLMSG_ERROR, 0, 1, code(0))
}

func askVFs(t *testing.T, answer string) ([]VF, error) {
	t.Helper()
	c := newConn(&script{answers: []string{answer}})
	c.buffer = make([]byte, 1<<18)
	return c.VFs(context.Background(), 4, true)
}

func TestVFs(t *testing.T) {
	const unset = math.MaxUint32
	first := attr(unix.IFLA_VF_VLAN, words(0, 11, 3)) + attr(unix.IFLA_VF_RATE, words(0, 100, 1000)) +
		attr(unix.IFLA_VF_SPOOFCHK, words(0, 1)) + attr(unix.IFLA_VF_TRUST, words(0, unset)) +
		attr(unix.IFLA_VF_LINK_STATE, words(0, 2)) +
		attr(unix.IFLA_VF_VLAN_LIST, attr(unix.IFLA_VF_VLAN_INFO, words(0, 11, 3)+"\x88\xa8\x00\x00"))
	have, err := askVFs(t, vfsAnswer(2, vfInfo(0, first)+vfInfo(5, attr(unix.IFLA_VF_TRUST, words(5, 0)))))
	if err != nil {
		t.Fatal(err)
	}
	want := []VF{
		{
			Number: 0, Address: net.HardwareAddr{2, 0, 0, 0, 0, 0}, VLAN: 11, QoS: 3, VLANProtocol: 0x88a8,
			MinRate: new(uint32(100)), MaxRate: new(uint32(1000)), SpoofCheck: new(true), LinkState: new(uint32(2)),
		},
		{Number: 5, Address: net.HardwareAddr{2, 0, 0, 0, 0, 5}, Trusted: new(false)},
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
}

// The kernel's IFLA_VF_STATS has a PAD at 6, which shifts the two drops in a
// library that leaves it out.
func TestVFStatisticsHaveAPad(t *testing.T) {
	blob, err := hex.DecodeString("0c00000001000000000000000c0001000b000000000000000c00020015000000000000000c0003001f00000000000000" +
		"0c00040029000000000000000c00050033000000000000000c00070047000000000000000c0008005100000000000000")
	if err != nil {
		t.Fatal(err)
	}
	var have VFStats
	if err := have.parse(blob); err != nil {
		t.Fatal(err)
	}
	want := VFStats{RxPackets: 1, TxPackets: 11, RxBytes: 21, TxBytes: 31, Broadcast: 41, Multicast: 51, RxDropped: 71, TxDropped: 81, HasDrops: true}
	if have != want {
		t.Errorf("%+v, want %+v", have, want)
	}
}

// longList is a list of 300 VFs, longer than an attribute's length can say.
func longList() string {
	var list strings.Builder
	for n := range uint32(300) {
		list.WriteString(vfInfo(n, attr(unix.IFLA_VF_BROADCAST, strings.Repeat("\xff", 32))+
			attr(unix.IFLA_VF_STATS, strings.Repeat(attr(unix.IFLA_VF_STATS_RX_BYTES, "12345678"), 12))))
	}
	return list.String()
}

func TestVFListThatIsTooLong(t *testing.T) {
	list := longList()
	if len(list) < 1<<16 {
		t.Fatalf("%d bytes", len(list))
	}
	have, err := askVFs(t, vfsAnswer(300, list)) // its length is cut to 16 bits
	if !errors.Is(err, syscall.EMSGSIZE) || len(have) == 0 || len(have) >= 300 {
		t.Errorf("%d VFs, %v", len(have), err)
	}
	have, err = askVFs(t, packet(unix.NLMSG_ERROR, 0, 1, code(90)))
	if !errors.Is(err, syscall.EMSGSIZE) || len(have) != 0 {
		t.Errorf("%d VFs, %v", len(have), err)
	}
}

func TestVFListThatIsCut(t *testing.T) {
	for name, test := range map[string]struct {
		list string
		vfs  int
		cut  bool // else broken
	}{
		"one is missing":        {vfInfo(0, ""), 1, true},
		"none came":             {"", 0, true},
		"in the midst of one":   {vfInfo(0, "") + vfInfo(1, "")[:20], 1, true},
		"a VF without a number": {vfInfo(0, "") + attr(unix.IFLA_VF_INFO, attr(unix.IFLA_VF_TRUST, words(1, 0))), 1, false},
		"a short setting":       {vfInfo(0, "") + vfInfo(1, attr(unix.IFLA_VF_TRUST, words(1))), 1, false},
		"a short statistic":     {vfInfo(0, "") + vfInfo(1, attr(unix.IFLA_VF_STATS, attr(0, "1234"))), 1, false},
	} {
		have, err := askVFs(t, vfsAnswer(2, test.list))
		if err == nil || errors.Is(err, syscall.EMSGSIZE) != test.cut || len(have) != test.vfs {
			t.Errorf("%s: %d VFs, %v", name, len(have), err)
		}
	}
}

func TestNoVFs(t *testing.T) {
	have, err := askVFs(t, packet(unix.RTM_NEWLINK, 0, 1, ifinfo(4))+packet(unix.NLMSG_ERROR, 0, 1, code(0)))
	if err != nil || have != nil {
		t.Errorf("%v, %v", have, err)
	}
	have, err = askVFs(t, packet(unix.RTM_NEWLINK, 0, 1, ifinfo(4)+attr(unix.IFLA_NUM_VF, words(8)))+packet(unix.NLMSG_ERROR, 0, 1, code(0)))
	if err != nil || have != nil {
		t.Errorf("another netdev of the parent: %v, %v", have, err)
	}
	if _, err := askVFs(t, packet(unix.NLMSG_ERROR, 0, 1, code(19))); !errors.Is(err, syscall.ENODEV) {
		t.Errorf("error %v", err)
	}
}

func FuzzVFs(f *testing.F) {
	f.Add([]byte(ifinfo(4) + attr(unix.IFLA_NUM_VF, words(1)) + attr(unix.IFLA_VFINFO_LIST, vfInfo(0, ""))))
	f.Fuzz(func(_ *testing.T, body []byte) {
		var l vfList
		_ = l.parse(body)
	})
}
