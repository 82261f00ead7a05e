// Package house tests the rules of the house: what may import what, how large
// a file may be, and that generated documents are in step.
package house

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/dpu-exporter/dpu-exporter/"

// mayImport are the rooms of this module that each room may import beside
// itself. The longest prefix of a package's path decides. cmd may import
// everything. Of test/ alone it holds for the tests too, with those of the lab:
// they drive the program from outside, and read of it only what reads the machine.
var mayImport = map[string][]string{
	"metric":    {},
	"internal/": {"internal/"},
	"inventory": {"internal/"},
	"collector": {"inventory", "internal/", "metric"},
	"config":    {},
	"web":       {},
	"test/":     {"test/", "internal/"},
	"test/lab":  {"test/", "internal/", "inventory"},
	"cmd/":      {""},
}

// onlyIn are imports that one room alone may have (and cmd where it says so).
var onlyIn = []struct {
	path  string
	rooms []string
}{
	{"github.com/prometheus/client_golang", []string{"metric", "cmd/"}},
	{"os/exec", []string{"internal/run"}},
	{"github.com/vishvananda/netns", []string{"internal/socket"}},
	{"unsafe", []string{"internal/"}},
	{"syscall", []string{"internal/", "cmd/", "inventory"}},
	{"golang.org/x/sys/unix", []string{"internal/", "inventory", "config", "cmd/"}},
}

type goPackage struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

func TestImportsPointOneWay(t *testing.T) {
	for _, p := range packages(t) {
		room, own := strings.CutPrefix(p.ImportPath, module)
		if !own {
			t.Fatalf("package outside the module: %s", p.ImportPath)
		}
		allowed, rule := rulesOf(room)
		if rule == "" {
			t.Errorf("%s: no rule for this room; add one to mayImport", room)
			continue
		}
		imports := p.Imports
		if strings.HasPrefix(room, "test/") {
			imports = slices.Concat(imports, p.TestImports, p.XTestImports)
		}
		for _, imported := range imports {
			if other, own := strings.CutPrefix(imported, module); own && !hasPrefix(other, allowed) && !strings.HasPrefix(other, rule) {
				t.Errorf("%s imports %s; it may import %q", room, other, allowed)
			}
			for _, only := range onlyIn {
				if strings.HasPrefix(imported+"/", only.path+"/") && !hasPrefix(room, only.rooms) && !strings.HasPrefix(room, "test/") {
					t.Errorf("%s imports %s; only %q may", room, imported, only.rooms)
				}
			}
		}
	}
}

func rulesOf(room string) (allowed []string, rule string) {
	for prefix, rooms := range mayImport {
		if strings.HasPrefix(room+"/", strings.TrimSuffix(prefix, "/")+"/") && len(prefix) > len(rule) {
			allowed, rule = rooms, prefix
		}
	}
	return allowed, rule
}

func hasPrefix(s string, prefixes []string) bool {
	for _, p := range prefixes {
		if s == p || strings.HasPrefix(s, p) && (p == "" || strings.HasSuffix(p, "/")) {
			return true
		}
	}
	return false
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-tags=lab", "-json=ImportPath,Imports,TestImports,XTestImports", module+"...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []goPackage
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("go list: %v", err)
		}
		all = append(all, p)
	}
	if len(all) < 5 {
		t.Fatalf("go list found only %d packages", len(all))
	}
	return all
}
