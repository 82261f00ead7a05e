package inventory

import (
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
