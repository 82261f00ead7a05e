package genl

import (
	"strings"
	"testing"

	"github.com/mdlayher/netlink"
)

type thing struct {
	size uint32
	name string
	part uint16
}

var thingFields = []Field[thing]{
	{Type: 1, Name: "A_SIZE", Required: true, Read: func(v *thing, d *netlink.AttributeDecoder) { v.size = d.Uint32() }},
	{Type: 2, Name: "A_NAME", Read: func(v *thing, d *netlink.AttributeDecoder) { v.name = d.String() }},
	{Type: 3, Name: "A_NEST", Read: func(v *thing, d *netlink.AttributeDecoder) {
		d.Nested(func(nested *netlink.AttributeDecoder) error {
			return DecodeFrom(v, nested, partFields)
		})
	}},
}

var partFields = []Field[thing]{
	{Type: 1, Name: "A_PART", Required: true, Read: func(v *thing, d *netlink.AttributeDecoder) { v.part = d.Uint16() }},
}

func TestDecode(t *testing.T) {
	size := "\x08\x00\x01\x00\x2a\x00\x00\x00"
	for _, test := range []struct {
		attributes string
		want       thing
		err        string // the error contains it
	}{
		{size, thing{size: 42}, ""},
		{size + "\x07\x00\x02\x00ab\x00\x00" + "\x0c\x00\x03\x80\x06\x00\x01\x00\x05\x00\x00\x00", thing{42, "ab", 5}, ""},
		{size + "\x05\x00\x63\x00\x01\x00\x00\x00", thing{size: 42}, ""}, // an attribute of a newer kernel
		{"", thing{}, "A_SIZE: missing"},
		{"\x06\x00\x01\x00\x2a\x00\x00\x00", thing{}, "A_SIZE: "},
		{size + "\x08\x00\x03\x80\x04\x00\x02\x00", thing{size: 42}, "A_NEST: A_PART: missing"},
		{size + "\x09\x00\x03\x80\x05\x00\x01\x00\x01\x00\x00\x00", thing{size: 42}, "A_NEST: A_PART: "},
		{size + "\x09", thing{}, "attributes: "},
		{"\xff\xff\x01\x00\x2a\x00\x00\x00", thing{}, "attributes: "},
		{"\x03\x00\x01\x00", thing{}, "attributes: "},
	} {
		var got thing
		err := Decode(&got, []byte(test.attributes), thingFields)
		if got != test.want {
			t.Errorf("%q: %+v, want %+v", test.attributes, got, test.want)
		}
		if test.err == "" && err != nil || test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
			t.Errorf("%q: error %v, want %q", test.attributes, err, test.err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("\x08\x00\x01\x00\x2a\x00\x00\x00\x07\x00\x02\x00ab\x00\x00\x0c\x00\x03\x80\x06\x00\x01\x00\x05\x00\x00\x00"))
	f.Add([]byte("\x00\x00\x01\x00"))
	f.Fuzz(func(t *testing.T, attributes []byte) {
		var v thing
		_ = Decode(&v, attributes, thingFields)
	})
}
