package metric

import (
	"sync"

	"github.com/klauspost/compress/gzip"
)

// maxKept is the largest buffer, in bytes, that is kept for the next scrape.
const maxKept = 16 << 20

// A buffer is a response body being made.
type buffer struct{ b []byte }

// Write appends p.
func (b *buffer) Write(p []byte) (int, error) {
	b.b = append(b.b, p...)
	return len(p), nil
}

// pool keeps buffers and gzip writers between scrapes.
type pool struct {
	buffers sync.Pool
	writers sync.Pool
}

func (p *pool) take() *buffer {
	if b, ok := p.buffers.Get().(*buffer); ok {
		b.b = b.b[:0]
		return b
	}
	return &buffer{}
}

// give takes b back, unless it grew beyond what is worth keeping.
func (p *pool) give(b *buffer) {
	if cap(b.b) <= maxKept {
		p.buffers.Put(b)
	}
}

// compress returns body as gzip of level 1 in another buffer of the pool.
func (p *pool) compress(body *buffer) (*buffer, error) {
	zipped := p.take()
	w, ok := p.writers.Get().(*gzip.Writer)
	if ok {
		w.Reset(zipped)
	} else {
		var err error
		if w, err = gzip.NewWriterLevel(zipped, gzip.BestSpeed); err != nil {
			return nil, err
		}
	}
	if _, err := w.Write(body.b); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	p.writers.Put(w)
	return zipped, nil
}
