package monitoring

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/test/need"
)

func TestPromtoolAcceptsConfiguration(t *testing.T) {
	promtool(t, "check", "config", prometheusFolder+"/prometheus.yml")
}

// TestConfigurationServesTheRules: the example scrapes the program's port under
// the job that the rules select, and finds all of them.
func TestConfigurationServesTheRules(t *testing.T) {
	var example struct {
		RuleFiles []string `yaml:"rule_files"`
		Alerting  struct{ Alertmanagers []any }
		Scrapes   []struct {
			Job    string                       `yaml:"job_name"`
			Static []struct{ Targets []string } `yaml:"static_configs"`
		} `yaml:"scrape_configs"`
	}
	readYAML(t, prometheusFolder+"/prometheus.yml", &example)
	if len(example.RuleFiles) != 1 || len(example.Scrapes) != 1 || len(example.Alerting.Alertmanagers) != 1 {
		t.Fatalf("want one pattern of rules, one job and one Alertmanager: %+v", example)
	}
	if have, want := matches(t, prometheusFolder+"/"+example.RuleFiles[0]), matches(t, shippedRules); !slices.Equal(have, want) {
		t.Errorf("loads %v, not %v", have, want)
	}
	job := example.Scrapes[0]
	for _, target := range job.Static[0].Targets {
		if !strings.HasSuffix(target, ":10042") {
			t.Errorf("target %s is not the port that the program serves", target)
		}
	}
	selected := 0
	for _, r := range shippedSuite(t).rules {
		for _, m := range selectsJob.FindAllStringSubmatch(r.Expr, -1) {
			if selected++; m[1] != job.Job {
				t.Errorf("%s selects the job %q, not %q", r.Alert, m[1], job.Job)
			}
		}
	}
	if selected == 0 {
		t.Error("no rule selects the job")
	}
}

// selectsJob is a matcher such as job="dpu".
var selectsJob = regexp.MustCompile(`\bjob="([^"]*)"`)

// option is a line of the configuration that is an option to uncomment: "#" and
// no blank after it, or blanks that indent it below such a line.
var option = regexp.MustCompile(`(?m)^( *)#((?:  )*[a-z-])`) // "    #file_sd_configs:", "    #  - files: [targets/*.yml]"

// TestPromtoolAcceptsOptions: what the configuration offers to uncomment is
// right too.
func TestPromtoolAcceptsOptions(t *testing.T) {
	text, err := os.ReadFile(prometheusFolder + "/prometheus.yml")
	if err != nil {
		t.Fatal(err)
	}
	if n := len(option.FindAll(text, -1)); n < 10 {
		t.Fatalf("only %d lines to uncomment", n)
	}
	files := map[string]string{
		"prometheus.yml": option.ReplaceAllString(string(text), "$1$2"),
		"tls/ca.crt":     "", "tls/prometheus.crt": "", "tls/prometheus.key": "", "tls/password": "",
		"targets/nodes.yml": "- targets: [worker2:10042]\n",
		"rules/none.yml":    "groups: []\n",
	}
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	promtool(t, "check", "config", dir+"/prometheus.yml")
}

func TestPromtoolAcceptsRules(t *testing.T) {
	for _, path := range matches(t, shippedRules) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			promtool(t, "check", "rules", "--lint=all", "--lint-fatal", path)
		})
	}
}

// TestRulesFireAndStaySilent runs what says when each alert fires.
func TestRulesFireAndStaySilent(t *testing.T) {
	for _, path := range matches(t, prometheusFolder+"/tests/*.yml") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			promtool(t, "test", "rules", path)
		})
	}
}

func promtool(t *testing.T, args ...string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), need.Tool(t, "promtool"), args...)
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("promtool %q: %v\n%s", args, err, out)
	}
}
