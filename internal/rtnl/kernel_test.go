package rtnl

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/dpu-exporter/dpu-exporter/test/worlds"
	"github.com/google/go-cmp/cmp"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// dial opens a connection into the test's namespace.
func dial(t testing.TB) *Conn {
	t.Helper()
	c, err := Dial()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func readLinks(t testing.TB, c *Conn) map[string]Link {
	t.Helper()
	links := map[string]Link{}
	if err := c.Links(t.Context(), func(l Link) { links[l.Name] = l }); err != nil {
		t.Fatal(err)
	}
	return links
}

// TestLinksAgree compares every link with what another implementation reads.
func TestLinksAgree(t *testing.T) {
	worlds.Enter(t)
	for _, name := range subjectOrder {
		makeSubject(t, name)
	}
	decorate(t)
	addForeignVeth(t, 16, "veth-of-pod")
	got, theirs := readBoth(t)
	if len(got) != len(theirs) || len(got) < 8 {
		t.Fatalf("%d links, want %d", len(got), len(theirs))
	}
	for _, link := range theirs {
		want := link.Attrs()
		l := got[want.Name]
		kind := l.Kind
		if kind == "" {
			kind = "device"
		}
		address := want.HardwareAddr.String()
		if want.Name == "lo" {
			address = "00:00:00:00:00:00" // which the other leaves out
		}
		for what, pair := range map[string][2]any{
			"index":     {l.Index, want.Index},
			"MTU":       {int(l.MTU), want.MTU},
			"address":   {l.Address.String(), address},
			"alias":     {l.Alias, want.Alias},
			"altnames":  {fmt.Sprint(l.AltNames), fmt.Sprint(want.AltNames)},
			"kind":      {kind, link.Type()},
			"master":    {l.Master, want.MasterIndex},
			"lower":     {l.Lower, want.ParentIndex},
			"namespace": {l.LowerForeign, want.Name == "veth-of-pod"},
			"state":     {netlink.LinkOperState(l.OperState), want.OperState},
			"flags":     {l.Flags, want.RawFlags},
		} {
			if pair[0] != pair[1] {
				t.Errorf("%s of %s: %v, want %v", what, want.Name, pair[0], pair[1])
			}
		}
	}
}

// readBoth returns the links as both implementations read them, at a moment
// when the kernel, which settles states late, changed nothing.
func readBoth(t *testing.T) (map[string]Link, []netlink.Link) {
	t.Helper()
	c := dial(t)
	for {
		before := readLinks(t, c)
		theirs, err := netlink.LinkList()
		if err != nil {
			t.Fatal(err)
		}
		if after := readLinks(t, c); cmp.Equal(before, after) {
			return before, theirs
		}
	}
}

// TestHostileNames: Linux refuses no more than /, :, %, white space and NUL.
func TestHostileNames(t *testing.T) {
	worlds.Enter(t)
	names := []string{`a"b{}`, "\xff\xfe\x80", `\n,x="1"}`, "日本語", "#$'`&"}
	for _, name := range names {
		attrs := netlink.NewLinkAttrs()
		attrs.Name = name
		if err := netlink.LinkAdd(&netlink.Ifb{LinkAttrs: attrs}); err != nil {
			t.Fatalf("add %q: %v", name, err)
		}
	}
	links := readLinks(t, dial(t))
	for _, name := range names {
		if links[name].Kind != "ifb" {
			t.Errorf("no link with the bytes %q", name)
		}
	}
}

// TestStatsOfLoopback counts datagrams where nothing else is sent.
func TestStatsOfLoopback(t *testing.T) {
	worlds.Enter(t)
	size := sendOverLoopback(t, 5, 1000)
	c := dial(t)
	want := Counters{N: int(NumFields)}
	want.Value[RxPackets], want.Value[TxPackets] = 5, 5
	want.Value[RxBytes], want.Value[TxBytes] = size, size
	var visited []Counters
	visit := func(s *Stats) {
		if s.Index == 1 && s.SlowPath == nil {
			visited = append(visited, *s.Link)
		}
	}
	if err := c.Stats(t.Context(), visit); err != nil {
		t.Fatal(err)
	}
	if err := c.StatsOf(t.Context(), []int{1}, visit, func(_ int, err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Counters{want, want}, visited); diff != "" {
		t.Errorf("counters (-want +got):\n%s", diff)
	}
}

// TestStatsOfSome asks for more than one batch, with devices that are not there.
func TestStatsOfSome(t *testing.T) {
	worlds.Enter(t)
	worlds.AddVeths(t, batchSize)
	c := dial(t)
	var all []int
	for _, link := range readLinks(t, c) {
		all = append(all, link.Index)
	}
	slices.Sort(all)
	asked := slices.Concat(all[:5], []int{1 << 30, -1, 0, 1 << 40}, all[5:])
	var visited []int
	failed := map[int]error{}
	err := c.StatsOf(t.Context(), asked,
		func(s *Stats) { visited = append(visited, s.Index) },
		func(index int, err error) { failed[index] = err })
	if err != nil || !slices.Equal(visited, all) {
		t.Errorf("visited %v, error %v; want %v", visited, err, all)
	}
	if len(failed) != 4 || !errors.Is(failed[1<<30], unix.ENODEV) {
		t.Errorf("failed %v, want four, and ENODEV of %d", failed, 1<<30)
	}
	for _, index := range []int{-1, 0, 1 << 40} {
		if !errors.Is(failed[index], unix.EINVAL) {
			t.Errorf("index %d: %v, want EINVAL", index, failed[index])
		}
	}
}

// TestReadingAllocatesNothing is the promise of Stats and StatsOf.
func TestReadingAllocatesNothing(t *testing.T) {
	worlds.Enter(t)
	worlds.AddVeths(t, 50)
	c := dial(t)
	indexes := []int{1 << 30} // not there: ENODEV must not allocate either
	for _, link := range readLinks(t, c) {
		indexes = append(indexes, link.Index)
	}
	visits, failures := 0, 0
	visit := func(*Stats) { visits++ }
	failed := func(int, error) { failures++ }
	ctx := t.Context()
	const runs = 20
	stats := testing.AllocsPerRun(runs, func() {
		if err := c.Stats(ctx, visit); err != nil {
			t.Error(err)
		}
	})
	of := testing.AllocsPerRun(runs, func() {
		if err := c.StatsOf(ctx, indexes, visit, failed); err != nil {
			t.Error(err)
		}
	})
	if stats != 0 || of != 0 {
		t.Errorf("%v allocations by Stats and %v by StatsOf, want none", stats, of)
	}
	if want := 2 * (runs + 1) * 101; visits != want || failures != runs+1 {
		t.Errorf("%d visits and %d failures, want %d and %d", visits, failures, want, runs+1)
	}
}

// TestSmallBuffer makes the kernel's datagrams too long for the buffer.
func TestSmallBuffer(t *testing.T) {
	worlds.Enter(t)
	worlds.AddVeths(t, 20)
	c := dial(t)
	c.buffer = make([]byte, 128)
	seen := map[int]bool{}
	visit := func(s *Stats) { seen[s.Index] = true }
	if err := c.StatsOf(t.Context(), []int{1}, visit, func(_ int, err error) { t.Error(err) }); err != nil || len(seen) != 1 {
		t.Errorf("one device: %d seen, error %v", len(seen), err)
	}
	c.buffer = make([]byte, 128)
	if err := c.Stats(t.Context(), visit); err != nil || len(seen) != 41 {
		t.Errorf("all devices: %d seen, error %v; want 41", len(seen), err)
	}
	c.buffer = make([]byte, 128)
	if links := readLinks(t, c); len(links) != 41 {
		t.Errorf("%d links, want 41", len(links))
	}
}

// TestManyAltNames makes one link longer than the buffer that dumps are cut to.
func TestManyAltNames(t *testing.T) {
	worlds.Enter(t)
	makeSubject(t, "ifb")
	ifb := &netlink.Ifb{LinkAttrs: netlink.LinkAttrs{Index: subjects["ifb"].index}}
	const names = 300
	for i := range names {
		if err := netlink.LinkAddAltName(ifb, fmt.Sprintf("%0120d", i)); err != nil {
			t.Fatal(err)
		}
	}
	if got := len(readLinks(t, dial(t))["ifb"].AltNames); got != names {
		t.Errorf("%d altnames, want %d", got, names)
	}
}

// TestConnAfterAbort leaves a dump of the kernel's in the middle.
func TestConnAfterAbort(t *testing.T) {
	worlds.Enter(t)
	worlds.AddVeths(t, 50)
	c := dial(t)
	for range 3 {
		ctx, cancel := context.WithCancel(t.Context())
		err := c.Links(ctx, func(Link) { cancel() })
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("error %v, want context.Canceled", err)
		}
	}
	if links := readLinks(t, c); len(links) != 101 {
		t.Errorf("%d links, want 101", len(links))
	}
}

// TestConnKeepsItsNamespace uses a connection from a goroutine outside.
func TestConnKeepsItsNamespace(t *testing.T) {
	worlds.Enter(t)
	makeSubject(t, "ifb")
	c := dial(t)
	names := make(chan string, 10)
	go func() {
		defer close(names)
		if err := c.Links(context.Background(), func(l Link) { names <- l.Name }); err != nil {
			t.Error(err)
		}
	}()
	var got []string
	for name := range names {
		got = append(got, name)
	}
	if !slices.Equal(got, []string{"lo", "ifb"}) {
		t.Errorf("links %v, want lo ifb", got)
	}
}

// TestStuckReceiveEnds waits for an answer to a question never asked.
func TestStuckReceiveEnds(t *testing.T) {
	c := dial(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := c.receive(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want context.DeadlineExceeded", err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, err := c.receive(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	if links := readLinks(t, c); len(links) == 0 {
		t.Error("no links after a receive that was ended")
	}
	time.AfterFunc(20*time.Millisecond, func() { c.Close() })
	if _, err := c.receive(t.Context()); !errors.Is(err, os.ErrClosed) {
		t.Errorf("error %v, want os.ErrClosed", err)
	}
	if err := c.Stats(t.Context(), func(*Stats) {}); !errors.Is(err, os.ErrClosed) {
		t.Errorf("error %v, want os.ErrClosed", err)
	}
}

// TestChurn reads while devices come and go: no error, and those that stay are
// in every reading once.
func TestChurn(t *testing.T) {
	worlds.Enter(t)
	worlds.AddVeths(t, 30)
	c := dial(t)
	stay := readLinks(t, c)
	handle, err := netlink.NewHandle(unix.NETLINK_ROUTE)
	if err != nil {
		t.Fatal(err)
	}
	defer handle.Close()
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		for i := range 80 {
			attrs := netlink.NewLinkAttrs()
			attrs.Name = fmt.Sprintf("churn%d", i)
			ifb := &netlink.Ifb{LinkAttrs: attrs}
			if err := errors.Join(handle.LinkAdd(ifb), handle.LinkDel(ifb)); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	readings := 0
	for running := true; running; readings++ {
		select {
		case <-finished:
			running = false
		default:
		}
		seen := map[int]int{}
		if err := c.Stats(t.Context(), func(s *Stats) { seen[s.Index]++ }); err != nil {
			t.Fatal(err)
		}
		for _, link := range stay {
			if seen[link.Index] != 1 {
				t.Fatalf("%s seen %d times", link.Name, seen[link.Index])
			}
		}
		if err := c.Links(t.Context(), func(Link) {}); err != nil && !errors.Is(err, ErrInterrupted) {
			t.Fatal(err)
		}
	}
	t.Logf("%d readings", readings)
}
