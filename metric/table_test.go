package metric

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func good() Row {
	return Row{
		Name: "dpu_interface_receive_bytes_total", Kind: Counter, Unit: "bytes", Labels: []string{"device"},
		Help: "Bytes.", Source: "kernel", Proof: Live,
	}
}

func TestLintOfGoodRows(t *testing.T) {
	var rows []*Row
	for _, r := range []Row{
		{Name: "dpu_interface_receive_bytes_total", Kind: Counter, Unit: "bytes", Labels: []string{"device"}},
		{Name: "dpu_interface_receive_errors_total", Kind: Counter, Unit: "packets", Labels: []string{"device"}},
		{Name: "dpu_offload_slow_path_receive_packets_total", Kind: Counter, Unit: "packets"},
		{Name: "dpu_port_speed_bytes_per_second", Kind: Gauge, Unit: "bytes_per_second"},
		{Name: "dpu_module_temperature_celsius", Kind: Gauge, Unit: "celsius", Labels: []string{"rdma_device", "lane2"}},
		{Name: "dpu_probe_loss_ratio", Kind: Gauge, Unit: "ratio"},
		{Name: "dpu_collector_last_sample_timestamp_seconds", Kind: Gauge, Unit: "seconds"},
		{Name: "dpu_interface_info", Kind: Gauge, Labels: []string{"device", "driver"}},
		{Name: "dpu_interface_carrier", Kind: Gauge, Labels: []string{"device"}},
	} {
		r.Help, r.Source, r.Proof = "Help.", "kernel", FromSource
		rows = append(rows, &r)
	}
	table := Table{{Name: "interface", Rows: rows}, NewRuntime().Group()}
	if faults := table.Lint(); len(faults) != 0 {
		t.Errorf("faults of good rows: %v", errors.Join(faults...))
	}
}

func TestLint(t *testing.T) {
	for _, c := range []struct {
		change func(r *Row)
		want   string
	}{
		{func(r *Row) { r.Name = "dpu_nic_receive_bytes_total" }, "does not start with dpu_<layer>_"},
		{func(r *Row) { r.Name = "interface_receive_bytes_total" }, "does not start with dpu_<layer>_"},
		{func(r *Row) { r.Name = "dpu_bytes_total" }, "does not start with dpu_<layer>_"},
		{func(r *Row) { r.Name = "" }, "not snake_case"},
		{func(r *Row) { r.Name = "dpu_port_Receive_bytes_total" }, "not snake_case"},
		{func(r *Row) { r.Name = "dpu_port__bytes_total" }, "not snake_case"},
		{func(r *Row) { r.Name = "go_fake_bytes_total" }, "does not start with dpu_<layer>_"},
		{func(r *Row) { r.Name = "dpu_port_rx_bytes_total" }, `"rx" is to be spelled "receive"`},
		{func(r *Row) { r.Name = "dpu_port_recv_bytes_total" }, `"recv" is to be spelled "receive"`},
		{func(r *Row) { r.Name = "dpu_port_xmit_bytes_total" }, `"xmit" is to be spelled "transmit"`},
		{func(r *Row) { r.Name = "dpu_port_receive_bytes" }, `counter metrics should have "_total" suffix`},
		{func(r *Row) { r.Kind = Gauge }, `non-counter metrics should not have "_total" suffix`},
		{func(r *Row) { r.Kind = Summary }, "neither counter nor gauge"},
		{func(r *Row) { r.Kind = 0 }, "neither counter nor gauge"},
		{func(r *Row) { r.Unit = "" }, `ends in bytes but the unit is ""`},
		{func(r *Row) { r.Unit = "packets" }, `ends in bytes but the unit is "packets"`},
		{func(r *Row) { r.Unit = "seconds" }, `ends in bytes but the unit is "seconds"`},
		{func(r *Row) { r.Unit = "bits" }, `use the base unit "bytes"`},
		{func(r *Row) { r.Unit = "bytes per second" }, "not a plain word"},
		{func(r *Row) { r.Name = "dpu_port_receive_total" }, `unit "bytes" is not at the end of the name`},
		{func(r *Row) { r.Name = "dpu_port_bytes_receive_total" }, `unit "bytes" is not at the end of the name`},
		{func(r *Row) { r.Name, r.Unit = "dpu_port_load_percent_total", "" }, `use the base unit "ratio"`},
		{func(r *Row) { r.Name, r.Unit = "dpu_port_kilobytes_total", "" }, `use base unit "bytes"`},
		{func(r *Row) { r.Labels = []string{"device", "layer"} }, "belongs in the name"},
		{func(r *Row) { r.Labels = []string{"instance"} }, "set by Prometheus"},
		{func(r *Row) { r.Labels = []string{"device", "device"} }, "there twice"},
		{func(r *Row) { r.Labels = []string{"rdmaDevice"} }, "not snake_case"},
		{func(r *Row) { r.Labels = []string{"__name"} }, "not snake_case"},
		{func(r *Row) { r.Labels = []string{"le"} }, `should not have "le" label`},
		{func(r *Row) { r.Help = " " }, "help is empty"},
		{func(r *Row) { r.Help = "two\nlines" }, "help is not one line"},
		{func(r *Row) { r.Source = "" }, "source is empty"},
		{func(r *Row) { r.Proof = 0 }, "proof is not set"},
		{func(r *Row) { r.Proof = FromSource + 1 }, "proof is not set"},
		{func(r *Row) { *r = Row{Name: "dpu_port_info_x", Kind: Gauge, Labels: r.Labels} }, "ends in _info"},
		{func(r *Row) { *r = Row{Name: "dpu_port_info", Kind: Gauge} }, "an info row is a gauge"},
	} {
		r := good()
		c.change(&r)
		faults := Table{{Rows: []*Row{&r}}}.Lint()
		if all := errors.Join(faults...); all == nil || !strings.Contains(all.Error(), c.want) {
			t.Errorf("%+v: faults %q, want one with %q", r, all, c.want)
		}
	}
}

