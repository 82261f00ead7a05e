// Package inventory knows which functions, ports and network devices this node
// has and what each of them is. It is read from the kernel, kept fresh by its
// notifications, and read again in full every half minute for what the kernel
// does not announce.
//
// One Filter decides what is left out. To decide it the inventory has to read
// the names of all devices: one dump of all links, one of all devlink ports and
// the links of sysfs. Of a device that is left out nothing more is read, and no
// reader of a Snapshot hears of it.
package inventory

import (
	"cmp"

	"github.com/dpu-exporter/dpu-exporter/internal/outcome"
)

// Role is what a device is for whose traffic it carries.
type Role string

// The roles that are not simply the kernel's name of a software device's kind.
const (
	Uplink        Role = "uplink"         // physical port of an eswitch in switchdev mode
	PF            Role = "pf"             // physical function, or physical port outside switchdev mode
	VF            Role = "vf"             // SR-IOV virtual function
	SF            Role = "sf"             // subfunction (auxiliary device with an sfnum)
	PFRepresentor Role = "pf_representor" // devlink flavour pcipf
	VFRepresentor Role = "vf_representor" // devlink flavour pcivf
	SFRepresentor Role = "sf_representor" // devlink flavour pcisf
	Loopback      Role = "loopback"       // ARPHRD_LOOPBACK
	Other         Role = "other"          // hardware that is none of these: USB, platform, DSA ports
	Unknown       Role = "unknown"        // a port name or flavour that cannot be parsed; counted
)

// Key identifies a network device for as long as it exists in this namespace,
// through renames and changes of its address. The Generation counts appearances
// of devices: an index that is given again is another device.
type Key struct {
	Namespace  uint64 // inode of the network namespace (/proc/self/ns/net)
	Index      int    // interface index; 0 without a netdev in this namespace
	Generation uint64 // 0 without a netdev in this namespace
}

// Device is one network device of this namespace with all that identifies it,
// or a function or port without one: its Index is 0 and its Name empty, and PCI
// and DevlinkPort, or SF, tell it from others. It is immutable once it is in a
// Snapshot. Numbers that do not apply or are not known are nil; strings are
// empty.
type Device struct {
	Key
	Name     string
	AltNames []string
	Alias    string
	Address  string // link layer address, aa:bb:cc:dd:ee:ff
	Kind     string // IFLA_INFO_KIND: veth, bond, vlan…; "" for hardware
	Role     Role
	Driver   string // of the parent device: mlx5_core, ice…

	PCI         string  // PCI function below it, 0000:03:00.0
	RDMADevice  string  // RDMA device of the same function, mlx5_0; "" on representors
	SwitchID    string  // IFLA_PHYS_SWITCH_ID, all bytes, hex
	PortName    string  // IFLA_PHYS_PORT_NAME: p0, c1pf0vf3
	DevlinkPort string  // pci/0000:03:00.0/65535
	Port        *uint32 // physical port number
	Subport     *uint32 // of a split port
	Controller  *uint32
	PF, VF, SF  *uint32

	MTU            uint32 // bytes
	Master, Lower  string // names of the devices above and below; "" without one or in another namespace
	Up             bool   // IFF_UP: administratively up
	Carrier        *bool
	OperState      string // RFC 2863 in iproute2's words: up, down, lowerlayerdown, dormant, testing, notpresent, unknown
	CarrierChanges *uint32
	CarrierUps     *uint32
	CarrierDowns   *uint32
}

// Snapshot is the inventory at one moment. It is immutable.
type Snapshot struct {
	Devices  []*Device // sorted by name
	Excluded int       // of Devices and Detached what the filter left out
	Notes    []Note    // what is off and why, and what looks wrong

	// Filtered says that a filter is in force, whether or not it leaves out
	// anything now. Readers then ask for each of Devices instead of dumping all,
	// so that one that has just come is not read before it is known to be kept.
	Filtered bool

	// Detached are the functions and ports without a netdev in this namespace,
	// sorted by PCI address and devlink port: VFs that a guest or another
	// namespace has, subfunctions that are inactive or have RDMA alone, devlink
	// ports. VFs are looked for below the PCI functions that have a netdev or a
	// devlink port here. A change that neither rtnetlink nor devlink announces,
	// such as another driver of a VF, is seen with the next full read.
	Detached []*Device

	RDMA []RDMA // the RDMA devices, by name

	Namespace Namespace // whose interfaces these are
	Blind     bool      // rtnetlink may not be used: what there is is not known
	Unparsed  int       // of both lists those whose port name or flavour cannot be parsed; listed with role unknown

	byIndex map[int]*Device
}

// label names a device in a finding: a netdev by its name, what has none by its
// devlink port or PCI function.
func (d *Device) label() string { return cmp.Or(d.Name, d.DevlinkPort, d.PCI) }

// NewSnapshot returns a snapshot of these devices, Filtered when the filter has
// left out any.
func NewSnapshot(devices []*Device, excluded int) *Snapshot {
	s := &Snapshot{
		Devices: devices, Excluded: excluded, Filtered: excluded > 0,
		byIndex: make(map[int]*Device, len(devices)),
	}
	for _, d := range devices {
		s.byIndex[d.Index] = d
	}
	return s
}

// ByIndex returns the device with that interface index, or nil.
func (s *Snapshot) ByIndex(index int) *Device { return s.byIndex[index] }

// Note is a finding about this node that an operator should know of.
type Note struct {
	Source  string          // devlink, rtnl, sysfs, netns, ports
	Outcome outcome.Outcome // why it is off; OK where all was read and something is off all the same
	Text    string          // what is off, and what to do

	kind string // of the findings of Source, where Text differs from time to time
}
