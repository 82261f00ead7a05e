package collector

import (
	"context"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dpu-exporter/dpu-exporter/internal/rtnl"
	"github.com/dpu-exporter/dpu-exporter/inventory"
)

// fakeAddresses tells the same each time, after the errors.
type fakeAddresses struct {
	all  []rtnl.Address
	errs []error
}

func (f *fakeAddresses) Addresses(_ context.Context, visit func(rtnl.Address)) error {
	for _, a := range f.all {
		visit(a)
	}
	if len(f.errs) == 0 {
		return nil
	}
	err := f.errs[0]
	f.errs = f.errs[1:]
	return err
}

func TestAddresses(t *testing.T) {
	now := time.Unix(1e9, 0)
	f := &fakeAddresses{all: []rtnl.Address{
		{Index: 1, Family: 2, Valid: new(uint32(600))}, {Index: 1, Family: 2, Valid: new(uint32(90))}, {Index: 1, Family: 10},
		{Index: 2, Family: 2}, {Index: 9, Family: 2}, {Index: 1, Family: 77},
	}, errs: []error{rtnl.ErrInterrupted, nil}}
	c := NewAddress(AddressOptions{Addresses: f, Now: func() time.Time { return now }})
	inv := inventory.NewSnapshot([]*inventory.Device{port(1, "oob", true), port(2, "p0", true), port(3, "p1", true)}, 0)
	want := func(text string, lines ...string) {
		t.Helper()
		for _, line := range lines {
			if !strings.Contains(text, line+"\n") {
				t.Errorf("no %s in\n%s", line, text)
			}
		}
		if n := strings.Count(text, "dpu_interface_address"); n != 3+1+4 { // series, and two lines for each family
			t.Errorf("%d lines in\n%s", n, text)
		}
	}
	want(exposition(t, c, inv),
		`dpu_interface_addresses{device="oob",family="ipv4"} 2`, `dpu_interface_addresses{device="oob",family="ipv6"} 1`,
		`dpu_interface_addresses{device="p0",family="ipv4"} 1`, `dpu_interface_address_expiry_seconds{device="oob",family="ipv4"} 90`)
	now = now.Add(20 * time.Second)
	want(collected(t, c, inv), `dpu_interface_address_expiry_seconds{device="oob",family="ipv4"} 70`)
	f.errs = []error{syscall.ENOBUFS}
	if err := c.sample(t.Context(), inv); err == nil {
		t.Error("a failure is hidden")
	}
	now = now.Add(time.Hour)
	want(collected(t, c, inv), `dpu_interface_address_expiry_seconds{device="oob",family="ipv4"} 0`)
}
