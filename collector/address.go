package collector

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/dpu-exporter/dpu-exporter/internal/rtnl"
	"github.com/dpu-exporter/dpu-exporter/inventory"
	"github.com/dpu-exporter/dpu-exporter/metric"
)

const sourceAddresses = "rtnl_addresses"

// AddressReader reads the addresses of all interfaces; *rtnl.Conn is one.
type AddressReader interface {
	Addresses(ctx context.Context, visit func(rtnl.Address)) error
}

// AddressOptions are the reader of the address collector and the clock.
type AddressOptions struct {
	Addresses      AddressReader
	AddressesError error            // why there is none
	Now            func() time.Time // nil: time.Now
}

// Address exports how many addresses interfaces have and when they end: a DHCP
// lease that is not renewed takes a network down long after the cause.
type Address struct {
	opts   AddressOptions
	newest atomic.Pointer[addressReading]
}

// addressReading is one reading of all interfaces.
type addressReading struct {
	at       time.Time
	byFamily [2]map[int]*addressCount // by interface index
}

// addressCount is what one interface has of one family.
type addressCount struct {
	addresses int
	first     *uint32 // seconds until the first of them ends
}

// families are the address families by the places of addressReading.byFamily.
var families = [2]struct {
	number uint8 // AF_INET, AF_INET6
	name   string
}{{2, "ipv4"}, {10, "ipv6"}}

// NewAddress returns the collector.
func NewAddress(opts AddressOptions) *Address {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return &Address{opts: opts}
}

// Name is "address".
func (c *Address) Name() string { return "address" }

// Help describes the collector in a line.
func (c *Address) Help() string {
	return "How many IP addresses interfaces have, and when the first of them ends."
}

// Rows are the two rows below.
func (c *Address) Rows() []*metric.Row { return []*metric.Row{addressesRow, addressExpiryRow} }

// Samples is the one reading.
func (c *Address) Samples() []Sample {
	return []Sample{{Source: sourceAddresses, Every: 30 * time.Second, OnChange: true, Read: c.sample}}
}

// addressAttempts is how often a list that changed meanwhile is asked for.
const addressAttempts = 4

func (c *Address) sample(ctx context.Context, inv *inventory.Snapshot) error {
	if c.opts.AddressesError != nil {
		return c.opts.AddressesError
	}
	var err error
	for range addressAttempts {
		next := &addressReading{at: c.opts.Now(), byFamily: [2]map[int]*addressCount{{}, {}}}
		err = c.opts.Addresses.Addresses(ctx, func(a rtnl.Address) {
			if inv.ByIndex(a.Index) != nil {
				next.add(a)
			}
		})
		if !errors.Is(err, rtnl.ErrInterrupted) {
			if err == nil {
				c.newest.Store(next)
			}
			return err
		}
	}
	return err
}

func (r *addressReading) add(a rtnl.Address) {
	for i := range families {
		if families[i].number != a.Family {
			continue
		}
		count := r.byFamily[i][a.Index]
		if count == nil {
			count = &addressCount{}
			r.byFamily[i][a.Index] = count
		}
		count.addresses++
		if a.Valid != nil && (count.first == nil || *a.Valid < *count.first) {
			count.first = a.Valid
		}
	}
}

// Collect emits the newest reading; the time that is left runs on since.
func (c *Address) Collect(_ context.Context, inv *inventory.Snapshot, emit *Emit) error {
	newest := c.newest.Load()
	if newest == nil {
		return nil
	}
	age := c.opts.Now().Sub(newest.at).Seconds()
	addresses, expiry := emit.Family(addressesRow), emit.Family(addressExpiryRow)
	for _, d := range inv.Devices {
		for i := range families {
			count := newest.byFamily[i][d.Index]
			if count == nil {
				continue
			}
			addresses.Add(float64(count.addresses), d.Name, families[i].name)
			if count.first != nil {
				expiry.Add(max(0, float64(*count.first)-age), d.Name, families[i].name)
			}
		}
	}
	return nil
}

var byDeviceFamily = []string{"device", "family"}

var (
	addressesRow = &metric.Row{
		Name: "dpu_interface_addresses", Kind: metric.Gauge, Unit: "addresses", Labels: byDeviceFamily, Proof: metric.Live,
		Help: "IP addresses of the device, link-local ones too; absent of a family without any", Source: "RTM_GETADDR",
	}
	addressExpiryRow = &metric.Row{
		Name: "dpu_interface_address_expiry_seconds", Kind: metric.Gauge, Unit: "seconds", Labels: byDeviceFamily, Proof: metric.Live,
		Help:   "Seconds until the first of the device's addresses ends, such as a DHCP lease; absent where all are for ever",
		Source: "IFA_CACHEINFO, ifa_valid",
	}
)
