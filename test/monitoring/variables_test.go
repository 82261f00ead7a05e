package monitoring

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSelectionNeedsEveryVariable(t *testing.T) {
	const want = `no value for $device in up{device="$device"}`
	if text, err := (selection{}).in(`up{device="$device"}`); err == nil || err.Error() != want {
		t.Errorf("in = %q, %v; want the error %s", text, err, want)
	}
}

func TestSelectionInQuery(t *testing.T) {
	chosen := selection{"job": {".*"}, "device": {"p0.1", "a|b"}, "__rate_interval": {"1m"}}
	for text, want := range map[string]string{
		`up{job=~"$job"}[$__rate_interval]`:         `up{job=~".*"}[1m]`,
		`a{device=~"${device}",b=~"$device"}`:       `a{device=~"(p0\\.1|a\\|b)",b=~"(p0\\.1|a\\|b)"}`,
		`${job:regex} {{instance}} costs 5 $ a day`: `.* {{instance}} costs 5 $ a day`,
	} {
		have, err := chosen.in(text)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, have); diff != "" {
			t.Errorf("%s (-want +have):\n%s", text, diff)
		}
	}
}

func TestQueriesOfVariables(t *testing.T) {
	for text, want := range map[string][]string{
		`label_values(job)`: {"", "job"},
		`label_values(up{job=~"$job",instance!=""}, instance)`: {`up{job=~"$job",instance!=""}`, "instance"},
		`query_result(up)`: nil,
	} {
		var have []string
		if m := labelValues.FindStringSubmatch(text); m != nil {
			have = m[1:]
		}
		if diff := cmp.Diff(want, have); diff != "" {
			t.Errorf("%s (-want +have):\n%s", text, diff)
		}
	}
}
