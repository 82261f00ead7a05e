package sysfs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A pipe that a writer holds open would be waited for.
func TestPipeInPlaceOfAFileIsRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "bus/auxiliary/devices/mlx5_core.sf.2")
	path := filepath.Join(dir, "sfnum")
	if err := errors.Join(os.MkdirAll(dir, 0o755), unix.Mkfifo(path, 0o644)); err != nil {
		t.Fatal(err)
	}
	writer, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	root := FS(strings.TrimSuffix(dir, "/bus/auxiliary/devices/mlx5_core.sf.2"))
	began := time.Now()
	sf, err := root.SFNumber("mlx5_core.sf.2")
	if sf != nil || !errors.Is(err, fs.ErrInvalid) || !strings.Contains(err.Error(), "sfnum: no regular file but prw-r--r--") {
		t.Errorf("sf = %v, error %v", sf, err)
	}
	if took := time.Since(began); took >= patience {
		t.Errorf("waited %v", took)
	}
}

func TestFileThatHasNothingToReadIsNotWaitedFor(t *testing.T) {
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	defer writer.Close()
	if line, err := readOnce(reader); line != "" || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("line %q, error %v", line, err)
	}
	if _, err := writer.WriteString(" 88\n"); err != nil {
		t.Fatal(err)
	}
	if line, err := readOnce(reader); line != "88" || err != nil {
		t.Errorf("line %q, error %v", line, err)
	}
}
