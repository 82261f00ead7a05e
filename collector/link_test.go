package collector

import (
	"context"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/internal/ethtool"
	"github.com/dpu-exporter/dpu-exporter/inventory"
)

// fakeSettings answers with settings.json: one device by interface index.
type fakeSettings map[int]*settingsOf

// settingsOf is what a device answers; a part that is left out is not
// supported. Errno is what asking for its rings fails with.
type settingsOf struct {
	Features     *ethtool.Features
	Rings        *ethtool.Rings
	Channels     *ethtool.Channels
	Coalesce     *ethtool.Coalesce
	Timestamping *ethtool.Timestamping
	Errno        syscall.Errno
}

func (f fakeSettings) Features(_ context.Context, index int) (ethtool.Features, error) {
	return answer(f[index], func(p *settingsOf) *ethtool.Features { return p.Features })
}

func (f fakeSettings) Rings(_ context.Context, index int) (ethtool.Rings, error) {
	if p := f[index]; p != nil && p.Errno != 0 {
		return ethtool.Rings{}, p.Errno
	}
	return answer(f[index], func(p *settingsOf) *ethtool.Rings { return p.Rings })
}

func (f fakeSettings) Channels(_ context.Context, index int) (ethtool.Channels, error) {
	return answer(f[index], func(p *settingsOf) *ethtool.Channels { return p.Channels })
}

func (f fakeSettings) Coalesce(_ context.Context, index int) (ethtool.Coalesce, error) {
	return answer(f[index], func(p *settingsOf) *ethtool.Coalesce { return p.Coalesce })
}

func (f fakeSettings) Timestamping(_ context.Context, index int) (ethtool.Timestamping, error) {
	return answer(f[index], func(p *settingsOf) *ethtool.Timestamping { return p.Timestamping })
}

// linkFromCase reads settings.json.
func linkFromCase(t *testing.T, dir string) Collector {
	settings := fakeSettings{}
	decode(t, filepath.Join(dir, "settings.json"), &settings)
	return NewLink(LinkOptions{Settings: settings})
}

// A device that fails for one kind of settings keeps the others; another name
// is another series, and a device that is gone leaves none.
func TestLinkFailuresAndChanges(t *testing.T) {
	settings := fakeSettings{
		1: {Features: &ethtool.Features{"rx-gro": true}, Channels: &ethtool.Channels{Combined: new(uint32(8))}, Errno: syscall.EIO},
		2: {Errno: syscall.ENODEV},
	}
	c := NewLink(LinkOptions{Settings: settings})
	one, two := port(1, "p1", true), port(2, "p2", true)
	text := exposition(t, c, inventory.NewSnapshot([]*inventory.Device{one, two}, 0))
	for _, want := range []string{
		`dpu_interface_feature{device="p1",feature="rx-gro"} 1`, `dpu_interface_channels{device="p1",type="combined"} 8`,
		"# link_settings: 1 broken", "# link_settings: 1 vanished",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	renamed := *one
	renamed.Name = "eth1"
	inv := inventory.NewSnapshot([]*inventory.Device{&renamed}, 0)
	set := collected(t, c, inv)
	if strings.Contains(set, "p1") || strings.Contains(set, "eth1") {
		t.Errorf("series of the old name, or of one that was not read:\n%s", set)
	}
	if text := exposition(t, c, inv); !strings.Contains(text, `dpu_interface_channels{device="eth1",type="combined"} 8`) {
		t.Errorf("not read under its new name:\n%s", text)
	}
}
