package guest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// lockFile locks a folder until it is closed (flock(2)).
func lockFile(folder string, how int) (*os.File, error) {
	file, err := os.Open(folder)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(file.Fd()), how); err != nil {
		file.Close()
		return nil, fmt.Errorf("lock %s: %w", folder, err)
	}
	return file, nil
}

// lockEvery is how often a lock that another run has is asked for.
const lockEvery = 200 * time.Millisecond

// lockAlone makes a folder, unless it is there, and locks it for us alone; wait
// is told once if another run has it.
func lockAlone(ctx context.Context, folder string, wait func()) (unlock func(), err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	for told := false; ; told = true {
		file, err := lockFile(folder, unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return func() { file.Close() }, nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return nil, err
		}
		if !told {
			wait()
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(lockEvery):
		}
	}
}
