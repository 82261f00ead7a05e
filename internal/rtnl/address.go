package rtnl

import (
	"context"
	"fmt"
	"math"

	"golang.org/x/sys/unix"
)

// Address is an IP address of a link, as far as its time goes (RTM_NEWADDR,
// rtnetlink(7)).
type Address struct {
	Index  int     // of the interface
	Family uint8   // unix.AF_INET, unix.AF_INET6
	Valid  *uint32 // seconds for which it is still valid; nil: for ever
}

// Addresses calls visit for every address of the namespace: one RTM_GETADDR
// dump. It returns ErrInterrupted, after delivering what came, when addresses
// came or went meanwhile.
func (c *Conn) Addresses(ctx context.Context, visit func(Address)) error {
	request := appendHeader(nil, unix.SizeofNlMsghdr+unix.SizeofIfAddrmsg, unix.RTM_GETADDR, unix.NLM_F_DUMP)
	request = append(request, make([]byte, unix.SizeofIfAddrmsg)...)
	interrupted := false
	err := c.again(func() (err error) {
		interrupted, err = c.dump(ctx, request, unix.RTM_NEWADDR, func(body []byte) error {
			a, err := parseAddress(body)
			if err == nil {
				visit(a)
			}
			return err
		})
		return err
	})
	switch {
	case err != nil:
		return fmt.Errorf("read addresses: %w", err)
	case interrupted:
		return fmt.Errorf("read addresses: %w", ErrInterrupted)
	}
	return nil
}

// parseAddress reads struct ifaddrmsg and, behind it, struct ifa_cacheinfo
// (include/uapi/linux/if_addr.h), whose second word is the time it is valid.
func parseAddress(body []byte) (Address, error) {
	if len(body) < unix.SizeofIfAddrmsg {
		return Address{}, fmt.Errorf("address message: %d bytes, want at least %d", len(body), unix.SizeofIfAddrmsg)
	}
	address := Address{Family: body[0], Index: int(int32(native.Uint32(body[4:])))}
	a := attributes{rest: body[unix.SizeofIfAddrmsg:]}
	for a.next() {
		if a.kind != unix.IFA_CACHEINFO {
			continue
		}
		if len(a.value) < unix.SizeofIfaCacheinfo {
			return Address{}, fmt.Errorf("IFA_CACHEINFO: %d bytes, want %d", len(a.value), unix.SizeofIfaCacheinfo)
		}
		if valid := native.Uint32(a.value[4:]); valid != math.MaxUint32 {
			address.Valid = &valid
		}
	}
	return address, a.err
}
