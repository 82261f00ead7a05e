package rtnl

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// statsParser reads RTM_NEWSTATS into memory of its own, again and again.
type statsParser struct {
	stats    Stats
	link     Counters
	slowPath Counters
}

// parse reads struct if_stats_msg and the attributes behind it
// (include/uapi/linux/if_link.h). The result stands until the next parse.
func (p *statsParser) parse(body []byte) (*Stats, error) {
	if len(body) < sizeofIfStatsMsg {
		return nil, fmt.Errorf("stats message: %d bytes, want at least %d", len(body), sizeofIfStatsMsg)
	}
	p.stats = Stats{Index: int(int32(native.Uint32(body[4:])))}
	if p.stats.Index <= 0 {
		return nil, fmt.Errorf("stats message: interface index %d", p.stats.Index)
	}
	a := attributes{rest: body[sizeofIfStatsMsg:]}
	for a.next() {
		if err := p.set(a.kind, a.value); err != nil {
			return nil, fmt.Errorf("stats of link %d: %w", p.stats.Index, statsAttributes.wrap(a.kind, err))
		}
	}
	if a.err != nil {
		return nil, fmt.Errorf("stats of link %d: %w", p.stats.Index, statsAttributes.wrap(a.kind, a.err))
	}
	return &p.stats, nil
}

func (p *statsParser) set(kind uint16, value []byte) error {
	switch kind {
	case unix.IFLA_STATS_LINK_64:
		p.stats.Link = &p.link
		return p.link.decode(value)
	case unix.IFLA_STATS_LINK_OFFLOAD_XSTATS:
		return p.setOffload(value)
	}
	return nil
}

func (p *statsParser) setOffload(nest []byte) error {
	a := attributes{rest: nest}
	for a.next() {
		if a.kind != unix.IFLA_OFFLOAD_XSTATS_CPU_HIT {
			continue
		}
		p.stats.SlowPath = &p.slowPath
		if err := p.slowPath.decode(a.value); err != nil {
			return offloadAttributes.wrap(a.kind, err)
		}
	}
	if a.err != nil {
		return offloadAttributes.wrap(a.kind, a.err)
	}
	return nil
}

// decode reads struct rtnl_link_stats64. Fields that a newer kernel adds at the
// end are left out, those that an older one lacks are 0 and beyond N.
func (c *Counters) decode(value []byte) error {
	if len(value) == 0 || len(value)%8 != 0 {
		return fmt.Errorf("%d bytes, want a multiple of 8", len(value))
	}
	c.N = min(len(value)/8, int(NumFields))
	// Both sides are in the machine's byte order, so the bytes can be copied as
	// they are, which halves the time of a whole parse.
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&c.Value)), unsafe.Sizeof(c.Value)), value)
	clear(c.Value[c.N:])
	return nil
}
