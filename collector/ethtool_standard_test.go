package collector

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/internal/ethtool"
	"github.com/dpu-exporter/dpu-exporter/internal/outcome"
	"github.com/dpu-exporter/dpu-exporter/inventory"
)

// fakeStandard answers with standard.json: one port by interface index.
type fakeStandard map[int]*standardOf

// standardOf is what a port answers; a part that is left out is not supported,
// Errno is what asking for its groups fails with.
type standardOf struct {
	Groups *ethtool.Groups
	Pause  *ethtool.Pause
	FEC    *ethtool.FEC
	Link   *ethtool.LinkState
	Errno  syscall.Errno
}

func (f fakeStandard) Groups(_ context.Context, index int) (ethtool.Groups, error) {
	if p := f[index]; p != nil && p.Errno != 0 {
		return ethtool.Groups{}, p.Errno
	}
	return answer(f[index], func(p *standardOf) *ethtool.Groups { return p.Groups })
}

func (f fakeStandard) Pause(_ context.Context, index int) (ethtool.Pause, error) {
	return answer(f[index], func(p *standardOf) *ethtool.Pause { return p.Pause })
}

func (f fakeStandard) FEC(_ context.Context, index int) (ethtool.FEC, error) {
	return answer(f[index], func(p *standardOf) *ethtool.FEC { return p.FEC })
}

func (f fakeStandard) LinkState(_ context.Context, index int) (ethtool.LinkState, error) {
	return answer(f[index], func(p *standardOf) *ethtool.LinkState { return p.Link })
}

func answer[P, T any](p *P, part func(*P) *T) (none T, err error) {
	if p == nil || part(p) == nil {
		return none, syscall.EOPNOTSUPP
	}
	return *part(p), nil
}

// standardFromCase reads standard.json; without one the kernel has no ethtool netlink.
func standardFromCase(t *testing.T, dir string, o *EthtoolOptions) {
	t.Helper()
	path := filepath.Join(dir, "standard.json")
	if read(t, path) == "" {
		o.StandardError = fmt.Errorf("ethtool netlink: %w", fs.ErrNotExist)
		return
	}
	standard := fakeStandard{}
	decode(t, path, &standard)
	o.Standard = standard
}

// A port whose firmware fails for one kind of statistics keeps the others, and
// says so; a port that has none is unsupported; a representor is not asked.
func TestStandardStatisticsFailures(t *testing.T) {
	count := func(name string, v uint64) *ethtool.Groups {
		return &ethtool.Groups{Counts: []ethtool.Count{{Name: name, Value: v}}}
	}
	standard := fakeStandard{
		1: {Groups: count("eth-mac FramesReceivedOK", 7), Pause: &ethtool.Pause{ReceivedFrames: new(uint64(3))}, Errno: syscall.EIO},
		2: {},
		3: {Groups: count("eth-mac FramesReceivedOK", 9)},
		4: {Groups: count("eth-mac FramesReceivedOK", 1)},
	}
	c := NewEthtool(EthtoolOptions{Statistics: fakeNIC{}, Standard: standard})
	inv := inventory.NewSnapshot([]*inventory.Device{
		{Key: inventory.Key{Index: 1}, Name: "p0", Role: inventory.Uplink},
		{Key: inventory.Key{Index: 2}, Name: "p1", Role: inventory.PF},
		{Key: inventory.Key{Index: 3}, Name: "p2", Role: inventory.PF},
		{Key: inventory.Key{Index: 4}, Name: "r0", Role: inventory.VFRepresentor},
	}, 0)
	text := exposition(t, c, inv)
	for _, want := range []string{
		`dpu_port_receive_pause_packets_total{device="p0"} 3`, `dpu_port_receive_packets_total{device="p2"} 9`,
		"# standard_statistics: 1 ok", "# standard_statistics: 1 unsupported", "# standard_statistics: 1 broken",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	for _, unwanted := range []string{`dpu_port_receive_packets_total{device="p0"}`, `device="r0"`} {
		if strings.Contains(text, unwanted) {
			t.Errorf("%s in\n%s", unwanted, text)
		}
	}
}

// Where ethtool netlink cannot be used there is no success to put a time on.
func TestStandardStatisticsWithoutReader(t *testing.T) {
	c := NewEthtool(EthtoolOptions{Statistics: fakeNIC{}, StandardError: syscall.EAFNOSUPPORT})
	inv := inventory.NewSnapshot([]*inventory.Device{{Key: inventory.Key{Index: 1}, Name: "p0", Role: inventory.PF}}, 0)
	if err := c.sampleStandard(t.Context(), inv); outcome.Of(err) != outcome.NotPermitted {
		t.Errorf("error %v", err)
	}
	if err := c.sampleStandard(t.Context(), inventory.NewSnapshot(nil, 0)); !errors.Is(err, errNothingToRead) {
		t.Errorf("error %v without a port", err)
	}
}
