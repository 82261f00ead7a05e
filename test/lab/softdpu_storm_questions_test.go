//go:build lab

package lab

import (
	"math/rand/v2"

	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"

	"github.com/dpu-exporter/dpu-exporter/test/lab/world"
)

// ethtoolQuestion is asked of one netdev or of all (ethtool-netlink.rst).
type ethtoolQuestion struct {
	name    string
	command uint8
	header  int    // the attribute that names the netdev; mostly the first
	flags   uint32 // ETHTOOL_FLAG_*
	one     bool   // there is no dump
	more    func(r *rand.Rand) []nl.NetlinkRequestData
}

// attributes of ETHTOOL_MSG_STATS_GET and ETHTOOL_MSG_MODULE_EEPROM_GET
const (
	statsHeader, statsGroups                                = 2, 3
	eepromOffset, eepromLength, eepromPage, eepromBank, i2c = 2, 3, 4, 5, 6
)

var ethtoolQuestions = []ethtoolQuestion{
	{name: "ethtool strings", command: unix.ETHTOOL_MSG_STRSET_GET, header: 1},
	{name: "ethtool linkinfo", command: unix.ETHTOOL_MSG_LINKINFO_GET, header: 1},
	{name: "ethtool linkmodes", command: unix.ETHTOOL_MSG_LINKMODES_GET, header: 1},
	{name: "ethtool linkstate", command: unix.ETHTOOL_MSG_LINKSTATE_GET, header: 1, flags: unix.ETHTOOL_FLAG_STATS},
	{name: "ethtool rings", command: unix.ETHTOOL_MSG_RINGS_GET, header: 1},
	{name: "ethtool channels", command: unix.ETHTOOL_MSG_CHANNELS_GET, header: 1},
	{name: "ethtool coalesce", command: unix.ETHTOOL_MSG_COALESCE_GET, header: 1},
	{name: "ethtool pause", command: unix.ETHTOOL_MSG_PAUSE_GET, header: 1, flags: unix.ETHTOOL_FLAG_STATS},
	{name: "ethtool fec", command: unix.ETHTOOL_MSG_FEC_GET, header: 1, flags: unix.ETHTOOL_FLAG_STATS},
	{name: "ethtool statistics", command: unix.ETHTOOL_MSG_STATS_GET, header: statsHeader, more: func(*rand.Rand) []nl.NetlinkRequestData {
		groups := nl.NewRtAttr(statsGroups|unix.NLA_F_NESTED, nil)
		groups.AddRtAttr(unix.ETHTOOL_A_BITSET_NOMASK, nil)
		groups.AddRtAttr(unix.ETHTOOL_A_BITSET_SIZE, nl.Uint32Attr(4))
		groups.AddRtAttr(unix.ETHTOOL_A_BITSET_VALUE, nl.Uint32Attr(0xf)) // phy, mac, ctrl, rmon
		return []nl.NetlinkRequestData{groups}
	}},
	{name: "ethtool module", command: unix.ETHTOOL_MSG_MODULE_EEPROM_GET, header: 1, one: true, more: func(r *rand.Rand) []nl.NetlinkRequestData {
		page := uint8(r.IntN(4))
		return []nl.NetlinkRequestData{
			nl.NewRtAttr(eepromOffset, nl.Uint32Attr(min(uint32(page), 1)*128)), nl.NewRtAttr(eepromLength, nl.Uint32Attr(1+r.Uint32N(128))),
			nl.NewRtAttr(eepromPage, []byte{page}), nl.NewRtAttr(eepromBank, []byte{0}), nl.NewRtAttr(i2c, []byte{0x50}),
		}
	}},
}

func (s *storm) askEthtool(r *rand.Rand, q ethtoolQuestion) error {
	header := nl.NewRtAttr(q.header|unix.NLA_F_NESTED, nil)
	header.AddRtAttr(unix.ETHTOOL_A_HEADER_FLAGS, nl.Uint32Attr(q.flags))
	how := unix.NLM_F_ACK
	switch {
	case q.one:
		header.AddRtAttr(unix.ETHTOOL_A_HEADER_DEV_NAME, nl.ZeroTerminated(anyThere(r, everyUplink)))
	case r.IntN(4) == 0:
		how = unix.NLM_F_DUMP
	default:
		header.AddRtAttr(unix.ETHTOOL_A_HEADER_DEV_NAME, nl.ZeroTerminated(anyThere(r, everyNetdev)))
	}
	attributes := []nl.NetlinkRequestData{header}
	if q.more != nil {
		attributes = append(attributes, q.more(r)...)
	}
	return s.ask(unix.ETHTOOL_GENL_NAME, q.command, how, attributes...)
}

