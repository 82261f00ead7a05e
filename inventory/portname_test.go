package inventory

import (
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func number(n uint32) *uint32 { return &n }

// The names are those that the field reports: of devlink (net/devlink/port.c),
// BlueField's udev rules, ice before devlink ports, and sfc.
func TestParsePortName(t *testing.T) {
	for name, want := range map[string]identity{
		"p0":            {role: Uplink, port: number(0)},
		"p1s2":          {role: Uplink, port: number(1), subport: number(2)},
		"l1p0":          {role: Uplink, port: number(0)},
		"l8p12s3":       {role: Uplink, port: number(12), subport: number(3)},
		"p4294967295":   {role: Uplink, port: number(4294967295)},
		"pf0":           {role: PFRepresentor, controller: number(0), pf: number(0)},
		"c1pf0":         {role: PFRepresentor, controller: number(1), pf: number(0)},
		"pf0hpf":        {role: PFRepresentor, pf: number(0)},
		"c2pf0hpf":      {role: PFRepresentor, controller: number(2), pf: number(0)},
		"pf0vf7":        {role: VFRepresentor, controller: number(0), pf: number(0), vf: number(7)},
		"c1pf0vf3":      {role: VFRepresentor, controller: number(1), pf: number(0), vf: number(3)},
		"pf0sf4095":     {role: SFRepresentor, controller: number(0), pf: number(0), sf: number(4095)},
		"c1pf0sf88":     {role: SFRepresentor, controller: number(1), pf: number(0), sf: number(88)},
		"pf0vfr3":       {role: VFRepresentor, controller: number(0), pf: number(0), vf: number(3)},
		"p0pf1vf2":      {role: VFRepresentor, port: number(0), controller: number(0), pf: number(1), vf: number(2)},
		"c255pf1vf1023": {role: VFRepresentor, controller: number(255), pf: number(1), vf: number(1023)},
	} {
		if diff := cmp.Diff(want, parsePortName(name), identityFields); diff != "" {
			t.Errorf("%q (-want +got):\n%s", name, diff)
		}
	}
}

func TestParsePortNameRefuses(t *testing.T) {
	for _, name := range []string{
		"", "p", "pf", "c1", "c1p0", "pf0xy1", "pf0vf", "pf0sf", "pf0vfr", "p0s", "p0s1s2", "p0 ", " p0", "P0",
		"p4294967296", "pf99999999999999999999vf1", "pf0vf4294967296", "c4294967296pf0", "p00", "pf01",
		"pf0vf-1", "pf0vf1vf2", "pf0hpf1", "pf0hpfvf1", "c1c2pf0", "p0s1pf0", "p\xff0", "pf٣", "eth0",
		"l", "l1", "l1s2", "lp0", "l01p0", "l1p00", "l1p0s", "l1pf0", "l1p0pf1vf2", "c1l1p0", "p0l1", "l4294967296p0", "l1pf0vf1", "swp1", "n0",
	} {
		if got := parsePortName(name); got != (identity{role: Unknown, unparsed: true}) {
			t.Errorf("%q is taken for %+v", name, got)
		}
	}
}

func FuzzParsePortName(f *testing.F) {
	for _, name := range []string{"p0", "p1s2", "pf0", "c1pf0", "pf0hpf", "pf0vf7", "c1pf0sf88", "pf0vfr3", "p0pf1vf2", "l1p0", "l8p12s3", "pf0xy1", "p4294967296"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		p := parsePortName(name)
		if p.unparsed {
			return
		}
		// Whatever is understood must print as it was, so nothing was skipped but
		// the line card, which is not kept.
		name = regexp.MustCompile("^l(0|[1-9][0-9]*)").ReplaceAllString(name, "")
		spellings := []string{printed("c", p.controller) + p.print("", "vf"), p.print("", "vf"), p.print("", "vfr"),
			printed("c", p.controller) + p.print("hpf", "vf"), printed("c", p.controller) + p.print("", "vfr")}
		if !slices.Contains(spellings, name) {
			t.Errorf("%q is taken for %q", name, spellings)
		}
	})
}

func (p identity) print(hostPF, vf string) string {
	return printed("p", p.port) + printed("s", p.subport) + printed("pf", p.pf) + hostPF + printed(vf, p.vf) + printed("sf", p.sf)
}

func printed(prefix string, n *uint32) string {
	if n == nil {
		return ""
	}
	return fmt.Sprint(prefix, *n)
}
