package e2e

import (
	"bytes"
	"context"
	"flag"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dpu-exporter/dpu-exporter/test/need"
	"github.com/dpu-exporter/dpu-exporter/test/program"
	"github.com/dpu-exporter/dpu-exporter/test/worlds"
)

// picture is the README's illustration of the page: what -update last saw.
const picture = "../../docs/landing-page.png"

var update = flag.Bool("update", false, "write the picture of the landing page anew")

// TestLandingPageInBrowser: a real Chromium shows what this node has, what is
// off, and how each collector does.
func TestLandingPageInBrowser(t *testing.T) {
	chromium := need.Tool(t, "chromium")
	worlds.Enter(t)
	worlds.SetUp(t, "lo")
	worlds.AddVeths(t, 2)
	url := "http://" + program.StartSeeingNamespace(t, program.Build(t), "serve", "--web.listen-address=127.0.0.1:0").Address(t)
	browse(t, chromium, "--dump-dom", url+"/metrics") // or no collector has run yet

	page := string(browse(t, chromium, "--dump-dom", url))
	for _, text := range []string{"5 other links", "<h2>What is off, and why</h2>", "<dt>interface</dt>", "rtnl_stats: 5 devices ok", `href="./metrics"`} {
		if !strings.Contains(page, text) {
			t.Errorf("the page lacks %q:\n%s", text, page)
		}
	}

	shot := filepath.Join(t.TempDir(), "page.png")
	browse(t, chromium, "--screenshot="+shot, "--window-size=900,900", url)
	checkPicture(t, shot)
	if *update {
		copyFile(t, shot, picture)
	}
	checkPicture(t, picture)
}

// browse runs Chromium without a window and returns what it prints.
func browse(t *testing.T, chromium string, args ...string) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, chromium, append([]string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--hide-scrollbars", "--user-data-dir=" + t.TempDir(),
	}, args...)...)
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		t.Fatalf("chromium: %v\n%s", err, said.Bytes())
	}
	return out
}

// checkPicture fails unless the file is a picture of a page: of its size, and
// with text on it.
func checkPicture(t *testing.T, file string) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	shown, err := png.Decode(f)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if size := shown.Bounds().Size(); size != (image.Point{X: 900, Y: 900}) {
		t.Errorf("%s is %v in size", file, size)
	}
	if n := distinctColours(shown); n < 16 {
		t.Errorf("%s has %d colours: nothing is on it", file, n)
	}
}

func distinctColours(i image.Image) int {
	seen := map[any]bool{}
	for y := range i.Bounds().Dy() {
		for x := range i.Bounds().Dx() {
			seen[i.At(x, y)] = true
		}
	}
	return len(seen)
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, content, 0o644); err != nil {
		t.Fatal(err)
	}
}
