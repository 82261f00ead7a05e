package main

import (
	"io"

	"github.com/dpu-exporter/dpu-exporter/internal/ethtool"
	"github.com/dpu-exporter/dpu-exporter/internal/outcome"
	"github.com/dpu-exporter/dpu-exporter/internal/rtnl"
)

// openReaders opens what the collectors read from. What may not be opened is
// the failure of its collector, not of the program.
func (n *node) openReaders() error {
	for _, conn := range []**rtnl.Conn{&n.stats, &n.refresh} {
		c, err := rtnl.Dial()
		switch outcome.Of(err) {
		case outcome.OK:
			*conn = c
			n.open = append(n.open, c)
		case outcome.NotPermitted:
			n.statsError = err
		default:
			return err
		}
	}
	if n.linkModes, n.linkModesError = ethtool.Dial(); n.linkModesError == nil {
		n.open = append(n.open, n.linkModes)
	}
	return nil
}

// opened is a reader of one collector, or why there is none. A node that only
// describes its collectors opens nothing.
func opened[T io.Closer](n *node, open func() (T, error)) (T, error) {
	if n.inventory == nil {
		var none T
		return none, nil
	}
	reader, err := open()
	if err == nil {
		n.open = append(n.open, reader)
	}
	return reader, err
}
