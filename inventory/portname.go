package inventory

import (
	"strconv"
	"strings"
)

// parsePortName understands the physical port names (IFLA_PHYS_PORT_NAME) of
// switch ports in the field. The kernel prints all numbers with %u, so a leading
// zero or a number above 32 bits is no port name.
//
//	p0  p1s2                   port, and part of a split port (devlink, net/devlink/port.c)
//	l1p0  l1p0s2               port of a line card, and part of one (devlink)
//	pf0  c1pf0                 PF, of controller 1
//	pf0hpf  c2pf0hpf           PF of the host, on BlueField
//	pf0vf7  c1pf0vf3           VF
//	pf0sf88  c1pf0sf88         SF
//	pf0vfr3                    VF representor of ice before devlink ports
//	p0pf1vf2                   VF of port 0 (sfc, ef100_rep.c)
//
// A name without a controller belongs to controller 0, but for hpf, where the
// host's controller is not told.
func parsePortName(name string) identity {
	s := scanner{rest: name}
	p, ok := s.port()
	if !ok || !s.done() {
		return identity{role: Unknown, unparsed: true}
	}
	return p
}

func (s *scanner) port() (p identity, ok bool) {
	var card *uint32 // the line card that has the port
	if p.controller = s.number("c"); p.controller == nil {
		card = s.number("l")
		p.port = s.number("p")
	}
	if p.port != nil && (card != nil || !strings.HasPrefix(s.rest, "pf")) {
		p.role = Uplink
		p.subport = s.number("s")
		return p, true
	}
	if p.pf = s.number("pf"); p.pf == nil || card != nil {
		return identity{}, false
	}
	hostPF := s.word("hpf")
	switch {
	case hostPF:
		p.role = PFRepresentor
	case strings.HasPrefix(s.rest, "vfr"):
		p.role, p.vf = VFRepresentor, s.number("vfr")
	case strings.HasPrefix(s.rest, "vf"):
		p.role, p.vf = VFRepresentor, s.number("vf")
	case strings.HasPrefix(s.rest, "sf"):
		p.role, p.sf = SFRepresentor, s.number("sf")
	default:
		p.role = PFRepresentor
	}
	if p.controller == nil && !hostPF {
		p.controller = new(uint32)
	}
	return p, true
}

// scanner takes a name apart from its beginning. After its first failure
// nothing matches any more.
type scanner struct {
	rest string
	bad  bool
}

// done reports whether the whole name was understood.
func (s *scanner) done() bool { return !s.bad && s.rest == "" }

// word skips a word.
func (s *scanner) word(word string) bool {
	rest, ok := strings.CutPrefix(s.rest, word)
	s.rest = rest
	return ok
}

// number skips a prefix with a number behind it. It is nil, and nothing is
// skipped, where that is not what comes next.
func (s *scanner) number(prefix string) *uint32 {
	rest, ok := strings.CutPrefix(s.rest, prefix)
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	if !ok || digits == 0 {
		return nil
	}
	value, err := strconv.ParseUint(rest[:digits], 10, 32)
	if err != nil || (rest[0] == '0' && digits > 1) {
		s.bad = true
		return nil
	}
	s.rest = rest[digits:]
	number := uint32(value)
	return &number
}
