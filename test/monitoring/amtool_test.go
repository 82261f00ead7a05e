package monitoring

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/test/need"
	"github.com/dpu-exporter/dpu-exporter/test/program"
)

const alertmanagerConfig = root + "/deploy/alertmanager/alertmanager.yml"

func TestAmtoolAcceptsConfiguration(t *testing.T) {
	amtool(t, "check-config", alertmanagerConfig)
}

// receivers are who is told of each severity; "" is an alert without one.
var receivers = map[string]string{"critical": "pager", "warning": "chat", "info": "log", "": "unrouted"}

func TestAlertsReachTheirReceivers(t *testing.T) {
	route := func(labels ...string) string {
		return strings.TrimSpace(amtool(t, append([]string{"config", "routes", "test", "--config.file=" + alertmanagerConfig}, labels...)...))
	}
	for severity, want := range receivers {
		if got := route("alertname=DpuOther", "severity="+severity); got != want {
			t.Errorf("severity %q goes to %q, not to %q", severity, got, want)
		}
	}
	for _, r := range shippedSuite(t).rules {
		if r.Alert == "" {
			continue
		}
		want := receivers[r.Labels["severity"]]
		if got := route("alertname="+r.Alert, "severity="+r.Labels["severity"], "instance=worker1:10042"); got != want {
			t.Errorf("%s goes to %q, not to %q", r.Alert, got, want)
		}
	}
}

// TestGrouping: one message for one thing wrong with one node, one page for all
// nodes that are absent, and a page again every hour until somebody is up.
func TestGrouping(t *testing.T) {
	type route struct {
		Matchers []string
		GroupBy  []string `yaml:"group_by"`
		Repeat   string   `yaml:"repeat_interval"`
		Routes   []route
	}
	var file struct{ Route route }
	readYAML(t, alertmanagerConfig, &file)
	if want := []string{"alertname", "instance"}; !slices.Equal(file.Route.GroupBy, want) {
		t.Errorf("grouped by %q, not by %q", file.Route.GroupBy, want)
	}
	critical := file.Route.Routes[0]
	if !slices.Equal(critical.Matchers, []string{`severity="critical"`}) || critical.Repeat != "1h" || len(critical.Routes) != 1 {
		t.Fatalf("critical alerts: %+v", critical)
	}
	absent := critical.Routes[0]
	if !slices.Equal(absent.Matchers, []string{`alertname="DpuNodeAbsent"`}) || !slices.Equal(absent.GroupBy, []string{"alertname"}) {
		t.Errorf("absent nodes: %+v", absent)
	}
}

