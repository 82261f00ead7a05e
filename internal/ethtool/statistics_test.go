package ethtool

import (
	"errors"
	"slices"
	"testing"

	safchain "github.com/safchain/ethtool"
	"golang.org/x/sys/unix"

	"github.com/dpu-exporter/dpu-exporter/internal/outcome"
	"github.com/dpu-exporter/dpu-exporter/test/worlds"
)

func openStatistics(t testing.TB) *Statistics {
	t.Helper()
	s, err := OpenStatistics()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestStatisticsFailures(t *testing.T) {
	worlds.Enter(t)
	s := openStatistics(t)
	for device, want := range map[string]outcome.Outcome{
		"lo":                     outcome.Unsupported,
		"gone":                   outcome.Vanished,
		"":                       outcome.Vanished,
		"longer-than-a-name-can": outcome.Vanished,
		"a\x00b":                 outcome.Vanished,
	} {
		d, err := s.Describe(device)
		if outcome.Of(err) != want || len(d.Names) != 0 {
			t.Errorf("%q: %v, %d names, want %v", device, err, len(d.Names), want)
		}
	}
	if _, err := s.Read("lo", 4); !errors.Is(err, unix.EOPNOTSUPP) {
		t.Errorf("statistics of lo: %v, want EOPNOTSUPP", err)
	}
}

// The kernel answers a count that is not the driver's with nothing and success
// (6.18), or with more than there is room for, which the guard page stops.
func TestStatisticsCountChanged(t *testing.T) {
	worlds.Enter(t)
	worlds.AddWideVeth(t, "wide", "peer", 40)
	s := openStatistics(t)
	d, err := s.Describe("wide")
	if err != nil || d.Driver != "veth" || len(d.Names) < 361 {
		t.Fatalf("driver %q, %d names, %v", d.Driver, len(d.Names), err)
	}
	for _, count := range []int{1, len(d.Names) - 1, len(d.Names) + 1, 20_000} {
		if values, err := s.Read("wide", count); !errors.Is(err, ErrCountChanged) {
			t.Errorf("%d of %d: %d values, %v, want ErrCountChanged", count, len(d.Names), len(values), err)
		}
	}
	if _, err := s.Read("wide", len(d.Names)); err != nil {
		t.Errorf("the right count: %v", err)
	}
}

// Our reading is that of safchain/ethtool, which a map limits to one value a name.
func TestStatisticsAgreeWithLibrary(t *testing.T) {
	worlds.Enter(t)
	worlds.AddWideVeth(t, "wide", "peer", 330)
	library, err := safchain.NewEthtool()
	if err != nil {
		t.Fatal(err)
	}
	defer library.Close()
	want, err := library.Stats("wide")
	if err != nil {
		t.Fatal(err)
	}
	s := openStatistics(t)
	d, err := s.Describe("wide")
	if err != nil {
		t.Fatal(err)
	}
	values, err := s.Read("wide", len(d.Names))
	if err != nil || len(values) != len(want) || len(want) < 2971 {
		t.Fatalf("%d values, the library has %d; %v", len(values), len(want), err)
	}
	for i, name := range d.Names {
		if value, ok := want[name]; !ok || value != values[i] {
			t.Errorf("%q: %d, the library says %d, %v", name, values[i], value, ok)
		}
	}
}

func TestUntilNUL(t *testing.T) {
	full := "rx_prio7_pause_duration_and_more"
	for _, test := range []struct{ bytes, want string }{
		{"", ""}, {"\x00rest", ""}, {"rx\x00\x00", "rx"}, {full, full}, {"\xff\xfe\x00", "\xff\xfe"},
	} {
		if got := untilNUL([]byte(test.bytes)); got != test.want {
			t.Errorf("%q: %q, want %q", test.bytes, got, test.want)
		}
	}
}

func TestGuardedMemoryGrows(t *testing.T) {
	var g guarded
	for _, size := range []int{8, 65536, 65544, 700_000, 16} {
		b, err := g.tail(size)
		if err != nil || len(b) != size {
			t.Fatalf("%d bytes: %d, %v", size, len(b), err)
		}
		b[0], b[size-1] = 1, 1
		if size%8 == 0 && len(words(b)) != size/8 {
			t.Errorf("%d words of %d bytes", len(words(b)), size)
		}
	}
	if err := errors.Join(g.free(), g.free()); err != nil {
		t.Error(err)
	}
}

// A NIC with 2,971 statistics, beside the bare call and the library's.
//
//	go test ./internal/ethtool -run '^$' -bench Statistics -benchmem
func BenchmarkStatistics(b *testing.B) {
	worlds.Enter(b)
	worlds.AddWideVeth(b, "wide", "peer", 330)
	s := openStatistics(b)
	d, err := s.Describe("wide")
	if err != nil {
		b.Fatal(err)
	}
	count := len(d.Names)
	b.Run("bare", func(b *testing.B) {
		data, err := s.memory.tail(valuesAt + 8*count)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			if err := s.call("wide", unix.ETHTOOL_GSTATS, data); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := s.Read("wide", count); err != nil {
				b.Fatal(err)
			}
		}
	})
	library, err := safchain.NewEthtool()
	if err != nil {
		b.Fatal(err)
	}
	defer library.Close()
	b.Run("library", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := library.Stats("wide"); err != nil {
				b.Fatal(err)
			}
		}
	})
	if !slices.Contains(d.Names, "rx_queue_329_xdp_packets") {
		b.Errorf("names of %d statistics: %q", count, d.Names[:min(12, count)])
	}
}
