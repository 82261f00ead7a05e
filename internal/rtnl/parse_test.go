package rtnl

import (
	"errors"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

func TestParseLink(t *testing.T) {
	const (
		ether    = unix.ARPHRD_ETHER
		loopback = unix.ARPHRD_LOOPBACK
	)
	for file, want := range map[string]Link{
		"lo": {Index: 1, Type: loopback, Flags: 0x10049, Name: "lo", Address: make([]byte, 6), MTU: 65536,
			OperState: 0, Carrier: new(true), CarrierChanges: new(uint32(0)), CarrierUps: new(uint32(0)), CarrierDowns: new(uint32(0))},
		"bridge": {Index: 10, Type: ether, Flags: 0x1002, Name: "bridge", Address: net.HardwareAddr{2, 0, 0, 0, 0, 10}, Kind: "bridge", MTU: 1500,
			OperState: 2, Carrier: new(false), CarrierChanges: new(uint32(1)), CarrierUps: new(uint32(0)), CarrierDowns: new(uint32(1))},
		"veth": {Index: 11, Type: ether, Flags: 0x1003, Name: "veth", AltNames: []string{"a-name-of-more-than-fifteen-bytes", "enp3s0f0np0"},
			Alias: "uplink of pod 7", Address: net.HardwareAddr{2, 0, 0, 0, 0, 11}, Kind: "veth", MTU: 1500, Master: 10, Lower: 2,
			OperState: 3, Carrier: new(false), CarrierChanges: new(uint32(1)), CarrierUps: new(uint32(0)), CarrierDowns: new(uint32(1))},
		"veth-of-pod": {Index: 16, Type: ether, Flags: 0x1002, Name: "veth-of-pod", Address: net.HardwareAddr{2, 0, 0, 0, 0, 16}, Kind: "veth", MTU: 1500,
			Lower: 2, LowerForeign: true,
			OperState: 2, Carrier: new(false), CarrierChanges: new(uint32(1)), CarrierUps: new(uint32(0)), CarrierDowns: new(uint32(1))},
		"macvlan": {Index: 13, Type: ether, Flags: 0x1002, Name: "macvlan", Address: net.HardwareAddr{2, 0, 0, 0, 0, 13}, Kind: "macvlan", MTU: 1500, Lower: 10,
			OperState: 2, Carrier: new(false), CarrierChanges: new(uint32(0)), CarrierUps: new(uint32(0)), CarrierDowns: new(uint32(0))},
		"vxlan": {Index: 14, Type: ether, Flags: 0x1002, Name: "vxlan", Address: net.HardwareAddr{2, 0, 0, 0, 0, 14}, Kind: "vxlan", MTU: 1500,
			OperState: 2, Carrier: new(true), CarrierChanges: new(uint32(0)), CarrierUps: new(uint32(0)), CarrierDowns: new(uint32(0))},
		"ifb": {Index: 15, Type: ether, Flags: 0x82, Name: "ifb", Address: net.HardwareAddr{2, 0, 0, 0, 0, 15}, Kind: "ifb", MTU: 1500,
			OperState: 2, Carrier: new(true), CarrierChanges: new(uint32(0)), CarrierUps: new(uint32(0)), CarrierDowns: new(uint32(0))},
		"made-representor": {Index: 31, Type: ether, Flags: 0x11043, Name: "enp3s0f0npf0vf0", Address: net.HardwareAddr{0x0e, 0x11, 0x22, 0x33, 0x44, 0x55}, MTU: 9000, Master: 20,
			OperState: 6, Carrier: new(true), CarrierChanges: new(uint32(7)), CarrierUps: new(uint32(4)), CarrierDowns: new(uint32(3)),
			PortName: "c1pf0vf0", SwitchID: []byte{0xb8, 0xce, 0xf6, 0x03, 0x00, 0x8a, 0x1c, 0x34, 0xff, 0xee, 0x01, 0x02}},
		"made-uplink": {Index: 3, Type: ether, Flags: 0x11043, Name: "p0", AltNames: []string{"enp3s0f0np0", "uplink-0"}, MTU: 1500, OperState: 6,
			PortName: "p0", SwitchID: []byte{0x8a, 0x1c, 0x34, 0x00, 0x03, 0xf6, 0xce, 0xb8}, ParentBus: "pci", ParentDev: "0000:03:00.0"},
	} {
		t.Run(file, func(t *testing.T) {
			got, err := parseLink(readBody(t, "link/"+file+".hex", unix.RTM_NEWLINK))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("link (-want +got):\n%s", diff)
			}
		})
	}
}

