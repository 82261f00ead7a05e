package metric

import (
	"bytes"
	"hash/maphash"
	"math/bits"
)

// A finder finds samples with the same labels. Its table is kept between
// families and rounds, so that looking allocates only when it must grow.
type finder struct {
	seed  maphash.Seed
	slots []uint32 // open addressing; place of a sample plus one, 0 is free
}

// mark marks every sample of f whose labels an earlier one has. Families whose
// labels are those of the last check are left as they are.
func (d *finder) mark(f *Family) {
	if !f.changed && f.n == f.checked {
		return
	}
	f.changed, f.checked, f.duplicates = false, f.n, 0
	d.reset(f.n)
	mask := uint64(len(d.slots) - 1)
	for i := range f.samples[:f.n] {
		s := &f.samples[i]
		s.duplicate = false
		at := maphash.Bytes(d.seed, s.prefix) & mask
		for d.slots[at] != 0 && !s.duplicate {
			s.duplicate = bytes.Equal(f.samples[d.slots[at]-1].prefix, s.prefix)
			at = (at + 1) & mask
		}
		if s.duplicate {
			f.duplicates++
			continue
		}
		d.slots[at] = uint32(i + 1)
	}
}

// reset empties the table and makes it at least half free with n samples in it.
func (d *finder) reset(n int) {
	size := 1 << bits.Len(uint(2*n))
	if cap(d.slots) < size {
		d.slots = make([]uint32, size)
		d.seed = maphash.MakeSeed()
		return
	}
	d.slots = d.slots[:size]
	clear(d.slots)
}
