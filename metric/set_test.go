package metric

import (
	"math"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

var (
	rowBytes = &Row{
		Name: "dpu_interface_receive_bytes_total", Kind: Counter, Unit: "bytes", Labels: []string{"device"},
		Help: "Bytes received.", Source: "rx_bytes of rtnl_link_stats64", Proof: Live,
	}
	rowInfo = &Row{
		Name: "dpu_interface_info", Kind: Gauge, Labels: []string{"device", "address"},
		Help: "Always 1; a \\ and a\nnewline and a \".", Source: "RTM_GETLINK", Proof: Live,
	}
	rowUp = &Row{
		Name: "dpu_exporter_up", Kind: Gauge, Help: "Always 1.", Source: "this program", Proof: Live,
	}
	rowForeign = &Row{Name: "dpu_port_speed_bytes_per_second", Kind: Gauge}
)

// fill commits one round made by add.
func fill(t testing.TB, s *Set, add func(e *Emitter)) {
	t.Helper()
	e := s.Begin()
	add(e)
	if !s.Commit(e) {
		t.Fatal("Commit = false, want true")
	}
}

func text(s *Set) string { return string(s.AppendText(nil)) }

// parse reads text 0.0.4 back.
func parse(t testing.TB, text string) map[string]*dto.MetricFamily {
	t.Helper()
	p := expfmt.NewTextParser(model.LegacyValidation)
	families, err := p.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		t.Fatalf("parse own output: %v\n%s", err, text)
	}
	return families
}

// flat is one string per sample: type, name, labels, value.
func flat(families ...*dto.MetricFamily) []string {
	var all []string
	for _, f := range families {
		for _, m := range f.GetMetric() {
			s := f.GetType().String() + " " + f.GetName() + " " + strconv.Quote(f.GetHelp())
			for _, l := range m.GetLabel() {
				s += " " + l.GetName() + "=" + strconv.Quote(l.GetValue())
			}
			v := m.GetGauge().GetValue() + m.GetCounter().GetValue()
			all = append(all, s+" "+strconv.FormatFloat(v, 'g', -1, 64))
		}
	}
	return all
}

func TestNothingBeforeTheFirstCommit(t *testing.T) {
	s := NewSet([]*Row{rowBytes})
	e := s.Begin()
	e.Add(rowBytes, 1, "eth0")
	if got := text(s); got != "" {
		t.Errorf("text before Commit = %q, want none", got)
	}
	s.Discard(e)
	if got := text(s); got != "" {
		t.Errorf("text after Discard = %q, want none", got)
	}
	if s.Commit(e) {
		t.Error("Commit after Discard = true, want false")
	}
}

func TestSecondBeginPanics(t *testing.T) {
	s := NewSet([]*Row{rowBytes})
	s.Begin()
	defer func() {
		if p, _ := recover().(string); !strings.Contains(p, "Begin while") {
			t.Errorf("panic = %q, want one that names Begin", p)
		}
	}()
	s.Begin()
}

func TestCommitOfAnotherSetsEmitter(t *testing.T) {
	a, b := NewSet([]*Row{rowBytes}), NewSet([]*Row{rowBytes})
	e := a.Begin()
	b.Discard(e)
	if b.Commit(e) {
		t.Error("Commit of a foreign emitter = true, want false")
	}
	if !a.Commit(e) {
		t.Error("Commit = false, want true")
	}
}

