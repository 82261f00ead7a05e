package guest

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dpu-exporter/dpu-exporter/test/need"
)

// The command comes through the shell as it is.
func TestScript(t *testing.T) {
	folder := t.TempDir()
	hostile := []string{"it's", "$HOME `id`", "a\nb", `\`, "", "*"}
	r := Run{
		Command: append([]string{"sh", "-c", `pwd; printf '%s|' "$LAB_QUOTE" "$@"`, "-"}, hostile...),
		Folder:  folder, Env: []string{"LAB_QUOTE=it's"},
	}
	out, err := exec.Command("bash", "-c", r.script()).Output()
	if want := folder + "\nit's|" + strings.Join(hostile, "|") + "|"; err != nil || string(out) != want {
		t.Errorf("got %q, want %q; error %v", out, want, err)
	}
}

func TestPrepare(t *testing.T) {
	program := filepath.Join(t.TempDir(), "lab.test")
	if err := os.WriteFile(program, []byte("binary"), 0o755); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	r := Run{Command: []string{"lab.test"}, Shares: []string{"/one", "/with blank"}, Programs: []string{program}, Modules: []Module{{Name: "toy.ko", Text: []byte("code")}}}
	if err := r.prepare(folder, kernel{}.shares(r)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"shares": "share0 /one\nshare1 /with blank\n", "command": "#!/bin/bash\nexec 'lab.test'\n", "programs/lab.test": "binary", "modules/toy.ko": "code",
	} {
		if text, err := os.ReadFile(filepath.Join(folder, name)); err != nil || string(text) != want {
			t.Errorf("%s: %q, error %v; want %q", name, text, err, want)
		}
	}
	r.Programs = []string{"/no/such/program"}
	if err := r.prepare(t.TempDir(), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a program that is not there: %v", err)
	}
}

func TestCmdline(t *testing.T) {
	g := &Guest{stored: &stored{folder: "/guest"}}
	for words, want := range map[string]string{"": "no_timer_check", "slab_debug=FZPU quiet": "no_timer_check slab_debug=FZPU quiet"} {
		args := g.machine("/run", Run{Cmdline: words}, emulation)
		if got := args[slices.Index(args, "-append")+1]; !strings.HasSuffix(got, want) {
			t.Errorf("%q: the command line is %q", words, got)
		}
	}
}

func TestShareWithComma(t *testing.T) {
	if got, want := shared("/a,b", "share0", ",readonly=on"), "local,path=/a,,b,mount_tag=share0,security_model=none,multidevs=remap,readonly=on"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// built is the guest of this machine's cache.
func built(t *testing.T) *Guest {
	t.Helper()
	need.Long(t)
	c, err := DefaultCache()
	if err != nil {
		t.Fatal(err)
	}
	g := c.guests().standing()
	need.That(t, g != nil, "needs the guest of the lab: make lab")
	t.Cleanup(func() { g.Close() })
	return &Guest{stored: g}
}

func TestStatusAndOutput(t *testing.T) {
	g := built(t)
	var out bytes.Buffer
	r := Run{Command: []string{"sh", "-c", `printf 'a\n\000\003\r\377'; exit 7`}, Output: &out, Limit: time.Minute}
	status, err := g.Run(t.Context(), r, t.Output())
	if err != nil || status != 7 || out.String() != "a\n\x00\x03\r\xff" {
		t.Errorf("status %d, output %q, error %v", status, out.String(), err)
	}
}

func TestLimit(t *testing.T) {
	g := built(t)
	_, err := g.Run(t.Context(), Run{Command: []string{"sleep", "1000"}, Limit: time.Second}, t.Output())
	if err == nil || !strings.Contains(err.Error(), "did not end within 1s") {
		t.Errorf("error %v", err)
	}
}

func TestPanicShowsTheConsole(t *testing.T) {
	g := built(t)
	r := Run{Command: []string{"sh", "-c", "echo 1 >/proc/sys/kernel/sysrq; echo c >/proc/sysrq-trigger"}, Limit: time.Minute}
	_, err := g.Run(t.Context(), r, t.Output())
	if err == nil || !strings.Contains(err.Error(), "gave no result") || !strings.Contains(err.Error(), "sysrq") {
		t.Errorf("error %v", err)
	}
}

// What happens before the command begins is tried once more, and told.
func TestGuestThatDoesNotBoot(t *testing.T) {
	g := built(t)
	broken := &Guest{stored: &stored{folder: t.TempDir()}} // without a kernel
	if err := os.Symlink(g.path("root"), broken.path("root")); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	_, err := broken.Run(t.Context(), Run{Command: []string{"true"}, Limit: time.Minute}, &log)
	if !errors.Is(err, errNotStarted) || !strings.Contains(err.Error(), "vmlinux") || strings.Count(log.String(), "lab: once more\n") != 1 {
		t.Errorf("error %v, log %s", err, &log)
	}
}

// A guest that hangs is ended, and its console shown.
func TestInterrupt(t *testing.T) {
	g := built(t)
	ctx, cancel := context.WithCancel(t.Context())
	r := Run{
		Command: []string{"sh", "-c", "echo the last words >/dev/ttyS0; echo ready; sleep 1000"},
		Output:  writerFunc(func([]byte) { cancel() }), Limit: time.Minute,
	}
	_, err := g.Run(ctx, r, t.Output())
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "the last words") {
		t.Errorf("error %v", err)
	}
}

type writerFunc func([]byte)

// Write calls the function.
func (f writerFunc) Write(b []byte) (int, error) { f(b); return len(b), nil }
