package monitoring

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// decode reads a YAML file of which every field is known.
func decode(t *testing.T, path string, into any) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	d := yaml.NewDecoder(file)
	d.KnownFields(true)
	if err := d.Decode(into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// readYAML reads some of the fields of a YAML file.
func readYAML(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// TestProvisionedDashboards: the provider has the fields of
// https://grafana.com/docs/grafana/latest/administration/provisioning/#dashboards.
func TestProvisionedDashboards(t *testing.T) {
	var file struct {
		APIVersion int `yaml:"apiVersion"`
		Providers  []struct {
			Name, Type, Folder string
			AllowUIUpdates     bool `yaml:"allowUiUpdates"`
			Options            struct{ Path string }
		}
	}
	decode(t, root+"/grafana/provisioning/dashboards/dpu.yml", &file)
	if file.APIVersion != 1 || len(file.Providers) != 1 {
		t.Fatalf("version %d, %d providers; want 1 and 1", file.APIVersion, len(file.Providers))
	}
	if p := file.Providers[0]; p.Name == "" || p.Type != "file" || !filepath.IsAbs(p.Options.Path) {
		t.Errorf("provider %+v; want a name, the type file and an absolute path", p)
	}
}

// TestProvisionedDatasource: its interval is that of the example's scrapes, of
// which Grafana makes the windows of rates.
func TestProvisionedDatasource(t *testing.T) {
	var file struct {
		APIVersion  int `yaml:"apiVersion"`
		Datasources []struct {
			Name, Type, Access, URL string
			JSONData                struct {
				TimeInterval string `yaml:"timeInterval"`
			} `yaml:"jsonData"`
		}
	}
	decode(t, root+"/grafana/provisioning/datasources/prometheus.yml", &file)
	var scrapes struct {
		Global struct {
			ScrapeInterval string `yaml:"scrape_interval"`
		}
	}
	readYAML(t, prometheusFolder+"/prometheus.yml", &scrapes)
	if file.APIVersion != 1 || len(file.Datasources) != 1 {
		t.Fatalf("version %d, %d data sources; want 1 and 1", file.APIVersion, len(file.Datasources))
	}
	source := file.Datasources[0]
	if source.Name == "" || source.Type != "prometheus" || source.Access != "proxy" || !strings.HasPrefix(source.URL, "http://") {
		t.Errorf("data source %+v; want a Prometheus by way of Grafana", source)
	}
	if have, want := source.JSONData.TimeInterval, scrapes.Global.ScrapeInterval; want == "" || have != want {
		t.Errorf("interval %q of the data source, %q of the scrapes; want the same", have, want)
	}
}