func TestDropped(t *testing.T) {
	s := NewSet([]*Row{rowBytes, rowInfo, rowUp})
	round := func(e *Emitter) {
		e.Add(rowBytes, 1, "eth0")
		e.Add(rowBytes, 2, "eth1")
		e.Add(rowBytes, 3, "eth0") // duplicate
		e.Add(rowBytes, math.NaN(), "eth2")
		e.Add(rowBytes, 4)                 // too few labels
		e.Add(rowBytes, 4, "eth2", "more") // too many
		e.Add(rowForeign, 4)               // not in the set
		e.Add(rowUp, 1)
		e.Add(rowUp, 2) // duplicate without labels
	}
	const want = `# HELP dpu_interface_receive_bytes_total Bytes received.
# TYPE dpu_interface_receive_bytes_total counter
dpu_interface_receive_bytes_total{device="eth0"} 1
dpu_interface_receive_bytes_total{device="eth1"} 2
# HELP dpu_exporter_up Always 1.
# TYPE dpu_exporter_up gauge
dpu_exporter_up 1
`
	for n := uint64(1); n <= 4; n++ { // both halves, first and unchanged
		fill(t, s, round)
		if diff := cmp.Diff(want, text(s)); diff != "" {
			t.Errorf("round %d (-want +got):\n%s", n, diff)
		}
		if got, want := s.Dropped(), (Dropped{Duplicate: 2 * n, NotANumber: n, Malformed: 3 * n}); got != want {
			t.Errorf("round %d: Dropped = %+v, want %+v", n, got, want)
		}
		if got := len(s.Families()); got != 2 {
			t.Errorf("round %d: %d families, want 2", n, got)
		}
	}
}

func TestDuplicatesAcrossRounds(t *testing.T) {
	s := NewSet([]*Row{rowBytes})
	rounds := []struct{ devices, want string }{
		{"a b c", "a b c"},
		{"a b c", "a b c"},
		{"a b a", "a b"},
		{"a a a", "a"},
		{"a b", "a b"}, // half of round 3, shorter: the mark beyond is not seen
		{"c c b c", "c b"},
		{"a b a", "a b"}, // longer again: positions not checked last time
		{"", ""},
		{"a", "a"},
	}
	for i, r := range rounds {
		fill(t, s, func(e *Emitter) {
			f := e.Family(rowBytes)
			for _, d := range strings.Fields(r.devices) {
				f.Add(float64(i), d)
			}
		})
		var got []string
		for _, f := range s.Families() {
			for _, m := range f.GetMetric() {
				got = append(got, m.GetLabel()[0].GetValue())
				if v := m.GetCounter().GetValue(); v != float64(i) {
					t.Errorf("round %d: value %v of an earlier round", i, v)
				}
			}
		}
		if strings.Join(got, " ") != r.want {
			t.Errorf("round %d: devices %q, want %q", i, got, r.want)
		}
	}
}

func TestDuplicatesAmongMany(t *testing.T) {
	s := NewSet([]*Row{rowBytes})
	const n = 5000
	fill(t, s, func(e *Emitter) {
		f := e.Family(rowBytes)
		for i := range 2 * n {
			f.Add(float64(i), "eth"+strconv.Itoa(i%n))
		}
	})
	if got := len(s.Families()[0].GetMetric()); got != n {
		t.Errorf("%d samples, want %d", got, n)
	}
	if got := s.Dropped().Duplicate; got != n {
		t.Errorf("%d duplicates, want %d", got, n)
	}
}

func TestKill(t *testing.T) {
	s := NewSet([]*Row{rowBytes})
	fill(t, s, func(e *Emitter) { e.Add(rowBytes, 1, "eth0") })
	before := text(s)

	e := s.Begin()
	e.Add(rowBytes, 2, "eth0")
	if !e.Kill() || e.Kill() {
		t.Error("Kill reports true once only")
	}
	e.Add(rowBytes, math.NaN(), "eth1")
	if s.Commit(e) {
		t.Error("Commit after Kill = true, want false")
	}
	if got := text(s); got != before {
		t.Errorf("text after a killed round = %q, want %q", got, before)
	}
	if got := s.Dropped(); got != (Dropped{}) {
		t.Errorf("Dropped = %+v, want none: Add does nothing after Kill", got)
	}

	next := s.Begin() // the half came back
	if e.Kill() {
		t.Error("a late Kill reports true")
	}
	e.Add(rowBytes, 3, "late")
	next.Add(rowBytes, 4, "eth0")
	if !s.Commit(next) || next.Kill() {
		t.Error("the round after a killed one must commit, and then be out of reach")
	}
	if got := text(s); !strings.HasSuffix(got, "} 4\n") || strings.Contains(got, "late") {
		t.Errorf("text = %q, want the value 4 alone", got)
	}
}

