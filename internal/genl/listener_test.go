package genl

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/dpu-exporter/dpu-exporter/test/worlds"
	"github.com/mdlayher/netlink"
	"golang.org/x/sys/unix"
)

// toggle returns a request that switches a feature of the device off or on: the
// kernel tells the group "monitor" of it.
func toggle(t *testing.T, device string, on bool) []byte {
	t.Helper()
	e := netlink.NewAttributeEncoder()
	e.Nested(unix.ETHTOOL_A_FEATURES_HEADER, func(header *netlink.AttributeEncoder) error {
		header.String(unix.ETHTOOL_A_HEADER_DEV_NAME, device)
		return nil
	})
	e.Nested(unix.ETHTOOL_A_FEATURES_WANTED, func(set *netlink.AttributeEncoder) error {
		set.Nested(unix.ETHTOOL_A_BITSET_BITS, func(bits *netlink.AttributeEncoder) error {
			bits.Nested(unix.ETHTOOL_A_BITSET_BITS_BIT, func(bit *netlink.AttributeEncoder) error {
				bit.String(unix.ETHTOOL_A_BITSET_BIT_NAME, "rx-gro")
				bit.Flag(unix.ETHTOOL_A_BITSET_BIT_VALUE, on)
				return nil
			})
			return nil
		})
		return nil
	})
	request, err := e.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return request
}

func TestListener(t *testing.T) {
	worlds.Enter(t)
	worlds.AddVeths(t, 1)
	l, err := Listen(unix.ETHTOOL_GENL_NAME, unix.ETHTOOL_MCGRP_MONITOR_NAME)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	if err := l.messages.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil { // fail rather than hang
		t.Fatal(err)
	}
	c, err := Dial(unix.ETHTOOL_GENL_NAME)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	flip := func(on bool) {
		t.Helper()
		if _, err := c.Do(t.Context(), unix.ETHTOOL_MSG_FEATURES_SET, toggle(t, "a0", on)); err != nil {
			t.Fatalf("set feature: %v", err)
		}
	}

	flip(true) // off by default
	heard, err := l.Receive()
	if err != nil || heard[0].Header.Command != unix.ETHTOOL_MSG_FEATURES_NTF {
		t.Fatalf("heard %v, %v; want a change of features", heard, err)
	}

	if err := l.messages.SetReadBuffer(1); err != nil { // the kernel's minimum, about 2 kB
		t.Fatal(err)
	}
	for i := range 40 {
		flip(i%2 != 0)
	}
	for err = nil; err == nil; {
		_, err = l.Receive()
	}
	if !errors.Is(err, ErrOverrun) {
		t.Errorf("unread notifications: %v, want ErrOverrun", err)
	}
	if _, err := l.Receive(); err != nil {
		t.Errorf("after an overrun: %v", err)
	}
}

func TestListenerClose(t *testing.T) {
	l, err := Listen("nlctrl", "notify")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	started := make(chan struct{})
	go func() {
		close(started)
		_, err := l.Receive()
		done <- err
	}()
	<-started
	for range 2 {
		if err := l.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
	if err := <-done; !errors.Is(err, os.ErrClosed) {
		t.Errorf("receive: %v, want os.ErrClosed", err)
	}
	if _, err := l.Receive(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("receive after close: %v, want os.ErrClosed", err)
	}
}