func TestLintFindsNamesTwiceAcrossGroups(t *testing.T) {
	a, b := good(), good()
	faults := Table{{Rows: []*Row{&a}}, {Rows: []*Row{&b}}}.Lint()
	if len(faults) != 1 || !strings.Contains(faults[0].Error(), "twice") {
		t.Errorf("faults = %v, want one: twice", faults)
	}
}

var described = Table{
	{Name: "interface", Help: "Counters of every netdev.", Rows: []*Row{rowBytes, {
		Name: "dpu_interface_info", Kind: Gauge, Labels: []string{"device", "driver"},
		Help: "Always 1 | <device>.", Source: "words * 4", Proof: Replayed,
	}}},
	{Name: "self", Help: "This program.", Rows: []*Row{
		{Name: "dpu_exporter_up", Kind: Gauge, Help: "Always 1.", Source: "none", Proof: FromSource},
	}},
}

func TestDescribeText(t *testing.T) {
	const want = `interface: Counters of every netdev.

  dpu_interface_receive_bytes_total{device}
      counter of bytes; proof: live
      Bytes received.
      from: rx_bytes of rtnl_link_stats64

  dpu_interface_info{device,driver}
      gauge; proof: replayed
      Always 1 | <device>.
      from: words * 4

self: This program.

  dpu_exporter_up
      gauge; proof: source
      Always 1.
      from: none
`
	if diff := cmp.Diff(want, describe(t, "text")); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

func TestDescribeMarkdown(t *testing.T) {
	got := describe(t, "markdown")
	for _, want := range []string{
		"# Metrics\n\nThis file is generated",
		"\n    go run ./cmd/dpu-exporter metrics --describe=markdown > docs/metrics.md\n",
		`
## interface

Counters of every netdev.

| Name | Kind | Unit | Labels | Help | Source | Proof |
|---|---|---|---|---|---|---|
` + "| `dpu_interface_receive_bytes_total` | counter | bytes | `device` | Bytes received. | rx_bytes of rtnl_link_stats64 | live |\n" +
			"| `dpu_interface_info` | gauge |  | `device`, `driver` | Always 1 \\| &lt;device>. | words \\* 4 | replayed |\n" +
			"\n## self\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("markdown lacks %q:\n%s", want, got)
		}
	}
}

func TestDescribeJSON(t *testing.T) {
	var got []struct {
		Name    string
		Metrics []map[string]any
	}
	if err := json.Unmarshal([]byte(describe(t, "json")), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"name": "dpu_interface_receive_bytes_total", "kind": "counter", "unit": "bytes", "labels": []any{"device"},
		"help": "Bytes received.", "source": "rx_bytes of rtnl_link_stats64", "proof": "live",
	}
	if len(got) != 2 || len(got[0].Metrics) != 2 || got[1].Name != "self" {
		t.Fatalf("got %+v", got)
	}
	if diff := cmp.Diff(want, got[0].Metrics[0]); diff != "" {
		t.Errorf("row (-want +got):\n%s", diff)
	}
}

func describe(t *testing.T, format string) string {
	t.Helper()
	var b bytes.Buffer
	if err := described.Describe(&b, format); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

type fullDisk struct{}

var errFull = errors.New("disk full")

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestDescribeErrors(t *testing.T) {
	if err := described.Describe(&bytes.Buffer{}, "yaml"); err == nil || !strings.Contains(err.Error(), "text, markdown, json") {
		t.Errorf("error = %v, want one that names the formats", err)
	}
	if err := described.Describe(fullDisk{}, "text"); !errors.Is(err, errFull) {
		t.Errorf("error = %v, want %v", err, errFull)
	}
}

func TestRuntimeIsDescribed(t *testing.T) {
	r := NewRuntime()
	rows := map[string]*Row{}
	for _, row := range r.Group().Rows {
		if row.Kind.String() == "unknown" || row.Help == "" || row.Source == "" || row.Proof != Live {
			t.Errorf("%s is not described in full: %+v", row.Name, row)
		}
		rows[row.Name] = row
	}
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if rows[f.GetName()] == nil {
			t.Errorf("%s is exported and not in the table", f.GetName())
		}
	}
	for name, want := range map[string]Row{
		"go_gc_duration_seconds":    {Kind: Summary, Unit: "seconds", Labels: []string{"quantile"}, Source: goSource},
		"go_info":                   {Kind: Gauge, Labels: []string{"version"}, Source: goSource},
		"process_cpu_seconds_total": {Kind: Counter, Unit: "seconds", Source: processSource},
	} {
		got := rows[name]
		if got == nil {
			t.Errorf("%s is missing", name)
			continue
		}
		want.Name, want.Help, want.Proof = name, got.Help, Live
		if diff := cmp.Diff(want, *got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if diff := cmp.Diff(NewRuntime().Group(), r.Group()); diff != "" {
		t.Errorf("two descriptions differ:\n%s", diff)
	}
}
