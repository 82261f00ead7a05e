package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/dpu-exporter/dpu-exporter/internal/ability"
	"github.com/dpu-exporter/dpu-exporter/internal/host"
)

// abilities prints the table of what this program may do here. What is refused
// is a note: a collector that cannot work without it fails on its own.
func (f *findings) abilities(ctx context.Context) {
	f.ok("kernel", host.Release())
	if held, err := host.Capabilities(); err == nil { // this very process, which may do more than the service
		f.ok("process", fmt.Sprintf("user %d, capabilities %016x (capsh --decode=%[2]x)", os.Geteuid(), held))
	}
	for _, a := range ability.All("/dev") {
		err := a.Try(ctx)
		if text := abilityWords(a, err); err == nil {
			f.ok(a.Name, text)
		} else {
			f.note(a.Name, text)
		}
	}
}

// abilityWords says whether an ability is there, what for, and what would allow
// it: "works; for devices and their counters".
func abilityWords(a ability.Ability, err error) string {
	words := []string{"works", "for " + a.For}
	if err != nil {
		words[0] = err.Error()
	}
	if a.Later {
		words[1] = "not used by this version: " + words[1]
	}
	if err != nil && a.Capability != "" {
		words = append(words, "needs "+a.Capability)
	}
	if remedy := a.Remedy(err); remedy != "" {
		words = append(words, remedy)
	}
	return strings.Join(words, "; ")
}
