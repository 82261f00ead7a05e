package house

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// maxBinary is the size that a stripped binary stays under.
const maxBinary = 20_000_000

func TestBinaryIsStaticAndSmall(t *testing.T) {
	for arch, machine := range map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64} {
		t.Run(arch, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "dpu-exporter")
			build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", path, module+"cmd/dpu-exporter")
			build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch)
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("build: %v\n%s", err, out)
			}
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d bytes", info.Size())
			if info.Size() >= maxBinary {
				t.Errorf("binary has %d bytes, not under %d", info.Size(), maxBinary)
			}
			checkStatic(t, path, machine)
		})
	}
}

func checkStatic(t *testing.T, path string, machine elf.Machine) {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.Machine != machine {
		t.Errorf("binary is for %v, not %v", f.Machine, machine)
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			t.Error("binary asks for a dynamic loader")
		}
	}
}
