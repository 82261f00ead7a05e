package driver

import (
	"bufio"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpu-exporter/dpu-exporter/metric"
)

// everything asks for all that a plan can hold.
var everything = Options{PerQueue: true, Raw: regexp.MustCompile("^(?s:.*)$")}

// Every number of every capture comes out: under one row, or by queue, or raw;
// none twice, but that what is split by queue may be summed as well.
func TestEveryNumberIsReachable(t *testing.T) {
	for name, c := range captures(t) {
		plan := NewPlan(TableOf(c.driver), "dev", c.names, everything)
		seen := make([][]*Slot, len(c.names))
		for i := range plan.Slots {
			for _, stat := range plan.Slots[i].stats {
				seen[stat] = append(seen[stat], &plan.Slots[i])
			}
		}
		for i, slots := range seen {
			once := slices.DeleteFunc(slices.Clone(slots), func(s *Slot) bool { return isSum(s, slots) })
			if len(once) != 1 {
				t.Errorf("%s: %q is in %d places", name, c.names[i], len(once))
			}
		}
	}
}

// isSum says whether s only sums up what another slot has by queue.
func isSum(s *Slot, slots []*Slot) bool {
	return slices.ContainsFunc(slots, func(o *Slot) bool { return o != s && o.Quantity == s.Quantity && o.Row == s.Quantity.Queue })
}

// What has a string for all queues is not also the sum of the queues' strings.
func TestTotalsAreNotSummedAgain(t *testing.T) {
	names := []string{"rx_packets", "rx0_packets", "rx1_packets", "rx0_bytes", "rx1_bytes", "tx_queue_stopped"}
	plan := NewPlan(mlx5Core, "dev", names, Options{})
	sums := make([]uint64, len(plan.Slots))
	plan.Sum([]uint64{100, 60, 39, 7, 8, 3}, sums)
	got := map[string]uint64{}
	for i, s := range plan.Slots {
		got[s.Row.Name] = sums[i]
	}
	want := map[string]uint64{
		ringReceivePackets.Row.Name: 100, ringReceiveBytes.Row.Name: 15, ringStopped.Row.Name: 3,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sums (-want +got):\n%s", diff)
	}
}

// Sums by queue add up to the total, in real captures, where the driver keeps
// its total that way.
func TestQueuesAddUp(t *testing.T) {
	c := captures(t)["mlx5_core-kernel-4.15"]
	whole := sumsOf(NewPlan(mlx5Core, "dev", c.names, Options{}), c)
	queues := sumsOf(NewPlan(mlx5Core, "dev", c.names, everything), c)
	var sum uint64
	for key, v := range queues {
		if strings.HasPrefix(key, ringReceiveBytes.Queue.Name+" ") {
			sum += v
		}
	}
	if total := whole[ringReceiveBytes.Row.Name+" "]; total != 2195783498134 || sum != total {
		t.Errorf("queues add up to %d, the driver's total is %d", sum, total)
	}
}

func sumsOf(p *Plan, c capture) map[string]uint64 {
	sums := make([]uint64, len(p.Slots))
	p.Sum(c.values, sums)
	all := map[string]uint64{}
	for i, s := range p.Slots {
		all[s.Row.Name+" "+strings.Join(s.Labels[1:], " ")] = sums[i]
	}
	return all
}

// Strings that drivers should not have, and some do.
func TestOddNames(t *testing.T) {
	names := []string{"", "", "\xff\xfe", "rx_packets", "rx_packets", "rx99999999999999999999_packets", "     err", "rx0_packets0", "{queue}", strings.Repeat("x", 32)}
	plan := NewPlan(mlx5Core, "dev", names, everything)
	var got []string
	for _, s := range plan.Slots {
		got = append(got, s.Row.Name+"/"+strings.Join(s.Labels[1:], "/"))
	}
	want := []string{
		"dpu_ethtool_stat//0", "dpu_ethtool_stat//1", "dpu_ethtool_stat/\xff\xfe/0",
		"dpu_interface_driver_receive_packets_total/", "dpu_ethtool_stat/rx_packets/0",
		"dpu_interface_queue_receive_packets_total/99999999999999999999",
		"dpu_ethtool_stat/     err/0", "dpu_ethtool_stat/rx0_packets0/0", "dpu_ethtool_stat/{queue}/0",
		"dpu_ethtool_stat/" + strings.Repeat("x", 32) + "/0",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("slots (-want +got):\n%s", diff)
	}
}

