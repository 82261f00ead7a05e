package rtnl

import (
	"context"
	"errors"
	"math"
	"os/exec"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/dpu-exporter/dpu-exporter/test/worlds"
)

func newAddress(family byte, index uint32, attributes string) string {
	header := []byte{family, 24, 0, 0}
	return packet(unix.RTM_NEWADDR, unix.NLM_F_MULTI, 1, string(native.AppendUint32(header, index))+attributes)
}

func lifetime(preferred, valid uint32) string {
	return attr(unix.IFA_CACHEINFO, words(preferred, valid, 0, 0))
}

func TestAddresses(t *testing.T) {
	c := newConn(&script{answers: []string{
		newAddress(unix.AF_INET, 2, lifetime(60, 90)) + newAddress(unix.AF_INET6, 2, lifetime(math.MaxUint32, math.MaxUint32)),
		newAddress(unix.AF_INET, 3, "") + newAddress(unix.AF_INET, 4, attr(unix.IFA_CACHEINFO, "1234")) + done(1),
	}})
	var have []Address
	err := c.Addresses(context.Background(), func(a Address) { have = append(have, a) })
	want := []Address{{2, unix.AF_INET, new(uint32(90))}, {Index: 2, Family: unix.AF_INET6}, {Index: 3, Family: unix.AF_INET}}
	if diff := cmp.Diff(want, have); diff != "" || err == nil {
		t.Errorf("%v (-want +have):\n%s", err, diff)
	}
}

func TestAddressesInterrupted(t *testing.T) {
	c := newConn(&script{answers: []string{packet(unix.NLMSG_DONE, unix.NLM_F_DUMP_INTR, 1, code(0))}})
	if err := c.Addresses(context.Background(), func(Address) {}); !errors.Is(err, ErrInterrupted) {
		t.Errorf("error %v", err)
	}
}

// The real kernel: an address that ends and one that does not.
func TestAddressesOfTheKernel(t *testing.T) {
	worlds.Enter(t)
	for _, args := range [][]string{
		{"address", "add", "192.0.2.1/24", "dev", "lo", "valid_lft", "1000", "preferred_lft", "500"},
		{"address", "add", "192.0.2.2/24", "dev", "lo"},
	} {
		if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
			t.Fatalf("ip %v: %v: %s", args, err, out)
		}
	}
	c, err := Dial()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	finite, forever := 0, 0
	err = c.Addresses(t.Context(), func(a Address) {
		switch {
		case a.Family != unix.AF_INET:
		case a.Valid == nil:
			forever++
		case *a.Valid > 900 && *a.Valid <= 1000:
			finite++
		}
	})
	if err != nil || finite != 1 || forever == 0 {
		t.Errorf("%d that end, %d that do not, %v", finite, forever, err)
	}
}
