package metric

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestGoldenText(t *testing.T) {
	s := NewSet([]*Row{rowBytes, rowInfo, rowUp})
	fill(t, s, func(e *Emitter) {
		// Samples may come in any order of rows; the rows' order is shown.
		e.Add(rowInfo, 1, "p0", "00:00:5e:00:53:01")
		for i, v := range []float64{0, -1, 1 << 53, 1 << 54, 1e21, 0.25, 1.0 / 3, math.Inf(1), math.Inf(-1), math.Copysign(0, -1), -1 << 53} {
			e.Add(rowBytes, v, "eth"+strconv.Itoa(i))
		}
		e.Add(rowInfo, 1, `a"b\c`+"\nd", "")
	})
	const want = `# HELP dpu_interface_receive_bytes_total Bytes received.
# TYPE dpu_interface_receive_bytes_total counter
dpu_interface_receive_bytes_total{device="eth0"} 0
dpu_interface_receive_bytes_total{device="eth1"} -1
dpu_interface_receive_bytes_total{device="eth2"} 9007199254740992
dpu_interface_receive_bytes_total{device="eth3"} 1.8014398509481984e+16
dpu_interface_receive_bytes_total{device="eth4"} 1e+21
dpu_interface_receive_bytes_total{device="eth5"} 0.25
dpu_interface_receive_bytes_total{device="eth6"} 0.3333333333333333
dpu_interface_receive_bytes_total{device="eth7"} +Inf
dpu_interface_receive_bytes_total{device="eth8"} -Inf
dpu_interface_receive_bytes_total{device="eth9"} 0
dpu_interface_receive_bytes_total{device="eth10"} -9007199254740992
# HELP dpu_interface_info Always 1; a \\ and a\nnewline and a ".
# TYPE dpu_interface_info gauge
dpu_interface_info{device="p0",address="00:00:5e:00:53:01"} 1
dpu_interface_info{device="a\"b\\c\nd",address=""} 1
`
	if diff := cmp.Diff(want, text(s)); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	if got := text(s); got != string(s.AppendText([]byte("x")))[1:] {
		t.Error("AppendText does not append")
	}
}

var hostile = []string{
	"", " ", `"`, `""`, `\`, `\\`, `\"`, "\n", "\\\n", `\n`, "{}", `{a="b"} 1`, "}", ",", "=", "#", "\t", "\r",
	"\x00", "\x1b[31m", "\x7f", "\u0085", "\u2028", "\ufeff", "\ufffd", "日本", "👍",
	"\xff", "\xc3", "\xc3(", "a\xffb", "\xed\xa0\x80", "\xf4\x90\x80\x80", `\xfe`,
	strings.Repeat("x", 4096), strings.Repeat("\"", 4096), strings.Repeat("\xfd", 4096),
}

// What is rendered as text reads back as what is given for protobuf.
func TestTextReadsBackAsFamilies(t *testing.T) {
	s := NewSet([]*Row{rowBytes, rowInfo, rowUp})
	fill(t, s, func(e *Emitter) {
		for i, v := range hostile {
			e.Add(rowBytes, float64(i), v)
			e.Add(rowInfo, 1, v, hostile[len(hostile)-1-i])
		}
		e.Add(rowUp, 0.1)
	})
	if got := s.Dropped(); got != (Dropped{}) {
		t.Fatalf("Dropped = %+v, want none", got)
	}
	parsed := parse(t, text(s))
	families := s.Families()
	if len(parsed) != len(families) {
		t.Errorf("%d families in text, %d in protobuf", len(parsed), len(families))
	}
	for _, f := range families {
		got := parsed[f.GetName()]
		for _, m := range got.GetMetric() { // text has the row's order of labels, protobuf sorts
			if l := m.Label; len(l) == 2 {
				l[0], l[1] = l[1], l[0]
			}
		}
		if diff := cmp.Diff(flat(f), flat(got)); diff != "" {
			t.Errorf("%s (-protobuf +text):\n%s", f.GetName(), diff)
		}
	}
	for i, m := range families[0].GetMetric() {
		got := m.GetLabel()[0].GetValue()
		if back := unclean(got); back != hostile[i] {
			t.Errorf("label %q became %q, which reads back as %q", hostile[i], got, back)
		}
	}
}

func TestFamiliesAreCopies(t *testing.T) {
	s := NewSet([]*Row{rowBytes})
	fill(t, s, func(e *Emitter) { e.Add(rowBytes, 1, "eth0") })
	f := s.Families()[0]
	for i := range 2 {
		fill(t, s, func(e *Emitter) { e.Add(rowBytes, float64(7+i), "eth1") })
	}
	want := []string{`COUNTER dpu_interface_receive_bytes_total "Bytes received." device="eth0" 1`}
	if diff := cmp.Diff(want, flat(f)); diff != "" {
		t.Errorf("a family changed after it was handed out (-want +got):\n%s", diff)
	}
	*f.Metric[0].Label[0].Name = "changed"
	if rowBytes.Labels[0] != "device" {
		t.Error("a family shares the row's label names")
	}
}

func TestCleanLabel(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"eth0", "eth0"},
		{"a\x00\x1f\nb", "a\x00\x1f\nb"},
		{"日本", "日本"},
		{"\ufffd", "\ufffd"}, // a real replacement character is valid
		{"\xff", `\xff`},
		{"a\xc3(\x80é", `a\xc3(\x80é`},
		{"\xe6\x97", `\xe6\x97`}, // cut off in the middle
		{`\xff`, `\x5cxff`},      // told apart from the byte
		{`\x`, `\x`},
		{`\xg0\n`, `\xg0\n`},
		{"\\x\xff", `\x\xff`},
		{`a\x5c`, `a\x5cx5c`},
	} {
		if got := cleanLabel(c.in); got != c.want {
			t.Errorf("cleanLabel(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

// unclean undoes cleanLabel, which shows that no two strings become one.
func unclean(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if looksCleaned(s[i:]) {
			n, _ := strconv.ParseUint(s[i+2:i+4], 16, 8)
			b.WriteByte(byte(n))
			i += 3
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// Whatever the kernel hands us as a name, the text has one sample that reads
// back with exactly the cleaned name, and the cleaned name tells the raw one.
func FuzzLabel(f *testing.F) {
	for _, v := range hostile {
		f.Add(v, "x")
		f.Add("x", v)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		s := NewSet([]*Row{rowInfo})
		fill(t, s, func(e *Emitter) { e.Add(rowInfo, 1, a, b) })
		clean := []string{cleanLabel(a), cleanLabel(b)}
		for i, raw := range []string{a, b} {
			if !utf8.ValidString(clean[i]) || unclean(clean[i]) != raw {
				t.Fatalf("cleanLabel(%q) = %q", raw, clean[i])
			}
		}
		families := parse(t, text(s))
		m := families[rowInfo.Name].GetMetric()
		if len(families) != 1 || len(m) != 1 {
			t.Fatalf("%d families, %d samples, want one each", len(families), len(m))
		}
		got := []string{m[0].GetLabel()[0].GetValue(), m[0].GetLabel()[1].GetValue()}
		if diff := cmp.Diff(clean, got); diff != "" {
			t.Errorf("labels (-want +got):\n%s", diff)
		}
	})
}
