package ethtool

import (
	"context"

	"github.com/dpu-exporter/dpu-exporter/internal/genl"
	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// Features says of each feature that a device has whether it is on, by the name
// of ethtool(8): "hw-tc-offload". One that is off and cannot be switched on is
// not in it.
type Features map[string]bool

// Features reads one device (ETHTOOL_MSG_FEATURES_GET, `ethtool -k`). No
// privilege is needed.
func (c *Conn) Features(ctx context.Context, index int) (Features, error) {
	f := Features{}
	err := ask(ctx, c, question{what: "features", command: unix.ETHTOOL_MSG_FEATURES_GET}, index, &f, featuresFields)
	return f, err
}

// What can be changed comes first in an answer, what is active after it.
var featuresFields = []genl.Field[Features]{
	{Type: unix.ETHTOOL_A_FEATURES_HW, Name: "ETHTOOL_A_FEATURES_HW",
		Read: func(f *Features, d *netlink.AttributeDecoder) { readFeatures(*f, false, d) }},
	{Type: unix.ETHTOOL_A_FEATURES_ACTIVE, Name: "ETHTOOL_A_FEATURES_ACTIVE",
		Read: func(f *Features, d *netlink.AttributeDecoder) { readFeatures(*f, true, d) }},
}

// readFeatures sets the features that a bitset without a mask names. Those that
// were set to true stay so: an order of the kernel's is not relied on.
func readFeatures(f Features, on bool, d *netlink.AttributeDecoder) {
	for _, name := range namesOf(d) {
		f[name] = on || f[name]
	}
}

// bitNames are the bits of a bitset that is not compact, by name. Without a mask
// it lists those that are set, with one all that the mask has.
type bitNames struct {
	noMask bool
	set    []string
}

// namesOf are the bits that are set.
func namesOf(d *netlink.AttributeDecoder) []string {
	var names bitNames
	d.Nested(func(set *netlink.AttributeDecoder) error { return genl.DecodeFrom(&names, set, bitNamesFields) })
	return names.set
}

var bitNamesFields = []genl.Field[bitNames]{
	{Type: unix.ETHTOOL_A_BITSET_NOMASK, Name: "ETHTOOL_A_BITSET_NOMASK",
		Read: func(n *bitNames, _ *netlink.AttributeDecoder) { n.noMask = true }},
	genl.Nest(unix.ETHTOOL_A_BITSET_BITS, "ETHTOOL_A_BITSET_BITS", bitsFields...),
}

var bitsFields = []genl.Field[bitNames]{
	{Type: unix.ETHTOOL_A_BITSET_BITS_BIT, Name: "ETHTOOL_A_BITSET_BITS_BIT",
		Read: func(n *bitNames, d *netlink.AttributeDecoder) {
			b := namedBit{set: n.noMask}
			d.Nested(func(bit *netlink.AttributeDecoder) error { return genl.DecodeFrom(&b, bit, bitFields) })
			if b.set {
				n.set = append(n.set, b.name)
			}
		}},
}

type namedBit struct {
	name string
	set  bool
}

var bitFields = []genl.Field[namedBit]{
	{Type: unix.ETHTOOL_A_BITSET_BIT_NAME, Name: "ETHTOOL_A_BITSET_BIT_NAME", Required: true,
		Read: func(b *namedBit, d *netlink.AttributeDecoder) { b.name = d.String() }},
	{Type: unix.ETHTOOL_A_BITSET_BIT_VALUE, Name: "ETHTOOL_A_BITSET_BIT_VALUE",
		Read: func(b *namedBit, _ *netlink.AttributeDecoder) { b.set = true }},
}
