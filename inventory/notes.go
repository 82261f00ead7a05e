package inventory

import (
	"fmt"
	"strings"

	"github.com/dpu-exporter/dpu-exporter/internal/devlink"
	"github.com/dpu-exporter/dpu-exporter/internal/outcome"
)

// notes gathers the findings of one snapshot.
type notes struct {
	all      []Note
	unparsed tally
	facts    tally
	factsErr error
}

// tally counts devices with the same finding and remembers one of them: the
// first by name, so that the text does not change from snapshot to snapshot.
type tally struct {
	count       int
	name, about string
}

func (t *tally) add(name, about string) {
	if t.count++; t.count == 1 || name < t.name {
		t.name, t.about = name, about
	}
}

func (t *tally) String() string {
	if t.count == 1 {
		return fmt.Sprintf("%q (%s)", t.name, t.about)
	}
	return fmt.Sprintf("%d devices, first %q (%s)", t.count, t.name, t.about)
}

// add adds a finding. Its kind tells it from others of the same source through
// changes of its text; without one the text does.
func (n *notes) add(source, kind string, o outcome.Outcome, format string, args ...any) {
	n.all = append(n.all, Note{Source: source, Outcome: o, Text: fmt.Sprintf(format, args...), kind: kind})
}

func (n *notes) addUnparsed(d *Device, port *devlink.Port) {
	about := fmt.Sprintf("port name %q", d.PortName)
	if port != nil && port.Flavour != nil {
		about = fmt.Sprintf("devlink flavour %d", *port.Flavour)
	}
	n.unparsed.add(d.label(), about)
}

func (n *notes) addFacts(d *Device, err error) {
	if err == nil {
		return
	}
	if n.facts.add(d.label(), err.Error()); n.facts.name == d.label() {
		n.factsErr = err
	}
}

// finish adds what concerns the node as a whole.
func (n *notes) finish(s *state, devices []*Device) []Note {
	if s.linkErr != nil {
		n.add("rtnl", "links", outcome.Of(s.linkErr), "some links are missing: %v", s.linkErr)
	}
	if s.ports.err != nil {
		n.add("devlink", "ports", outcome.Of(s.ports.err), "some ports are missing, their roles come from port names and sysfs: %v", s.ports.err)
	}
	n.addEswitch(s)
	if n.facts.count > 0 {
		n.add("sysfs", "facts", outcome.Of(n.factsErr), "driver and function are not fully known of %v", &n.facts)
	}
	if s.rdmaErr != nil {
		n.add("sysfs", "rdma", outcome.Of(s.rdmaErr), "some RDMA devices are not matched to a function: %v", s.rdmaErr)
	}
	if s.detachedErr != nil {
		n.add("sysfs", "detached", outcome.Of(s.detachedErr), "some functions without a netdev may be missing: %v", s.detachedErr)
	}
	if n.unparsed.count > 0 {
		n.add("ports", "unparsed", outcome.Unsupported, "role unknown of %v", &n.unparsed)
	}
	n.addRivals(devices)
	return n.all
}

// addEswitch tells of eswitches whose mode may not, or could not, be read.
func (n *notes) addEswitch(s *state) {
	denied := false
	var broken tally
	var err error
	for handle, e := range s.ports.eswitch {
		switch outcome.Of(e.err) {
		case outcome.NotPermitted:
			denied = true
		case outcome.Broken:
			if broken.add(handle.String(), e.err.Error()); broken.name == handle.String() {
				err = e.err
			}
		}
	}
	if denied {
		n.add("devlink", "eswitch denied", outcome.NotPermitted,
			"the eswitch mode cannot be read without CAP_NET_ADMIN: a physical port counts as uplink when it has representors")
	}
	if broken.count > 0 {
		n.add("devlink", "eswitch", outcome.Of(err), "the eswitch mode is not known of %v", &broken)
	}
}

// function names what a representor stands for. Numbers that are not known are -1.
type function struct {
	role             Role
	switchID         string
	port, controller int64
	pf, vf, sf       int64
}

// claim says what a device claims to be: by its port name, or by numbers where
// it has none.
func claim(d *Device) string {
	if d.PortName != "" {
		return fmt.Sprintf("port name %q", d.PortName)
	}
	var numbers []string
	for _, n := range []struct {
		word  string
		value *uint32
	}{{"port", d.Port}, {"controller", d.Controller}, {"pf", d.PF}, {"vf", d.VF}, {"sf", d.SF}} {
		if n.value != nil {
			numbers = append(numbers, fmt.Sprintf("%s %d", n.word, *n.value))
		}
	}
	return strings.Join(numbers, ", ")
}

// addRivals tells of two devices that claim to stand for the same function.
func (n *notes) addRivals(devices []*Device) {
	first := map[function]*Device{}
	for _, d := range devices {
		if !d.Role.isRepresentor() || d.SwitchID == "" || d.PF == nil {
			continue
		}
		f := function{
			role: d.Role, switchID: d.SwitchID, port: known(d.Port), controller: known(d.Controller),
			pf: known(d.PF), vf: known(d.VF), sf: known(d.SF),
		}
		rival := first[f]
		if rival == nil {
			first[f] = d
			continue
		}
		n.add("ports", "", outcome.Broken, "%q and %q both claim to be the %s of %s on switch %s",
			rival.Name, d.Name, d.Role, claim(d), d.SwitchID)
	}
}

func known(number *uint32) int64 {
	if number == nil {
		return -1
	}
	return int64(*number)
}
