package collector

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dpu-exporter/dpu-exporter/internal/outcome"
	"github.com/dpu-exporter/dpu-exporter/inventory"
	"github.com/dpu-exporter/dpu-exporter/metric"
)

// fake is a collector whose work is a function.
type fake struct {
	name    string
	row     *metric.Row
	samples []Sample
	collect func(ctx context.Context, emit *Emit) error
}

func newFake(name string, collect func(ctx context.Context, emit *Emit) error) *fake {
	row := &metric.Row{
		Name: "dpu_" + name + "_value", Kind: metric.Gauge, Labels: byDevice,
		Help: "A value", Source: "a test", Proof: metric.Live,
	}
	return &fake{name: name, row: row, collect: collect}
}

func (f *fake) Name() string        { return f.name }
func (f *fake) Help() string        { return "A fake." }
func (f *fake) Rows() []*metric.Row { return []*metric.Row{f.row} }
func (f *fake) Samples() []Sample   { return f.samples }

func (f *fake) Collect(ctx context.Context, _ *inventory.Snapshot, emit *Emit) error {
	emit.Add(f.row, 1, "dev-"+f.name)
	if f.collect == nil {
		return nil
	}
	return f.collect(ctx, emit)
}

// still is an inventory that changes only when told to.
type still struct {
	mu      sync.Mutex
	changed chan struct{}
}

func (s *still) Snapshot() *inventory.Snapshot { return &inventory.Snapshot{} }

func (s *still) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.changed == nil {
		s.changed = make(chan struct{})
	}
	return s.changed
}

func (s *still) change() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.changed)
	s.changed = nil
}

func newTestRunner(log *bytes.Buffer, collectors ...Collector) *Runner {
	handler := slog.DiscardHandler
	if log != nil {
		handler = slog.NewTextHandler(log, nil)
	}
	return NewRunner(Options{
		Inventory: &still{}, Collectors: collectors, Disabled: []string{"rdma"},
		Timeout: 5 * time.Second, Log: slog.New(handler),
	})
}

func gather(r *Runner, ctx context.Context) string {
	var text []byte
	for _, set := range r.Gather(ctx, r.Names()) {
		text = set.AppendText(text)
	}
	return string(text)
}

func wantLines(t *testing.T, text string, lines ...string) {
	t.Helper()
	have := strings.Split(text, "\n")
	for _, line := range lines {
		if unwanted, no := strings.CutPrefix(line, "!"); no {
			if slices.ContainsFunc(have, func(h string) bool { return strings.HasPrefix(h, unwanted) }) {
				t.Errorf("exposition has a line %q:\n%s", unwanted, text)
			}
		} else if !slices.Contains(have, line) {
			t.Errorf("exposition lacks the line %q:\n%s", line, text)
		}
	}
}

func TestPanicLeavesOthersUntouched(t *testing.T) {
	var log bytes.Buffer
	r := newTestRunner(&log,
		newFake("bad", func(context.Context, *Emit) error { panic("boom") }),
		newFake("good", nil))
	for range 2 {
		wantLines(t, gather(r, t.Context()),
			"!dpu_bad_value", `dpu_collector_success{collector="bad"} 0`,
			`dpu_good_value{device="dev-good"} 1`, `dpu_collector_success{collector="good"} 1`)
	}
	wantLines(t, gather(r, t.Context()), `dpu_collector_errors_total{collector="bad"} 3`)
	if n := strings.Count(log.String(), "panic: boom"); n != 1 {
		t.Errorf("a panic that repeats is logged %d times, not once:\n%s", n, &log)
	}
}

func TestErrorKeepsWhatWasEmitted(t *testing.T) {
	r := newTestRunner(nil, newFake("half", func(context.Context, *Emit) error { return errors.New("broken half way") }))
	wantLines(t, gather(r, t.Context()),
		`dpu_half_value{device="dev-half"} 1`, `dpu_collector_success{collector="half"} 0`,
		`dpu_collector_errors_total{collector="half"} 1`)
}

func TestLateCollectorIsWithheldAndNotStartedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var runs atomic.Int32
		release := make(chan struct{})
		r := newTestRunner(nil,
			newFake("stuck", func(_ context.Context, emit *Emit) error {
				if runs.Add(1) == 1 {
					<-release // ignores its context
				}
				return nil
			}),
			newFake("good", nil))
		for range 2 {
			began := time.Now()
			wantLines(t, gather(r, t.Context()),
				"!dpu_stuck_value", `dpu_collector_success{collector="stuck"} 0`,
				`dpu_collector_errors_total{collector="stuck"} 1`, `dpu_good_value{device="dev-good"} 1`)
			if waited := time.Since(began); waited > 5*time.Second {
				t.Errorf("gather waited %v for a collector that is stuck", waited)
			}
		}
		if n := runs.Load(); n != 1 {
			t.Errorf("a stuck collector was started %d times", n)
		}
		close(release)
		synctest.Wait()
		wantLines(t, gather(r, t.Context()), `dpu_stuck_value{device="dev-stuck"} 1`, `dpu_collector_success{collector="stuck"} 1`)
	})
}

func TestImpatientScrapeDoesNotHarmOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTestRunner(nil, newFake("slow", func(context.Context, *Emit) error {
			time.Sleep(2 * time.Second) // on the bubble's clock
			return nil
		}))
		impatient, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var patient string
		var wait sync.WaitGroup
		wait.Go(func() { patient = gather(r, t.Context()) })
		wantLines(t, gather(r, impatient), "!dpu_slow_value", `dpu_collector_success{collector="slow"} 0`)
		wait.Wait()
		wantLines(t, patient, `dpu_slow_value{device="dev-slow"} 1`,
			`dpu_collector_success{collector="slow"} 1`, `dpu_collector_errors_total{collector="slow"} 0`)
	})
}

func TestConcurrentScrapesShareOneCollection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var runs atomic.Int32
		r := newTestRunner(nil, newFake("slow", func(context.Context, *Emit) error {
			runs.Add(1)
			time.Sleep(time.Second)
			return nil
		}))
		var wait sync.WaitGroup
		for range 10 {
			wait.Go(func() { wantLines(t, gather(r, t.Context()), `dpu_slow_value{device="dev-slow"} 1`) })
		}
		wait.Wait()
		if n := runs.Load(); n != 1 {
			t.Errorf("10 equal scrapes at once caused %d collections", n)
		}
	})
}

func TestDeviceOutcomes(t *testing.T) {
	r := newTestRunner(nil, newFake("nic", func(_ context.Context, emit *Emit) error {
		emit.Device("file", nil)
		emit.Device("file", nil)
		emit.Device("file", syscall.EOPNOTSUPP)
		emit.Device("file", syscall.EPERM)
		emit.Device("file", syscall.ENODEV)
		emit.Device("file", syscall.EIO)
		emit.Devices("dump", outcome.Vanished, 0)
		return nil
	}))
	text := gather(r, t.Context())
	wantLines(t, text,
		`dpu_collector_success{collector="nic"} 1`, `dpu_collector_errors_total{collector="nic"} 1`,
		`dpu_collector_devices{collector="nic",source="file",outcome="ok"} 2`,
		`dpu_collector_devices{collector="nic",source="file",outcome="unsupported"} 1`,
		`dpu_collector_devices{collector="nic",source="file",outcome="not_permitted"} 1`,
		`dpu_collector_devices{collector="nic",source="file",outcome="vanished"} 1`,
		`dpu_collector_devices{collector="nic",source="file",outcome="broken"} 1`,
		`!dpu_collector_devices{collector="nic",source="dump"`)
}

func TestSelect(t *testing.T) {
	r := newTestRunner(nil, newFake("a", nil), newFake("b", nil), newFake("c", nil))
	for _, tc := range []struct {
		collect, exclude []string
		want             []string
		err              string
	}{
		{want: []string{"a", "b", "c"}},
		{collect: []string{"c", "a", "c"}, want: []string{"a", "c"}},
		{exclude: []string{"b"}, want: []string{"a", "c"}},
		{collect: []string{"nope"}, err: `unknown collector "nope": valid here: a, b, c`},
		{exclude: []string{"rdma"}, err: `disabled collector "rdma": valid here: a, b, c`},
		{collect: []string{"a"}, exclude: []string{"b"}, err: "collect[] and exclude[] contradict each other: give one of them"},
	} {
		names, err := r.Select(tc.collect, tc.exclude)
		if tc.err != "" {
			if err == nil || err.Error() != tc.err {
				t.Errorf("Select(%q, %q): error %v, want %s", tc.collect, tc.exclude, err, tc.err)
			}
			continue
		}
		if err != nil || !slices.Equal(names, tc.want) {
			t.Errorf("Select(%q, %q) = %q, %v; want %q", tc.collect, tc.exclude, names, err, tc.want)
		}
	}
}

func TestOnlySelectedCollectorsRun(t *testing.T) {
	r := newTestRunner(nil, newFake("a", nil), newFake("b", func(context.Context, *Emit) error {
		t.Error("b was not selected and ran")
		return nil
	}))
	var text []byte
	for _, set := range r.Gather(t.Context(), []string{"a"}) {
		text = set.AppendText(text)
	}
	wantLines(t, string(text), `dpu_a_value{device="dev-a"} 1`, `!dpu_collector_success{collector="b"}`)
}
