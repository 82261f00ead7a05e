package image

import (
	"archive/tar"
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/test/need"
)

// machines are the platforms of the image and what their binaries are for.
var machines = map[platform]elf.Machine{
	{"linux", "amd64"}: elf.EM_X86_64,
	{"linux", "arm64"}: elf.EM_AARCH64,
}

// ordinary is a numeric user and group other than root: 65532:65532.
var ordinary = regexp.MustCompile(`^[1-9][0-9]*:[1-9][0-9]*$`)

// TestEngineIsMissing: make image says what to install.
func TestEngineIsMissing(t *testing.T) {
	out, err := exec.Command(need.Tool(t, "make"), "-C", root, "image", "ENGINE=no-such-engine").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "no no-such-engine here: apt-get install podman") {
		t.Errorf("make image: %v\n%s", err, out)
	}
}

// TestShippedImage makes the image once for all that is done with it.
func TestShippedImage(t *testing.T) {
	useOwnStore(t)
	images := openImages(t, makeImage(t, "podman"))
	with := func(test func(*testing.T, []contents)) func(*testing.T) {
		return func(t *testing.T) { test(t, images) }
	}
	t.Run("wrong binary is found", with(testWrongBinaryIsFound))
	t.Run("containers", testContainers)
	t.Run("added capabilities need root", with(testAddedCapabilitiesNeedRoot))
	t.Run("arm64 binary runs", with(testArm64BinaryRuns))
}

// testWrongBinaryIsFound: the checks below see an arm64 image that holds the
// binary of amd64, and a list that mixes up its images.
func testWrongBinaryIsFound(t *testing.T, right []contents) {
	tree := t.TempDir()
	for _, arch := range []string{"amd64", "arm64"} {
		path := filepath.Join(tree, "bin/linux-"+arch, "dpu-exporter")
		install(t, binary(t, right, "amd64"), path)
		if err := os.Chmod(path, 0o700); err != nil { // as under a strict umask: no fault of the image's
			t.Fatal(err)
		}
	}
	archive := filepath.Join(tree, "wrong.tar")
	output(t, "podman", "build", "--layers=false", "--platform=linux/amd64,linux/arm64", "--manifest=wrong:test",
		"--file="+root+"/Dockerfile", "--ignorefile="+root+"/.dockerignore", tree)
	output(t, "podman", "manifest", "push", "--all", "wrong:test", "oci-archive:"+archive)
	if err := check(openImages(t, archive)); err == nil || err.Error() != "linux/arm64: the binary is for EM_X86_64" {
		t.Errorf("found %v, want the wrong machine alone", err)
	}

	mixed := slices.Clone(right)
	mixed[0].Listed, mixed[1].Listed = mixed[1].Listed, mixed[0].Listed
	wantFault(t, check(mixed), "listed as linux/")
	wantFault(t, check(right[:1]), "images of 1 platform")
}

func wantFault(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("found %v, want %q", err, text)
	}
}

// TestImage: either engine makes the same image.
func TestImage(t *testing.T) {
	for _, engine := range []string{"podman", "buildah"} {
		t.Run(engine, func(t *testing.T) {
			useOwnStore(t)
			makeImage(t, engine)
			images := openImages(t, makeImage(t, engine)) // again: the list does not grow
			if err := check(images); err != nil {
				t.Error(err)
			}
			path := filepath.Join(t.TempDir(), "dpu-exporter")
			install(t, binary(t, images, runtime.GOARCH), path)
			said := output(t, path, "--version")
			for _, label := range []string{"version", "revision"} {
				value := images[0].Config.Labels["org.opencontainers.image."+label]
				if value == "" || !strings.Contains(said, value) {
					t.Errorf("the image's %s is %q; its binary says\n%s", label, value, said)
				}
			}
		})
	}
}

// check tells all that is wrong with the images of a list.
func check(images []contents) error {
	var faults []error
	seen := map[platform]bool{}
	for _, image := range images {
		seen[image.platform] = true
		for _, fault := range image.faults() {
			faults = append(faults, fmt.Errorf("%s/%s: %s", image.OS, image.Architecture, fault))
		}
	}
	if len(images) != len(machines) || len(seen) != len(machines) {
		faults = append(faults, fmt.Errorf("%d images of %d platforms, want one of each of %v", len(images), len(seen), machines))
	}
	return errors.Join(faults...)
}

// faults tells what is wrong with one image.
func (c *contents) faults() (faults []string) {
	fault := func(wrong bool, format string, args ...any) {
		if wrong {
			faults = append(faults, fmt.Sprintf(format, args...))
		}
	}
	fault(c.Listed != c.platform, "listed as %s/%s", c.Listed.OS, c.Listed.Architecture)
	fault(!ordinary.MatchString(c.Config.User), "runs as %q", c.Config.User)
	fault(!slices.Equal(c.Config.Entrypoint, []string{"/dpu-exporter"}) || len(c.Config.Cmd) > 0, "runs %q %q", c.Config.Entrypoint, c.Config.Cmd)
	_, exposed := c.Config.ExposedPorts["10042/tcp"]
	fault(!exposed || len(c.Config.ExposedPorts) != 1, "exposes %v", c.Config.ExposedPorts)
	fault(len(c.Config.Volumes) > 0, "has volumes %v", c.Config.Volumes)
	for _, label := range []string{"title", "description", "version", "revision", "licenses", "source"} {
		fault(c.Config.Labels["org.opencontainers.image."+label] == "", "no label %s", label)
	}
	if len(c.files) != 1 {
		return append(faults, fmt.Sprintf("%d files, want the binary alone", len(c.files)))
	}
	only := c.files[0]
	mode := only.FileInfo().Mode()
	fault(only.Name != "dpu-exporter" || mode != 0o755 || only.Uid != 0 || only.Gid != 0, "holds %s, %v, of %d:%d", only.Name, mode, only.Uid, only.Gid)
	fault(only.Typeflag != tar.TypeReg || len(only.PAXRecords) > 0, "holds an entry of type %c with %v", only.Typeflag, only.PAXRecords)
	f, err := elf.NewFile(bytes.NewReader(only.body))
	if err != nil {
		return append(faults, err.Error())
	}
	fault(f.OSABI != elf.ELFOSABI_NONE && f.OSABI != elf.ELFOSABI_LINUX, "the binary is for %v", f.OSABI)
	fault(f.Machine != machines[c.platform], "the binary is for %v", f.Machine)
	dynamic := func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }
	fault(slices.ContainsFunc(f.Progs, dynamic), "the binary asks for a dynamic loader")
	return faults
}

// binary is the only file of the image of an architecture.
func binary(t *testing.T, images []contents, architecture string) []byte {
	t.Helper()
	for _, image := range images {
		if image.Architecture == architecture && len(image.files) == 1 {
			return image.files[0].body
		}
	}
	t.Fatalf("no image of %s with one file", architecture)
	return nil
}
