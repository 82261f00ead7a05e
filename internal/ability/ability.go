// Package ability knows what this program can be allowed to do, what of it uses
// that, and which line of a systemd unit allows it; and it tries each.
package ability

import (
	"context"
	"errors"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/dpu-exporter/dpu-exporter/internal/outcome"
)

// Ability is one thing that the kernel or a sandbox may refuse.
type Ability struct {
	Name string
	For  string // what of this program needs it
	// Later is true when no part of this version uses it. Its capability is in
	// the drop-in probes.conf of deploy/systemd, that of others in the unit.
	Later bool
	// Family is the address family that a sandbox must let through, as systemd
	// writes it (systemd.exec(5), RestrictAddressFamilies=); "" when none.
	Family string
	// Capability is the name, as in capabilities(7), of what allows it, where
	// nothing else does; "" when it needs none.
	Capability string
	// Allow is what to do when it is refused: lines to add to the unit, or a setting.
	Allow string

	try func(context.Context) error
}

// Try does it once, or as much of it as leaves nothing behind. An error that is
// outcome.NotPermitted says that it was refused, one that is
// outcome.Unsupported that there is nothing here to do it with.
func (a Ability) Try(ctx context.Context) error { return a.try(ctx) }

// Remedy is what to do about an error of Try; "" when nothing can be done.
func (a Ability) Remedy(err error) string {
	switch {
	case errors.Is(err, unix.EAFNOSUPPORT):
		return "add " + a.Family + " to RestrictAddressFamilies="
	case outcome.Of(err) == outcome.NotPermitted:
		return a.Allow
	}
	return ""
}

// lines says which lines of a unit grant a capability, and what else it takes,
// and which option of podman and docker does.
func lines(capability string, more ...string) string {
	all := append([]string{"AmbientCapabilities=" + capability, "CapabilityBoundingSet=" + capability}, more...)
	return "add " + strings.Join(all, " and ") + " to the unit (a container: --user=0:0 --cap-add=" + strings.TrimPrefix(capability, "CAP_") + ")"
}
