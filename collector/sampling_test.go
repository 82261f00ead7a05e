package collector

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dpu-exporter/dpu-exporter/inventory"
)

// sampled runs a runner over one collector with one sampled source until the
// test ends, and returns the inventory and the times of its readings.
func sampled(t *testing.T, s Sample, read func(n int) error) (*Runner, *still, *[]time.Duration) {
	t.Helper()
	began := time.Now()
	var at []time.Duration
	s.Read = func(context.Context, *inventory.Snapshot) error {
		at = append(at, time.Since(began))
		return read(len(at))
	}
	f := newFake("dear", nil)
	f.samples = []Sample{s}
	r := newTestRunner(nil, f)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- r.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("run: %v", err)
		}
	})
	return r, r.opts.Inventory.(*still), &at
}

func TestSamplingKeepsItsClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _, at := sampled(t, Sample{Source: "eeprom", Every: time.Minute}, func(int) error { return nil })
		time.Sleep(150 * time.Second)
		synctest.Wait()
		if got, want := fmt.Sprint(*at), "[0s 1m0s 2m0s]"; got != want {
			t.Errorf("read at %s, want %s", got, want)
		}
		last := float64(time.Now().Add(-30*time.Second).UnixNano()) / 1e9
		wantLines(t, gather(r, t.Context()),
			fmt.Sprintf(`dpu_collector_last_sample_timestamp_seconds{collector="dear",source="eeprom"} %.0f`, last))
	})
}

func TestBurstOfChangesCostsOneReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, inv, at := sampled(t, Sample{Source: "link", Every: time.Minute, OnChange: true}, func(int) error { return nil })
		time.Sleep(10 * time.Second)
		synctest.Wait()
		inv.change()
		synctest.Wait()
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if got, want := fmt.Sprint(*at), "[0s 11s]"; got != want {
			t.Errorf("read at %s, want %s", got, want)
		}
	})
}

func TestFailedSampleIsCountedAndHasNoTimestamp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _, _ := sampled(t, Sample{Source: "eeprom", Every: time.Minute}, func(n int) error {
			if n == 2 {
				panic("bad bytes")
			}
			return errors.New("no answer")
		})
		time.Sleep(90 * time.Second)
		synctest.Wait()
		wantLines(t, gather(r, t.Context()),
			`dpu_collector_errors_total{collector="dear"} 2`, `dpu_collector_success{collector="dear"} 1`,
			`!dpu_collector_last_sample_timestamp_seconds`)
	})
}
