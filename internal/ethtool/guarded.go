package ethtool

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// guarded is memory for the kernel to write to that ends at a page nobody may
// touch. Kernels before the check of n_stats write as many statistics as the
// driver has by then, whatever was asked for; here that is EFAULT and no
// overwritten memory of ours.
type guarded struct {
	pages []byte // all but the last page may be used
}

// tail returns the last size bytes before the guard.
func (g *guarded) tail(size int) ([]byte, error) {
	page := unix.Getpagesize()
	if usable := len(g.pages) - page; usable < size {
		pages := (size + page - 1) / page
		if err := g.grow(max(pages, 16)*page + page); err != nil {
			return nil, err
		}
	}
	end := len(g.pages) - page
	return g.pages[end-size : end : end], nil
}

func (g *guarded) grow(size int) error {
	pages, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return fmt.Errorf("map %d bytes: %w", size, err)
	}
	if err := unix.Mprotect(pages[size-unix.Getpagesize():], unix.PROT_NONE); err != nil {
		_ = unix.Munmap(pages)
		return fmt.Errorf("protect the end of %d bytes: %w", size, err)
	}
	old := g.pages
	g.pages = pages
	if old != nil {
		return unix.Munmap(old)
	}
	return nil
}

// free gives the memory back.
func (g *guarded) free() error {
	pages := g.pages
	g.pages = nil
	if pages == nil {
		return nil
	}
	return unix.Munmap(pages)
}

// words returns 8-byte aligned memory as numbers in the machine's order.
func words(b []byte) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/8)
}