// devlinkQuestion is asked of a device, of a port of it or, as a dump, of all.
type devlinkQuestion struct {
	name    string
	command uint8
	of      func(r *rand.Rand, p world.DPUPort) []nl.NetlinkRequestData // nil for all
	dump    bool
}

var devlinkQuestions = []devlinkQuestion{
	{name: "devlink devices", command: unix.DEVLINK_CMD_GET, dump: true},
	{name: "devlink ports", command: unix.DEVLINK_CMD_PORT_GET, dump: true},
	{name: "devlink infos", command: unix.DEVLINK_CMD_INFO_GET, dump: true},
	{name: "devlink reporters", command: unix.DEVLINK_CMD_HEALTH_REPORTER_GET, dump: true},
	{name: "devlink parameters", command: unix.DEVLINK_CMD_PARAM_GET, dump: true},
	{name: "devlink rates", command: unix.DEVLINK_CMD_RATE_GET, dump: true},
	{name: "devlink port", command: unix.DEVLINK_CMD_PORT_GET, of: onePort},
	{name: "devlink eswitch", command: unix.DEVLINK_CMD_ESWITCH_GET, of: oneDevice},
	{name: "devlink resources", command: unix.DEVLINK_CMD_RESOURCE_DUMP, of: oneDevice},
	{name: "devlink diagnose", command: unix.DEVLINK_CMD_HEALTH_REPORTER_DIAGNOSE, of: oneReporter},
	{name: "devlink dump", command: unix.DEVLINK_CMD_HEALTH_REPORTER_DUMP_GET, of: oneReporter, dump: true},
	{name: "devlink dump clear", command: unix.DEVLINK_CMD_HEALTH_REPORTER_DUMP_CLEAR, of: oneReporter},
	{name: "devlink recover", command: unix.DEVLINK_CMD_HEALTH_REPORTER_RECOVER, of: oneReporter},
	{name: "devlink rate node", command: unix.DEVLINK_CMD_RATE_NEW, of: oneNode},
	{name: "devlink rate", command: unix.DEVLINK_CMD_RATE_SET, of: oneRate},
	{name: "devlink rate delete", command: unix.DEVLINK_CMD_RATE_DEL, of: oneNode},
}

func oneDevice(_ *rand.Rand, p world.DPUPort) []nl.NetlinkRequestData {
	return []nl.NetlinkRequestData{
		nl.NewRtAttr(unix.DEVLINK_ATTR_BUS_NAME, nl.ZeroTerminated("softdpu")), nl.NewRtAttr(unix.DEVLINK_ATTR_DEV_NAME, nl.ZeroTerminated(p.DPU.Name)),
	}
}

func onePort(r *rand.Rand, p world.DPUPort) []nl.NetlinkRequestData {
	return append(oneDevice(r, p), nl.NewRtAttr(unix.DEVLINK_ATTR_PORT_INDEX, nl.Uint32Attr(uint32(p.DevlinkIndex()))))
}

// oneReporter is the device's, which breaks and recovers, or a port's.
func oneReporter(r *rand.Rand, p world.DPUPort) []nl.NetlinkRequestData {
	if r.IntN(3) == 0 {
		return append(onePort(r, p), nl.NewRtAttr(unix.DEVLINK_ATTR_HEALTH_REPORTER_NAME, nl.ZeroTerminated("vnic")))
	}
	return append(oneDevice(r, p), nl.NewRtAttr(unix.DEVLINK_ATTR_HEALTH_REPORTER_NAME, nl.ZeroTerminated("fw")))
}

func oneNode(r *rand.Rand, p world.DPUPort) []nl.NetlinkRequestData {
	return append(oneDevice(r, p), nl.NewRtAttr(unix.DEVLINK_ATTR_RATE_NODE_NAME, nl.ZeroTerminated("node0")))
}

// oneRate is that of a VF or SF, with or without a node above it.
func oneRate(r *rand.Rand, p world.DPUPort) []nl.NetlinkRequestData {
	return append(onePort(r, p), nl.NewRtAttr(unix.DEVLINK_ATTR_RATE_TX_MAX, nl.Uint64Attr(r.Uint64N(1e9))),
		nl.NewRtAttr(unix.DEVLINK_ATTR_RATE_PARENT_NODE_NAME, nl.ZeroTerminated(oneOf(r, []string{"node0", "", ""}))))
}

func (s *storm) askDevlink(r *rand.Rand, q devlinkQuestion) error {
	how := unix.NLM_F_ACK
	if q.dump {
		how = unix.NLM_F_DUMP
	}
	var attributes []nl.NetlinkRequestData
	if q.of != nil {
		attributes = q.of(r, anyPort(r))
	}
	return s.ask(unix.DEVLINK_GENL_NAME, q.command, how, attributes...)
}
