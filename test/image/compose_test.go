package image

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// service is all that a service of deploy/container may say. What is not here,
// such as privileged, pid, ports and volumes, is refused. The words are those of
// the Compose specification.
type service struct {
	Image       string
	Restart     string
	NetworkMode string `yaml:"network_mode"`
	ReadOnly    bool   `yaml:"read_only"`
	User        string
	CapDrop     []string `yaml:"cap_drop"`
	CapAdd      []string `yaml:"cap_add"`
	SecurityOpt []string `yaml:"security_opt"`
}

// counters is the form without privilege, for what the kernel counts.
var counters = service{
	Image:       "${IMAGE:?the image to run, such as make image built or your registry has}",
	Restart:     "unless-stopped",
	NetworkMode: "host",
	ReadOnly:    true,
	CapDrop:     []string{"ALL"},
	SecurityOpt: []string{"no-new-privileges:true"},
}

// probes is counters with what probes need.
func probes() service {
	s := counters
	s.User = "0:0"
	s.CapAdd = []string{"NET_ADMIN", "NET_RAW", "SYS_ADMIN", "IPC_LOCK"}
	return s
}

// options are the service in the words of podman-run(1).
func (s service) options() []string {
	options := []string{"--network=" + s.NetworkMode, fmt.Sprintf("--read-only=%v", s.ReadOnly)}
	if s.User != "" {
		options = append(options, "--user="+s.User)
	}
	for option, values := range map[string][]string{"--cap-drop=": s.CapDrop, "--cap-add=": s.CapAdd, "--security-opt=": s.SecurityOpt} {
		for _, value := range values {
			options = append(options, option+value)
		}
	}
	return options
}

// compose reads the service from Compose files, of which each adds to those
// before it.
func compose(files ...[]byte) (service, error) {
	var project struct {
		Services struct {
			Exporter service `yaml:"dpu-exporter"`
		}
	}
	for _, file := range files {
		decoder := yaml.NewDecoder(bytes.NewReader(file))
		decoder.KnownFields(true)
		if err := decoder.Decode(&project); err != nil {
			return service{}, err
		}
	}
	return project.Services.Exporter, nil
}

// shipped is a file of deploy/container.
func shipped(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "deploy/container", file))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestComposeFindsFaults: what would take the exporter off the host's network or
// give it more than it needs is seen.
func TestComposeFindsFaults(t *testing.T) {
	for _, fault := range []string{
		"privileged: true",
		"pid: host",
		"ports: ['10042:10042']", // and a network of its own
		"volumes: ['/sys:/host/sys:ro']",
		"network_mode: bridge",
		"read_only: false",
		"cap_drop: [NET_RAW]",
		"cap_add: [ALL]",
		"user: root",
		"security_opt: ['seccomp=unconfined']",
	} {
		overlay := "services: {dpu-exporter: {" + fault + "}}"
		s, err := compose(shipped(t, "compose.yaml"), []byte(overlay))
		if err == nil && cmp.Equal(s, counters) {
			t.Errorf("%s: not seen", fault)
		}
	}
	if _, err := compose([]byte("services: {another: {network_mode: bridge}}")); err == nil {
		t.Error("another service: not seen")
	}
}

// TestComposeIsAsTested: the files say what the tests beside this one run.
func TestComposeIsAsTested(t *testing.T) {
	read := [][]byte{shipped(t, "compose.yaml")}
	if s, err := compose(read...); err != nil || !cmp.Equal(s, counters) {
		t.Errorf("compose.yaml: %v\n%s", err, cmp.Diff(counters, s))
	}
	read = append(read, shipped(t, "compose.probes.yaml"))
	if s, err := compose(read...); err != nil || !cmp.Equal(s, probes()) {
		t.Errorf("compose.probes.yaml: %v\n%s", err, cmp.Diff(probes(), s))
	}
}

// TestDocsRunWhatIsTested: the commands of docs/operating.md have the options of
// the Compose files.
func TestDocsRunWhatIsTested(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs/operating.md"))
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, command := range strings.Split(string(text), "    podman run ")[1:] {
		command, _, _ = strings.Cut(strings.ReplaceAll(command, "\\\n", " "), "\n")
		found = append(found, command)
	}
	if len(found) != 2 {
		t.Fatalf("%d commands, want 2: %q", len(found), found)
	}
	for i, form := range []service{counters, probes()} {
		for _, option := range form.options() {
			option = strings.TrimSuffix(option, "=true")
			if !strings.Contains(found[i], option) {
				t.Errorf("no %s in podman run %s", option, found[i])
			}
		}
	}
}
