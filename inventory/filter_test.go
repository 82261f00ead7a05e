package inventory

import (
	"slices"
	"strings"
	"testing"
)

func TestFilterKeeps(t *testing.T) {
	for _, c := range []struct {
		name             string
		include, exclude []string
		names            []string
		want             bool
	}{
		{"nothing given", nil, nil, []string{"eth0"}, true},
		{"whole names only", []string{"eth"}, nil, []string{"eth0"}, false},
		{"alternatives are anchored too", []string{"eth|p0"}, nil, []string{"xp0"}, false},
		{"included by any name", []string{"mlx5_[0-9]+"}, nil, []string{"eth0", "", "mlx5_12"}, true},
		{"excluded by PCI address", nil, []string{`0000:5e:00\..`}, []string{"eth0", "0000:5e:00.1"}, false},
		{"exclusion wins", []string{".*"}, []string{"eth0"}, []string{"eth0"}, false},
		{"not included", []string{"p[01]"}, []string{"eth0"}, []string{"eth1"}, false},
		{"names that are not there match nothing", nil, []string{".*x?"}, []string{"", ""}, true},
		{"case 06", nil, []string{"^mlx5_(12|13|14|15)$"}, []string{"ib0", "mlx5_12"}, false},
		{"case 06, another", nil, []string{"^mlx5_(12|13|14|15)$"}, []string{"ib0", "mlx5_0"}, true},
		{"bytes that are not UTF-8", nil, []string{`a\x{FFFD}b`}, []string{"a\xffb"}, false},
	} {
		f, err := NewFilter(c.include, c.exclude)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := f.keeps(c.names...); got != c.want {
			t.Errorf("%s: keeps %v", c.name, got)
		}
	}
	if !(*Filter)(nil).keeps("eth0") {
		t.Error("no filter leaves a device out")
	}
}

func TestFilterFaultsAreAllReported(t *testing.T) {
	_, err := NewFilter([]string{"ok", "eth[", ""}, []string{"a)|(b", "*"})
	if err == nil {
		t.Fatal("bad expressions are taken")
	}
	for _, want := range []string{`--device.include "eth["`, "--device.include: an empty", `--device.exclude "a)|(b"`, `--device.exclude "*"`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not name %s", err, want)
		}
	}
}

// An RDMA device stays with the function that it is of; one of a function that
// has no netdev here, or none at all, stays by its own name.
func TestRDMADevicesThatStay(t *testing.T) {
	for name, test := range map[string]struct {
		include, exclude []string
		want             []string
	}{
		"no filter":                {nil, nil, []string{"ibp9s0", "mlx5_0", "rxe0"}},
		"its netdev is excluded":   {nil, []string{"p0"}, []string{"ibp9s0", "rxe0"}},
		"it is excluded":           {nil, []string{"mlx5_0"}, []string{"ibp9s0", "rxe0"}},
		"without a netdev":         {nil, []string{"0000:09:00.0"}, []string{"mlx5_0", "rxe0"}},
		"only its netdev":          {[]string{"p0"}, nil, []string{"mlx5_0"}},
		"only the software device": {[]string{"rxe.*"}, nil, []string{"rxe0"}},
	} {
		filter, err := NewFilter(test.include, test.exclude)
		if err != nil {
			t.Fatal(err)
		}
		k := newFakeKernel(pciLink(2, "p0", "0000:03:00.0"), pciLink(3, "eth9", "0000:04:00.0"))
		s := synced(t, k.inventory(t, "testdata/rdma.tree", Options{Filter: filter}))
		var have []string
		for _, r := range s.RDMA {
			have = append(have, r.Name)
		}
		if !slices.Equal(have, test.want) {
			t.Errorf("%s: %q, want %q", name, have, test.want)
		}
	}
}
