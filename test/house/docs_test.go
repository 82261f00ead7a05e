package house

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

func TestMetricsDocumentIsInStep(t *testing.T) {
	want, err := exec.Command("go", "run", module+"cmd/dpu-exporter", "metrics", "--describe=markdown").Output()
	if err != nil {
		t.Fatalf("describe: %v", err)
	}
	have, err := os.ReadFile(root + "/docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, want) {
		t.Error("docs/metrics.md is out of date: run make docs")
	}
}

// link is a relative link of Markdown: [docs/metrics.md](docs/metrics.md).
var link = regexp.MustCompile(`\]\(([^):#]+)\)`)

func TestLinksLeadSomewhere(t *testing.T) {
	documents, err := filepath.Glob(root + "/*.md")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob(root + "/docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	links := 0
	for _, document := range append(documents, more...) {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			links++
			if _, err := os.Stat(filepath.Join(filepath.Dir(document), m[1])); err != nil {
				t.Errorf("%s: %v", document, err)
			}
		}
	}
	if links < 3 {
		t.Errorf("only %d links found", links)
	}
}
