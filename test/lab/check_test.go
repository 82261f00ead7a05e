//go:build lab

package lab

import (
	"regexp"
	"testing"

	"github.com/dpu-exporter/dpu-exporter/test/lab/world"
)

// TestCheck: check tries what other kernels cannot: the kernel's own answer about
// eswitches, and the devices of RDMA.
func TestCheck(t *testing.T) {
	world.AddRXEPair(t, world.SharedRDMA)
	check := []string{"dpu-exporter", "check", "--collector.disable-defaults"}
	asNobody := []string{"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--bounding-set=-all", "--inh-caps=-all"}
	for _, c := range []struct {
		command []string
		lines   []string
	}{
		{check, []string{`ok +eswitch mode +works; `, `ok +RDMA devices +works; `, `ok +locked memory +works; `}},
		{append(asNobody, check...), []string{`note +eswitch mode .*needs CAP_NET_ADMIN; `, `ok +RDMA devices +works; `}},
	} {
		text := world.Run(t, c.command[0], c.command[1:]...)
		for _, line := range c.lines {
			if !regexp.MustCompile(`(?m)^` + line).MatchString(text) {
				t.Errorf("%v: no line %q in:\n%s", c.command, line, text)
			}
		}
	}
}
