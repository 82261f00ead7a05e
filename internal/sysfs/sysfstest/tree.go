// Package sysfstest builds small sysfs trees on disk for tests.
package sysfstest

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Load builds the tree that the file describes in a temporary folder and
// returns its root. Every line is one path:
//
//	path = content     a file with that content and a newline
//	path -> target     a symbolic link
//	path /             an empty folder
//	path ! EACCES      a folder that only root can enter (see AsNobody)
//	path ! ELOOP       a link to itself
//	path ! ENXIO       a socket: cannot be opened
//	path ! EINVAL      a file that opens and cannot be read (a link to one)
//	path ! TRIPWIRE    a file that fails the test when anything opens it
//
// Empty lines and lines that begin with # are skipped.
func Load(t testing.TB, file string) string {
	t.Helper()
	source, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	b := builder{t: t, root: t.TempDir(), wires: -1}
	lines := bufio.NewScanner(source)
	for lines.Scan() {
		if line := strings.TrimSpace(lines.Text()); line != "" && line[0] != '#' {
			b.line(line)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	b.openToAll()
	return b.root
}

type builder struct {
	t     testing.TB
	root  string
	wires int // inotify descriptor; -1 before the first tripwire
}

func (b *builder) line(line string) {
	b.t.Helper()
	if folder, ok := strings.CutSuffix(line, " /"); ok {
		b.check(os.MkdirAll(filepath.Join(b.root, folder), 0o755))
		return
	}
	for _, verb := range []string{" -> ", " = ", " ! "} {
		name, value, ok := strings.Cut(line, verb)
		if !ok {
			continue
		}
		path := filepath.Join(b.root, name)
		b.check(os.MkdirAll(filepath.Dir(path), 0o755))
		switch verb {
		case " -> ":
			b.check(os.Symlink(value, path))
		case " = ":
			b.check(os.WriteFile(path, []byte(value+"\n"), 0o644))
		case " ! ":
			b.fault(path, value)
		}
		return
	}
	b.t.Fatalf("no such line in a tree: %q", line)
}

func (b *builder) fault(path, fault string) {
	b.t.Helper()
	switch fault {
	case "EACCES":
		b.check(os.Mkdir(path, 0))
	case "ELOOP":
		b.check(os.Symlink(filepath.Base(path), path))
	case "ENXIO":
		b.check(unix.Mknod(path, unix.S_IFSOCK|0o644, 0))
	case "EINVAL": // nsfs, which anyone may open, has no read
		b.check(os.Symlink("/proc/self/ns/net", path))
	case "TRIPWIRE":
		b.check(os.WriteFile(path, nil, 0o644))
		b.wire(path)
	default:
		b.t.Fatalf("no such fault in a tree: %q", fault)
	}
}

// wire watches a file with inotify(7): the kernel notes every open, also by
// root and also when the reader ignores the error.
func (b *builder) wire(path string) {
	b.t.Helper()
	if b.wires < 0 {
		fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
		b.check(err)
		b.wires = fd
		b.t.Cleanup(b.tripped)
	}
	_, err := unix.InotifyAddWatch(b.wires, path, unix.IN_OPEN)
	b.check(err)
}

func (b *builder) tripped() {
	var events [4096]byte
	if n, err := unix.Read(b.wires, events[:]); err != unix.EAGAIN {
		b.t.Errorf("a tripwire was opened (%d bytes of events, %v)", n, err)
	}
	b.check(unix.Close(b.wires))
}

// openToAll lets AsNobody walk to the root.
func (b *builder) openToAll() {
	b.t.Helper()
	b.check(os.Chmod(b.root, 0o755))
	b.check(os.Chmod(filepath.Dir(b.root), 0o755))
}

func (b *builder) check(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}