// TestParseLinkKeepsNothing overwrites the message that a link was read from.
func TestParseLinkKeepsNothing(t *testing.T) {
	for _, file := range captures(t, "link") {
		body := readBody(t, file, unix.RTM_NEWLINK)
		want, err := parseLink(slices.Clone(body))
		if errors.Is(err, errWireless) {
			continue
		}
		got, _ := parseLink(body)
		for i := range body {
			body[i] = 0xff
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s changed with the buffer (-want +got):\n%s", file, diff)
		}
	}
}

func TestParseLinkWireless(t *testing.T) {
	_, err := parseLink(readBody(t, "link/made-wireless.hex", unix.RTM_NEWLINK))
	if !errors.Is(err, errWireless) {
		t.Errorf("error %v, want errWireless", err)
	}
}

func TestParseStats(t *testing.T) {
	run := func(first uint64, n int) *Counters {
		c := &Counters{N: n}
		for i := range n {
			c.Value[i] = first + uint64(i)
		}
		return c
	}
	loopback := &Counters{N: 25}
	loopback.Value[RxPackets], loopback.Value[TxPackets] = 3, 3
	loopback.Value[RxBytes], loopback.Value[TxBytes] = 384, 384
	var p statsParser // one for all, most fields first: nothing may remain of the device before
	for _, c := range []struct {
		file string
		want Stats
	}{
		{"made-representor", Stats{31, run(1000, 25), run(100, 25)}},
		{"made-24-fields", Stats{4, run(2000, 24), nil}},
		{"made-27-fields", Stats{4, run(3000, 25), nil}},
		{"lo", Stats{1, loopback, nil}},
		{"veth", Stats{11, &Counters{N: 25}, nil}},
	} {
		got, err := p.parse(readBody(t, "stats/"+c.file+".hex", unix.RTM_NEWSTATS))
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		if diff := cmp.Diff(c.want, *got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.file, diff)
		}
	}
}

// attribute makes a whole attribute of a given length field.
func attribute(length int, kind uint16, value string) string {
	b := native.AppendUint16(nil, uint16(length))
	b = native.AppendUint16(b, kind)
	b = append(b, value...)
	return string(append(b, make([]byte, align(len(b))-len(b))...))
}

func ifinfo(index uint32) string {
	b := make([]byte, unix.SizeofIfInfomsg)
	native.PutUint32(b[4:], index)
	return string(b)
}

func ifstats(index uint32) string {
	b := make([]byte, sizeofIfStatsMsg)
	native.PutUint32(b[4:], index)
	return string(b)
}

