// Package mlxconfig asks mlxconfig(1), of NVIDIA's firmware tools, for settings
// of a device. The tool needs root, and locks the device for a moment.
package mlxconfig

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/dpu-exporter/dpu-exporter/internal/run"
)

// Query returns the current values of settings of a PCI function, in the tool's
// words: "EMBEDDED_CPU(1)". Those that the device does not have are not in it.
func Query(ctx context.Context, path, address string, settings ...string) (map[string]string, error) {
	out, err := run.Output(ctx, path, append([]string{"-d", address, "-e", "q"}, settings...)...)
	values := parse(out, settings)
	if err != nil && len(values) == 0 {
		return nil, err
	}
	if len(values) == 0 {
		return nil, fmt.Errorf("%s says nothing of %s", path, strings.Join(settings, " and "))
	}
	return values, nil
}

// parse reads the table: name, default, current and next value, of which older
// tools have the next alone.
//
//   - INTERNAL_CPU_MODEL      SEPARATED_HOST(0)    EMBEDDED_CPU(1)    EMBEDDED_CPU(1)
func parse(out []byte, settings []string) map[string]string {
	values := map[string]string{}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		words := strings.Fields(strings.TrimPrefix(strings.TrimSpace(lines.Text()), "*"))
		for _, name := range settings {
			switch {
			case len(words) == 0 || words[0] != name:
			case len(words) >= 4:
				values[name] = words[2]
			case len(words) == 2:
				values[name] = words[1]
			}
		}
	}
	return values
}
