package inventory

import (
	"github.com/dpu-exporter/dpu-exporter/internal/devlink"
	"github.com/dpu-exporter/dpu-exporter/internal/rtnl"
	"golang.org/x/sys/unix"
)

// identity is what a device is and which numbers it has, decided from what the
// kernel says of it and never from its name.
type identity struct {
	role          Role
	port, subport *uint32
	controller    *uint32
	pf, vf, sf    *uint32
	unparsed      bool // the port name or flavour says something we do not know
}

// identify decides a device's role. The devlink port comes first (nil without
// one; switchdev says whether its eswitch is in that mode), then a port name
// that stands on a switch, then the kind of a software device, then sysfs.
func identify(link *rtnl.Link, port *devlink.Port, switchdev bool, f facts) identity {
	if link.Type == unix.ARPHRD_LOOPBACK {
		return identity{role: Loopback}
	}
	if port != nil && port.Flavour != nil {
		return identifyPort(link, port, switchdev, f)
	}
	if link.PortName != "" && len(link.SwitchID) > 0 {
		return parsePortName(link.PortName)
	}
	return identifyFunction(link, f)
}

// identifyPort goes by the devlink flavour (include/uapi/linux/devlink.h).
func identifyPort(link *rtnl.Link, p *devlink.Port, switchdev bool, f facts) identity {
	id := identity{port: p.Number, subport: p.Subport, controller: p.Controller, pf: p.PF, vf: p.VF, sf: p.SF}
	switch *p.Flavour {
	case devlink.Physical:
		id.role = PF
		if switchdev {
			id.role = Uplink
		}
	case devlink.PCIPF:
		id.role = PFRepresentor
	case devlink.PCIVF:
		id.role = VFRepresentor
	case devlink.PCISF:
		id.role = SFRepresentor
	case devlink.Virtual:
		return identifyFunction(link, f)
	case devlink.CPU, devlink.DSA, devlink.Unused:
		id.role = Other
	default:
		return identity{role: Unknown, unparsed: true}
	}
	return id
}

// identifyFunction goes by the kind of a software device, and by sysfs for the
// rest.
func identifyFunction(link *rtnl.Link, f facts) identity {
	switch {
	case link.Kind != "":
		return identity{role: Role(link.Kind)}
	case f.sf != nil:
		return identity{role: SF, sf: f.sf}
	case f.unsure():
		return identity{role: Unknown}
	case f.function.PCI == "":
		return identity{role: Other}
	case *f.function.Virtual:
		return identity{role: VF, vf: f.vf}
	}
	return identity{role: PF}
}

// ownsRDMA reports whether the RDMA device of the PCI function below a device
// is its own. Representors share the function of the PF, and what is unknown
// may be one.
func (r Role) ownsRDMA() bool { return !r.isRepresentor() && r != Unknown }

// isRepresentor reports whether a role stands for a function elsewhere.
func (r Role) isRepresentor() bool {
	return r == PFRepresentor || r == VFRepresentor || r == SFRepresentor
}