func TestPlainNumber(t *testing.T) {
	for digits, want := range map[string]string{"000": "0", "007": "7", "63": "63", "18446744073709551616": "18446744073709551616"} {
		if got := plainNumber(digits); got != want {
			t.Errorf("%s: %s, want %s", digits, got, want)
		}
	}
}

// One ConnectX-5 had 19,338 statistics.
func TestManyStatistics(t *testing.T) {
	var names []string
	for q := 0; len(names) < 19338; q++ {
		for _, s := range []string{"_packets", "_bytes", "_xdp_drop", "_nobody_knows"} {
			names = append(names, "rx"+strconv.Itoa(q)+s)
		}
	}
	plan := NewPlan(mlx5Core, "dev", names[:19338], Options{})
	if len(plan.Slots) != 3 || plan.Unmapped != 4834 {
		t.Errorf("%d slots, %d unmapped", len(plan.Slots), plan.Unmapped)
	}
	values, sums := make([]uint64, 19338), make([]uint64, 3)
	if allocs := testing.AllocsPerRun(10, func() { plan.Sum(values, sums) }); allocs != 0 {
		t.Errorf("%v allocations a reading", allocs)
	}
}

// The tables hold what their form says.
func TestTables(t *testing.T) {
	known := map[*Quantity]bool{}
	for _, q := range Quantities() {
		known[q] = true
	}
	for _, table := range Tables() {
		seen := map[string]bool{}
		for _, e := range table.Entries {
			_, _, what := e.split()
			labelled := what == labelNumber || e.Label != ""
			switch {
			case seen[e.String]:
				t.Errorf("%s: %q is there twice", table.Driver, e.String)
			case !known[e.Quantity]:
				t.Errorf("%s: %q has a quantity that is not listed", table.Driver, e.String)
			case labelled != (e.Quantity.extra() != ""):
				t.Errorf("%s: %q and the labels of %s differ", table.Driver, e.String, e.Quantity.Row.Name)
			case what == queueNumber && e.Quantity.Queue == nil:
				t.Errorf("%s: %q is by queue and %s is not", table.Driver, e.String, e.Quantity.Row.Name)
			case what == labelNumber && !strings.Contains(e.String, "{"+e.Quantity.extra()+"}"):
				t.Errorf("%s: %q is no %s", table.Driver, e.String, e.Quantity.extra())
			}
			seen[e.String] = true
		}
	}
}

// A row is proven by a capture where it says so, and only there.
func TestProofs(t *testing.T) {
	replayed := map[*metric.Row]bool{}
	for name, c := range captures(t) {
		if strings.Contains(name, "from-source") {
			continue
		}
		for _, s := range NewPlan(TableOf(c.driver), "dev", c.names, Options{}).Slots {
			replayed[s.Row] = true
		}
	}
	for _, q := range Quantities() {
		if proof := q.Row.Proof; proof != metric.Live && (proof == metric.Replayed) != replayed[q.Row] {
			t.Errorf("%s: proof is %s, in a capture: %v", q.Row.Name, proof, replayed[q.Row])
		}
	}
}

// capture is what `ethtool -S` says of a device in ../testdata/ethtool.
type capture struct {
	driver string
	names  []string
	values []uint64
}

func captures(t *testing.T) map[string]capture {
	t.Helper()
	files, err := filepath.Glob("../testdata/ethtool/*/statistics.txt")
	if err != nil || len(files) < 14 {
		t.Fatalf("%d captures, %v", len(files), err)
	}
	all := map[string]capture{}
	for _, path := range files {
		all[filepath.Base(filepath.Dir(path))] = readCapture(t, path)
	}
	if names := slices.Sorted(maps.Keys(all)); len(names) != len(files) {
		t.Fatalf("captures: %q", names)
	}
	return all
}

func readCapture(t *testing.T, path string) (c capture) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if name, ok := strings.CutPrefix(lines.Text(), "# driver: "); ok {
			c.driver = name
		} else if !strings.HasPrefix(lines.Text(), "# ") {
			value, name, _ := strings.Cut(lines.Text(), " ")
			number, err := strconv.ParseUint(value, 10, 64)
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			c.names, c.values = append(c.names, name), append(c.values, number)
		}
	}
	return c
}