// inhibitions are alerts that are sent together, and which of them are muted.
var inhibitions = []struct {
	name  string
	sent  [][]string // labels of each
	muted []string   // names, sorted
}{
	{
		name: "an absent node mutes what follows from it, on no other node, and never isolation",
		sent: [][]string{
			{"alertname=DpuNodeAbsent", "job=dpu", "instance=a"},
			{"alertname=DpuNodeFlaky", "layer=node", "job=dpu", "instance=a"},
			{"alertname=DpuCollectorErrors", "layer=exporter", "job=dpu", "instance=a"},
			{"alertname=DpuInterfaceErrors", "layer=interface", "job=dpu", "instance=a"},
			{"alertname=DpuSlowPathBusy", "layer=offload", "job=dpu", "instance=a"},
			{"alertname=DpuIsolationViolated", "layer=isolation", "job=dpu", "instance=a"},
			{"alertname=DpuProbeFailing", "layer=probe", "job=dpu", "instance=a"},
			{"alertname=DpuWithoutLayer", "job=dpu", "instance=a"},
			{"alertname=DpuCarrierFlapping", "layer=interface", "job=dpu", "instance=b"},
		},
		muted: []string{"DpuCollectorErrors", "DpuInterfaceErrors", "DpuNodeFlaky", "DpuSlowPathBusy"},
	},
	{
		name: "a node that left the targets mutes its own",
		sent: [][]string{
			{"alertname=DpuNodeLeftTargets", "job=dpu", "instance=a"},
			{"alertname=DpuInterfaceErrors", "layer=interface", "job=dpu", "instance=a"},
			{"alertname=DpuNodeFlaky", "layer=node", "job=dpu", "instance=a"},
		},
		muted: []string{"DpuInterfaceErrors"},
	},
	{
		name: "a node without metrics mutes its own",
		sent: [][]string{
			{"alertname=DpuNodeWithoutMetrics", "job=dpu", "instance=a"},
			{"alertname=DpuInterfaceErrors", "layer=interface", "job=dpu", "instance=a"},
		},
		muted: []string{"DpuInterfaceErrors"},
	},
	{
		name: "a link that is down does not flap too",
		sent: [][]string{
			{"alertname=DpuLinkDown", "layer=interface", "job=dpu", "instance=a", "device=p0"},
			{"alertname=DpuCarrierFlapping", "layer=interface", "job=dpu", "instance=a", "device=p0"},
			{"alertname=DpuCarrierFlapping", "layer=interface", "job=dpu", "instance=a", "device=p1"},
		},
		muted: []string{"DpuCarrierFlapping"},
	},
	{
		name: "an absent job is told of once",
		sent: [][]string{
			{"alertname=DpuJobAbsent", "job=dpu"},
			{"alertname=DpuNodeLeftTargets", "job=dpu", "instance=c"},
			{"alertname=DpuNodeLeftTargets2", "job=dpu", "instance=c"},
			{"alertname=DpuNodeLeftTargets", "job=other", "instance=c"},
		},
		muted: []string{"DpuNodeLeftTargets"},
	},
	{
		name: "a failing collector mutes its own errors",
		sent: [][]string{
			{"alertname=DpuCollectorFailing", "layer=exporter", "job=dpu", "instance=d", "collector=interface"},
			{"alertname=DpuCollectorErrors", "layer=exporter", "job=dpu", "instance=d", "collector=interface"},
			{"alertname=DpuCollectorErrors", "layer=exporter", "job=dpu", "instance=d", "collector=exporter"},
			{"alertname=DpuDevicesBroken", "layer=exporter", "job=dpu", "instance=e", "collector=interface"},
			{"alertname=DpuCollectorErrors", "layer=exporter", "job=dpu", "instance=e", "collector=interface"},
		},
		muted: []string{"DpuCollectorErrors", "DpuCollectorErrors"},
	},
}

// TestInhibitions sends alerts to a real Alertmanager with the shipped file.
func TestInhibitions(t *testing.T) {
	path := need.Tool(t, "prometheus-alertmanager")
	for _, c := range inhibitions {
		t.Run(c.name, func(t *testing.T) {
			alertmanager := program.Start(t, path, "--config.file="+alertmanagerConfig, "--storage.path="+t.TempDir(),
				"--cluster.listen-address=", "--web.listen-address=127.0.0.1:0")
			url := "--alertmanager.url=http://" + alertmanager.Address(t)
			if log := alertmanager.Log(); strings.Contains(log, "level=warn") {
				t.Errorf("the configuration makes Alertmanager warn:\n%s", log)
			}
			for _, labels := range c.sent {
				amtool(t, append([]string{"alert", "add", url}, labels...)...)
			}
			await(t, []expectation{{"inhibition", func() error { return expectMuted(t, url, len(c.sent), c.muted) }}})
		})
	}
}

// expectMuted asks whether all that was sent is there, and of it those muted that
// should be.
func expectMuted(t *testing.T, url string, sent int, want []string) error {
	t.Helper()
	var alerts []struct {
		Labels map[string]string `json:"labels"`
		Status struct {
			InhibitedBy []string `json:"inhibitedBy"`
		} `json:"status"`
	}
	if err := json.Unmarshal([]byte(amtool(t, "alert", "query", url, "--active", "--inhibited", "--output=json")), &alerts); err != nil {
		return err
	}
	var muted []string
	for _, a := range alerts {
		if len(a.Status.InhibitedBy) > 0 {
			muted = append(muted, a.Labels["alertname"])
		}
	}
	slices.Sort(muted)
	if len(alerts) != sent || !slices.Equal(muted, want) {
		return fmt.Errorf("of %d alerts %d are there; muted are %q, not %q", sent, len(alerts), muted, want)
	}
	return nil
}

func amtool(t *testing.T, args ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), need.Tool(t, "amtool"), args...)
	var warnings strings.Builder
	command.Stderr = &warnings
	out, err := command.Output()
	if err != nil {
		t.Fatalf("amtool %q: %v\n%s%s", args, err, out, warnings.String())
	}
	return string(out)
}
