package host

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestReadCPU(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want CPU
	}{
		"x86":            {"processor\t: 0\nmodel name\t: Some Xeon\n\nprocessor\t: 1\nmodel name\t: Some Xeon\n", CPU{"Some Xeon", 2}},
		"BlueField-3":    {"processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd42\n", CPU{"Cortex-A78AE", 1}},
		"another Arm":    {"processor\t: 0\nCPU implementer\t: 0x4e\nCPU part\t: 0x004\n", CPU{"implementer 0x4e part 0x004", 1}},
		"says no model":  {"processor : 0\n", CPU{"", 1}},
		"nothing at all": {"", CPU{}},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "cpuinfo"), []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if have, err := ReadCPU(dir); have != test.want || err != nil {
			t.Errorf("%s: %+v, %v", name, have, err)
		}
	}
	if _, err := ReadCPU(t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}
