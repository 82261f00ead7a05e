package house

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func isC(path string) bool {
	return slices.Contains([]string{".c", ".h"}, filepath.Ext(path))
}

// TestOtherFilesAreSmall: C and shell, which need not end in .sh.
func TestOtherFilesAreSmall(t *testing.T) {
	canBe := func(path string) bool { return isC(path) || slices.Contains([]string{".sh", ""}, filepath.Ext(path)) }
	files(t, canBe, func(path string, source []byte) {
		if filepath.Ext(path) == "" && !bytes.HasPrefix(source, []byte("#!")) {
			return
		}
		if lines := bytes.Count(source, []byte("\n")); lines > maxFile {
			t.Errorf("%s has %d lines; at most %d: split it by idea", path, lines, maxFile)
		}
	})
}

// softdpu is the folder of the kernel module, and maxModule the lines it stays
// under. It was meant to stay under 3000: what is made shorter lowers this.
const (
	softdpu   = "test/lab/softdpu/"
	maxModule = 4500
)

func TestModuleIsSmallAndLicensed(t *testing.T) {
	total := 0
	files(t, isC, func(path string, source []byte) {
		if !strings.HasPrefix(path, softdpu) {
			return
		}
		total += bytes.Count(source, []byte("\n"))
		first, _, _ := strings.Cut(string(source), "\n")
		if first != "// SPDX-License-Identifier: GPL-2.0" && first != "/* SPDX-License-Identifier: GPL-2.0 */" {
			t.Errorf("%s begins with %q, not with its licence", path, first)
		}
	})
	if total == 0 || total >= maxModule {
		t.Errorf("%s has %d lines of C, not some and under %d", softdpu, total, maxModule)
	}
}
