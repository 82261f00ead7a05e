package devlink

import "fmt"

var flavours = []string{"physical", "cpu", "dsa", "pcipf", "pcivf", "virtual", "unused", "pcisf"}

// String returns devlink-port(8)'s word for the flavour, or "flavour(9)" for
// one that is not known here.
func (f Flavour) String() string { return word(flavours, uint16(f), "flavour") }

var eswitchModes = []string{"legacy", "switchdev", "switchdev_inactive"}

// String returns devlink-dev(8)'s word for the mode, or "mode(9)" for one that
// is not known here.
func (m EswitchMode) String() string { return word(eswitchModes, uint16(m), "mode") }

func word(words []string, n uint16, kind string) string {
	if int(n) < len(words) {
		return words[n]
	}
	return fmt.Sprintf("%s(%d)", kind, n)
}
