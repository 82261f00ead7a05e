package systemd

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/test/program"
)

// setting is a line that sets the variable, or would without its #.
var setting = regexp.MustCompile(`(?m)^#?DPU_EXPORTER_OPTIONS="(.*)"$`) // #DPU_EXPORTER_OPTIONS="--interface.fields=all"

// TestOptionsOfTheEnvironmentFile: check finds nothing wrong with any option that
// the file shows.
func TestOptionsOfTheEnvironmentFile(t *testing.T) {
	path, etc := program.Build(t), t.TempDir()
	write(t, filepath.Join(etc, "web.yml"), "")
	write(t, filepath.Join(etc, "node.yml"), "")
	text := read(t, environment)
	examples := setting.FindAllStringSubmatch(text, -1)
	if len(examples) < 5 || strings.Count(text, "DPU_EXPORTER_OPTIONS=") != len(examples) {
		t.Fatalf("%d examples found in:\n%s", len(examples), text)
	}
	for _, example := range examples {
		options := strings.Fields(strings.ReplaceAll(example[1], "/etc/dpu-exporter", etc))
		if out, err := exec.Command(path, append([]string{"check"}, options...)...).CombinedOutput(); err != nil {
			t.Errorf("check %s: %v\n%s", example[1], err, out)
		}
	}
	if last := examples[len(examples)-1]; last[0] != `DPU_EXPORTER_OPTIONS=""` {
		t.Errorf("as installed it sets %s", last[0])
	}
	for _, option := range regexp.MustCompile(`--[a-z][a-z.-]+`).FindAllString(text, -1) {
		if help, err := exec.Command(path, "--help").CombinedOutput(); err != nil || !strings.Contains(string(help), option) && !strings.Contains(string(help), "--[no-]"+option[2:]) {
			t.Errorf("%s is no option: %v", option, err)
		}
	}
}
