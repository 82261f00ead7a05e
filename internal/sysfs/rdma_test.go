package sysfs

import (
	"errors"
	"io/fs"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/dpu-exporter/dpu-exporter/internal/outcome"
	"github.com/dpu-exporter/dpu-exporter/internal/sysfs/sysfstest"
)

func TestRDMA(t *testing.T) {
	f := FS(sysfstest.Load(t, "testdata/rdma.tree"))
	p := RDMAPort{"mlx5_0", 1}
	ports, err := f.RDMAPorts("mlx5_0")
	if !slices.Equal(ports, []RDMAPort{p, {"mlx5_0", 2}, {"mlx5_0", 10}}) || err != nil {
		t.Errorf("ports %v, %v", ports, err)
	}
	if state, err := f.RDMAPortFile(p, "state"); state != "4: ACTIVE" || err != nil {
		t.Errorf("state %q, %v", state, err)
	}
	names, err := f.RDMACounters(p, "counters")
	if slices.Sort(names); !slices.Equal(names, []string{"VL15_dropped", "link_downed", "odd", "port_rcv_data"}) || err != nil {
		t.Errorf("counters %q, %v", names, err)
	}
	if v, err := f.RDMACounter(p, "counters", "port_rcv_data"); v != 1000 || err != nil {
		t.Errorf("port_rcv_data %d, %v", v, err)
	}
	for counter, want := range map[string]outcome.Outcome{
		"VL15_dropped": outcome.Broken, "link_downed": outcome.Unsupported, "odd": outcome.Broken, "absent": outcome.Unsupported, "../x": outcome.Broken,
	} {
		if _, err := f.RDMACounter(p, "counters", counter); outcome.Of(err) != want {
			t.Errorf("%s: %v is %v, want %v", counter, err, outcome.Of(err), want)
		}
	}
	if _, err := f.RDMACounter(p, "counters", "VL15_dropped"); !errors.Is(err, unix.EINVAL) {
		t.Errorf("VL15_dropped: %v", err)
	}
	gids, err := f.RDMAGIDs(p)
	if diff := cmp.Diff(map[string]int{"IB/RoCE v1": 1, "RoCE v2": 2}, gids); diff != "" || err != nil {
		t.Errorf("GIDs %v (-want +have):\n%s", err, diff)
	}
	if _, err := f.RDMACounters(RDMAPort{"bnxt_re0", 1}, "counters"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("bnxt_re0: %v", err)
	}
	if _, err := f.RDMAPorts("../x"); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("a name that leads out: %v", err)
	}
}