func TestParseLinkErrors(t *testing.T) {
	link := ifinfo(7)
	for _, c := range []struct{ body, want string }{
		{"", "link message: 0 bytes, want at least 16"},
		{link[:15], "link message: 15 bytes, want at least 16"},
		{ifinfo(0), "link message: interface index 0"},
		{ifinfo(1 << 31), "link message: interface index -2147483648"},
		{link + attribute(7, unix.IFLA_MTU, "abc"), "link 7: IFLA_MTU: 3 bytes, want 4"},
		{link + attribute(6, unix.IFLA_OPERSTATE, "ab"), "link 7: IFLA_OPERSTATE: 2 bytes, want 1"},
		{link + attribute(4, unix.IFLA_CARRIER, ""), "link 7: IFLA_CARRIER: 0 bytes, want 1"},
		{link + attribute(12, unix.IFLA_CARRIER_UP_COUNT, "abcdefgh"), "link 7: IFLA_CARRIER_UP_COUNT: 8 bytes, want 4"},
		{link + attribute(5, unix.IFLA_LINK_NETNSID, "a"), "link 7: IFLA_LINK_NETNSID: 1 bytes, want 4"},
		{link + attribute(200, unix.IFLA_IFNAME, "eth0\x00"), "link 7: IFLA_IFNAME: attribute of 200 bytes in the 12 bytes left"},
		{link + attribute(3, unix.IFLA_IFNAME, ""), "link 7: IFLA_IFNAME: attribute of 3 bytes in the 4 bytes left"},
		{link + attribute(9, 999, "a"), "link 7: attribute 999: attribute of 9 bytes in the 8 bytes left"},
		{link + attribute(8, unix.IFLA_MTU, "abcd") + "xyz", "link 7: IFLA_MTU: followed by 3 stray bytes"},
		{link + attribute(12, unix.IFLA_LINKINFO, attribute(9, unix.IFLA_INFO_KIND, "veth")), "link 7: IFLA_LINKINFO: IFLA_INFO_KIND: attribute of 9 bytes in the 8 bytes left"},
		{link + attribute(12, unix.IFLA_PROP_LIST|unix.NLA_F_NESTED, attribute(0, unix.IFLA_ALT_IFNAME, "name")), "link 7: IFLA_PROP_LIST: IFLA_ALT_IFNAME: attribute of 0 bytes in the 8 bytes left"},
	} {
		if _, err := parseLink([]byte(c.body)); err == nil || err.Error() != c.want {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
}

func TestParseStatsErrors(t *testing.T) {
	stats := ifstats(7)
	for _, c := range []struct{ body, want string }{
		{stats[:11], "stats message: 11 bytes, want at least 12"},
		{ifstats(0), "stats message: interface index 0"},
		{stats + attribute(4, unix.IFLA_STATS_LINK_64, ""), "stats of link 7: IFLA_STATS_LINK_64: 0 bytes, want a multiple of 8"},
		{stats + attribute(11, unix.IFLA_STATS_LINK_64, "1234567"), "stats of link 7: IFLA_STATS_LINK_64: 7 bytes, want a multiple of 8"},
		{stats + attribute(204, unix.IFLA_STATS_LINK_64, "12345678"), "stats of link 7: IFLA_STATS_LINK_64: attribute of 204 bytes in the 12 bytes left"},
		{stats + attribute(12, unix.IFLA_STATS_LINK_OFFLOAD_XSTATS, attribute(7, unix.IFLA_OFFLOAD_XSTATS_CPU_HIT, "abc")),
			"stats of link 7: IFLA_STATS_LINK_OFFLOAD_XSTATS: IFLA_OFFLOAD_XSTATS_CPU_HIT: 3 bytes, want a multiple of 8"},
		{stats + attribute(12, unix.IFLA_STATS_LINK_OFFLOAD_XSTATS, attribute(99, unix.IFLA_OFFLOAD_XSTATS_HW_S_INFO, "abcd")),
			"stats of link 7: IFLA_STATS_LINK_OFFLOAD_XSTATS: attribute 2: attribute of 99 bytes in the 8 bytes left"},
	} {
		if _, err := new(statsParser).parse([]byte(c.body)); err == nil || err.Error() != c.want {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
}

func FuzzParseLink(f *testing.F) {
	for _, file := range captures(f, "link") {
		f.Add(readBody(f, file, unix.RTM_NEWLINK))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		link, err := parseLink(body)
		switch {
		case err != nil && link.Index != 0:
			t.Errorf("link %d beside error %v", link.Index, err)
		case err == nil && link.Index <= 0:
			t.Errorf("index %d without error", link.Index)
		case strings.ContainsRune(link.Name+link.Alias+link.Kind, 0):
			t.Errorf("NUL in a string of %+v", link)
		}
	})
}

func FuzzParseStats(f *testing.F) {
	for _, file := range captures(f, "stats") {
		f.Add(readBody(f, file, unix.RTM_NEWSTATS))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var p statsParser
		stats, err := p.parse(body)
		if err != nil {
			return
		}
		for _, c := range []*Counters{stats.Link, stats.SlowPath} {
			if c != nil && (c.N < 1 || c.N > int(NumFields)) {
				t.Errorf("%d fields known of %d", c.N, NumFields)
			}
		}
	})
}

func TestDevlinkPortOfALink(t *testing.T) {
	port := attr(unix.DEVLINK_ATTR_BUS_NAME, "pci\x00") + attr(unix.DEVLINK_ATTR_DEV_NAME, "0000:03:00.0\x00") + attr(unix.DEVLINK_ATTR_PORT_INDEX, words(7))
	l, err := parseLink([]byte(ifinfo(3) + attr(unix.IFLA_DEVLINK_PORT|unix.NLA_F_NESTED, port)))
	if err != nil || l.DevlinkBus != "pci" || l.DevlinkDev != "0000:03:00.0" || l.DevlinkPort == nil || *l.DevlinkPort != 7 {
		t.Errorf("%+v, %v", l, err)
	}
	if _, err := parseLink([]byte(ifinfo(3) + attr(unix.IFLA_DEVLINK_PORT, attr(unix.DEVLINK_ATTR_PORT_INDEX, "7")))); err == nil {
		t.Error("an index of one byte is taken")
	}
}
