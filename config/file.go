package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// maxFileSize bounds the memory that parsing takes, about 100 times the file.
// It is what a Kubernetes ConfigMap can hold.
const maxFileSize = 1 << 20

// readTimeout ends the reading of a file that waits for somebody to write it,
// as /proc/kmsg does.
const readTimeout = time.Second

// readFile returns the bytes of a regular file. The null device reads as empty,
// so that --config.file=/dev/null works. Pipes, and so the shell's <(...), are
// refused: a reload could not read them a second time.
func readFile(path string) ([]byte, error) {
	// O_NONBLOCK: opening a named pipe must not wait for a writer.
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, withoutPath(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, withoutPath(err)
	}
	switch {
	case isNull(info):
		return nil, nil
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("this is a %s; a configuration is a regular file", kindOf(info.Mode()))
	}
	_ = f.SetReadDeadline(time.Now().Add(readTimeout)) // plain files know none and never wait
	data, err := io.ReadAll(io.LimitReader(f, maxFileSize+1))
	if err != nil {
		return nil, withoutPath(err)
	}
	if len(data) > maxFileSize {
		return nil, fmt.Errorf("the file is larger than %d MiB", maxFileSize>>20)
	}
	return data, nil
}

// withoutPath leaves out the path, which a Fault has already.
func withoutPath(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

func isNull(info fs.FileInfo) bool {
	null, err := os.Stat(os.DevNull)
	return err == nil && os.SameFile(info, null)
}

func kindOf(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "directory"
	case m&fs.ModeNamedPipe != 0:
		return "pipe"
	case m&fs.ModeDevice != 0:
		return "device"
	}
	return "special file"
}

// checkText returns the fault of the first bytes that no YAML file may have:
// what is not UTF-8 and control characters (YAML 1.2.2, section 5.1). The parser
// would find them too, but not say where.
func checkText(data []byte) (line int, err error) {
	line = 1
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		switch {
		case r == utf8.RuneError && size == 1:
			return line, fmt.Errorf("byte %#02x is not UTF-8", data[0])
		case r == '\n':
			line++
		case isControl(r):
			return line, fmt.Errorf("control character %U", r)
		}
		data = data[size:]
	}
	return 0, nil
}

func isControl(r rune) bool {
	switch r {
	case '\t', '\r', 0x85:
		return false
	}
	return r < 0x20 || 0x7f <= r && r < 0xa0 || r == 0xfffe || r == 0xffff
}
