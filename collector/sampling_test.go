package collector

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

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

// TestSourceThatGoesHasNoTimestamp: when the last device that needs a source
// goes, its last reading does not grow old.
func TestSourceThatGoesHasNoTimestamp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _, _ := sampled(t, Sample{Source: "eeprom", Every: time.Minute}, func(n int) error {
			if n == 2 {
				return errNothingToRead
			}
			return nil
		})
		for n := range 3 {
			synctest.Wait()
			want := fmt.Sprintf(`dpu_collector_last_sample_timestamp_seconds{collector="dear",source="eeprom"} %d`, time.Now().Unix())
			if n == 1 {
				want = "!dpu_collector_last_sample_timestamp_seconds"
			}
			wantLines(t, gather(r, t.Context()), want)
			time.Sleep(time.Minute)
		}
	})
}

// TestReadingThatHangsIsCounted: also the first one, which no timestamp of an
// earlier one gives away.
func TestReadingThatHangsIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		r, _, at := sampled(t, Sample{Source: "eeprom", Every: time.Minute}, func(n int) error {
			if n == 1 {
				<-release
			}
			return nil
		})
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		wantLines(t, gather(r, t.Context()), `dpu_collector_errors_total{collector="dear"} 9`, "!dpu_collector_last_sample_timestamp_seconds")
		close(release)
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		wantLines(t, gather(r, t.Context()), `dpu_collector_errors_total{collector="dear"} 9`)
		if len(*at) < 10 {
			t.Errorf("read %d times", len(*at))
		}
	})
}

// TestOutcomesOfASample: what is no fault of the machine is no error; a failure
// leaves the time of the last success, for an alert to see it grow old.
func TestOutcomesOfASample(t *testing.T) {
	for name, c := range map[string]struct {
		err    error
		errors int
		timed  bool
	}{
		"unsupported":   {unix.EOPNOTSUPP, 0, false},
		"vanished":      {unix.ENODEV, 0, false},
		"not permitted": {unix.EPERM, 0, true},
		"broken":        {unix.EIO, 1, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now().Unix()
			r, _, _ := sampled(t, Sample{Source: "eeprom", Every: time.Minute}, func(n int) error {
				if n == 2 {
					return c.err
				}
				return nil
			})
			time.Sleep(90 * time.Second)
			synctest.Wait()
			timed := fmt.Sprintf(`dpu_collector_last_sample_timestamp_seconds{collector="dear",source="eeprom"} %d`, began)
			if !c.timed {
				timed = "!dpu_collector_last_sample_timestamp_seconds"
			}
			t.Log(name)
			wantLines(t, gather(r, t.Context()), timed, fmt.Sprintf(`dpu_collector_errors_total{collector="dear"} %d`, c.errors))
		})
	}
}
