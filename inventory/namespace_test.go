package inventory

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/internal/outcome"
	"github.com/dpu-exporter/dpu-exporter/test/worlds"
	"golang.org/x/sys/unix"
)

// procfs makes a tree with the namespace links of process 1.
func procfs(t *testing.T, pid, net string) string {
	t.Helper()
	root := t.TempDir()
	dir := filepath.Join(root, "1/ns")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"pid": pid, "net": net} {
		if target == "" {
			continue
		}
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestCompareNamespace(t *testing.T) {
	for _, c := range []struct {
		name     string
		pid, net string
		own      uint64
		want     Host
		why      string
	}{
		{"same as the first process", "pid:[4026531836]", "net:[4026531840]", 4026531840, IsHost, ""},
		{"another than the first process", "pid:[4026531836]", "net:[4026531840]", 4026532300, NotHost, ""},
		{"another than on Linux 6.18", "pid:[4026531836]", "net:[4026531833]", 4026532300, NotHost, ""},
		{"the fixed number of Linux 6.18", "", "", 4026531833, IsHost, ""},
		{"process 1 of a container", "pid:[4026532301]", "net:[4026532300]", 4026532300, MaybeHost, "container"},
		{"no procfs", "", "", 4026532300, MaybeHost, "no such file"},
		{"no network link", "pid:[4026531836]", "", 4026532300, MaybeHost, "1/ns/net: no such file"},
		{"nonsense", "pid", "net", 4026532300, MaybeHost, "1/ns/pid"},
		{"number too large", "pid:[99999999999999999999]", "net", 1, MaybeHost, "out of range"},
	} {
		host, err := compareNamespace(procfs(t, c.pid, c.net), c.own, false)
		if host != c.want || (c.why == "") != (err == nil) || !strings.Contains(fmt.Sprint(err), c.why) {
			t.Errorf("%s: %v, %v", c.name, host, err)
		}
	}
}

func TestFixedNumberDecides(t *testing.T) {
	for release, want := range map[string]bool{
		"6.18.44-amd64": true, "6.18": true, "7.3.4": true, "6.17.9": false, "5.10.0-28-arm64": false, "": false, "custom": false,
	} {
		if have := numbersFirstNamespace(release); have != want {
			t.Errorf("numbersFirstNamespace(%q) = %v", release, have)
		}
	}
	// A container with process 1 of its own would look like the host otherwise.
	root := procfs(t, "pid:[4026532301]", "net:[4026532300]")
	if host, err := compareNamespace(root, 4026532300, true); host != NotHost || err != nil {
		t.Errorf("in a container of Linux 6.18: %v, %v", host, err)
	}
}

func TestCurrentNamespace(t *testing.T) {
	first := currentNamespace("/proc")
	if first.Inode == 0 {
		t.Fatalf("%+v", first)
	}
	worlds.Enter(t)
	root := procfs(t, "pid:[4026531836]", "net:[4026531833]")
	second := currentNamespace(root)
	if second.Inode == first.Inode || second.Host != NotHost {
		t.Errorf("in a namespace of its own: %+v, outside %d", second, first.Inode)
	}
	if second.Why != "" || second.err != nil {
		t.Errorf("that can be told, not: %q, %v", second.Why, second.err)
	}
}

func TestNamespaceNotes(t *testing.T) {
	_, container := compareNamespace(procfs(t, "pid:[4026532301]", "net:[4026532300]"), 4026532300, false)
	_, nonsense := compareNamespace(procfs(t, "pid", ""), 4026532300, false)
	const unsure = "cannot tell whether these are the host's interfaces: "
	for _, c := range []struct {
		namespace Namespace
		want      string // "" for no note
		outcome   outcome.Outcome
	}{
		{Namespace{Host: IsHost}, "", 0},
		{Namespace{Host: MaybeHost}, "", 0}, // not looked at
		{Namespace{Host: NotHost}, "run with host networking", outcome.OK},
		{Namespace{Host: MaybeHost, err: unix.EACCES}, unsure + "permission denied", outcome.NotPermitted},
		{Namespace{Host: MaybeHost, err: fs.ErrNotExist}, unsure + "file does not exist", outcome.Unsupported},
		{Namespace{Host: MaybeHost, err: container}, "1 is a container's first process", outcome.Unsupported},
		{Namespace{Host: MaybeHost, err: nonsense}, unsure + "namespace link", outcome.Unsupported},
	} {
		n := c.namespace.note()
		if c.want == "" {
			if n != nil {
				t.Errorf("%+v: note %+v", c.namespace, n)
			}
			continue
		}
		if n == nil || n.Source != "netns" || n.Outcome != c.outcome || !strings.Contains(n.Text, c.want) {
			t.Errorf("%+v: note %+v", c.namespace, n)
		}
	}
}
