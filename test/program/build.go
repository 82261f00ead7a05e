package program

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const module = "github.com/dpu-exporter/dpu-exporter"

// Build compiles dpu-exporter as BuildIn does and returns its path, which lasts as
// long as the test.
func Build(t testing.TB) string {
	t.Helper()
	path, err := BuildIn(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// BuildIn compiles dpu-exporter into a folder, as it is shipped: static, stripped,
// and from its own module with the versions that this asks for, whichever module
// the caller is of. It returns the path, or what the compiler said.
func BuildIn(folder string) (string, error) {
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("find %s: %w\n%s", module, err, root)
	}
	path := filepath.Join(folder, "dpu-exporter")
	build := exec.Command("go", "build", "-C", strings.TrimSpace(string(root)), "-trimpath", "-ldflags=-s -w", "-o", path, "./cmd/dpu-exporter")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return path, nil
}
