package guest

import (
	"io"
	"os"
	"time"
)

// followEvery is how long what is written to a file waits to be seen.
const followEvery = 20 * time.Millisecond

// follow copies a file to a writer while it grows, until finish is called, which
// copies the rest. A nil writer takes nothing.
func follow(path string, to io.Writer) (finish func() error) {
	if to == nil {
		to = io.Discard
	}
	end, copied := make(chan struct{}), make(chan error, 1)
	go func() { copied <- copyUntil(end, path, to) }()
	return func() error {
		close(end)
		return <-copied
	}
}

func copyUntil(end <-chan struct{}, path string, to io.Writer) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	due := time.NewTicker(followEvery)
	defer due.Stop()
	for {
		if _, err := io.Copy(to, file); err != nil {
			return err
		}
		select {
		case <-end:
			_, err := io.Copy(to, file)
			return err
		case <-due.C:
		}
	}
}