// A collector is killed at any moment of its round, while scrapes read: either
// the whole round is seen or nothing of it.
func TestKillWhileEmitting(t *testing.T) {
	s := NewSet([]*Row{rowBytes})
	devices := make([]string, 200)
	for i := range devices {
		devices[i] = "eth" + strconv.Itoa(i)
	}
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					checkWhole(t, s, len(devices))
				}
			}
		})
	}
	for round := range 200 {
		e := s.Begin()
		killed := make(chan bool, 1)
		go func() { killed <- e.Kill() }()
		f := e.Family(rowBytes)
		for _, d := range devices {
			f.Add(float64(round), d)
		}
		committed := s.Commit(e)
		if <-killed == committed {
			t.Errorf("round %d: killed and committed are both %v", round, committed)
		}
		shown := strings.HasSuffix(text(s), "} "+strconv.Itoa(round)+"\n")
		if shown != committed {
			t.Errorf("round %d: shown = %v, committed = %v", round, shown, committed)
		}
	}
	close(stop)
	readers.Wait()
}

// checkWhole wants all or none of n samples, all of one round.
func checkWhole(t *testing.T, s *Set, n int) {
	lines := strings.Split(strings.TrimSpace(text(s)), "\n")
	if lines[0] == "" {
		return
	}
	lines = lines[2:]
	if len(lines) != n {
		t.Errorf("%d samples in a scrape, want %d", len(lines), n)
		return
	}
	_, first, _ := strings.Cut(lines[0], " ")
	for _, l := range lines {
		if _, value, _ := strings.Cut(l, " "); value != first {
			t.Errorf("values %s and %s in one scrape", first, value)
			return
		}
	}
}

func TestMemoryComesBack(t *testing.T) {
	s := NewSet([]*Row{rowBytes})
	for range 2 {
		fill(t, s, func(e *Emitter) {
			for i := range 1000 {
				e.Add(rowBytes, 1, strconv.Itoa(i))
			}
		})
	}
	for range 2 {
		fill(t, s, func(e *Emitter) { e.Add(rowBytes, 1, "0") })
	}
	for _, h := range []*half{s.front, s.spare} {
		if f := &h.families[0]; cap(f.samples) > 100 || cap(f.labels) > 100 {
			t.Errorf("room for %d samples, %d labels kept for one", cap(f.samples), cap(f.labels))
		}
	}
}

// A round with the labels of the one before costs one small allocation, the
// emitter; filling, committing and rendering cost none.
func TestSteadyRoundDoesNotAllocate(t *testing.T) {
	s := NewSet([]*Row{rowBytes, rowInfo, rowUp})
	devices := []string{"eth0", "eth1", "p0", "pf0hpf", "\xff", "eth0"}
	var body []byte
	value := 0.0
	round := func() {
		value++
		e := s.Begin()
		f := e.Family(rowBytes)
		for _, d := range devices {
			f.Add(value, d)
			e.Add(rowInfo, 1, d, "00:00:5e:00:53:01")
		}
		e.Add(rowUp, value/3)
		if !s.Commit(e) {
			t.Fatal("Commit = false")
		}
		body = s.AppendText(body[:0])
	}
	for range 3 {
		round()
	}
	if n := testing.AllocsPerRun(100, round); n > 1 {
		t.Errorf("%v allocations for a steady round, want at most 1", n)
	}

	e := s.Begin()
	defer s.Discard(e)
	f := e.Family(rowBytes)
	if n := testing.AllocsPerRun(100, func() {
		f.n = 0
		for _, d := range devices {
			f.Add(1, d)
		}
		body = s.AppendText(body[:0])
	}); n != 0 {
		t.Errorf("%v allocations for Add and AppendText, want 0", n)
	}
}
