package guest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// An accelerator runs the guest's instructions.
type accelerator struct{ option, cpu string }

var (
	// emulation works everywhere. It is fastest for an old processor: it has to
	// compute what a newer one has wires for.
	emulation = accelerator{option: "tcg,thread=multi", cpu: "Nehalem"}
	// kvm has the processor run the guest itself.
	kvm = accelerator{option: "kvm", cpu: "host"}
)

// trialLimit is how long a guest may take to boot with KVM; emulated it takes
// about half as long.
const trialLimit = 15 * time.Second

// accelerator is KVM if a guest has been seen to boot with it on this machine,
// else emulation. That /dev/kvm exists proves nothing: a nested KVM may hang.
func (g *Guest) accelerator(ctx context.Context, log io.Writer) accelerator {
	if unix.Access("/dev/kvm", unix.R_OK|unix.W_OK) != nil {
		return emulation
	}
	machine := machineID()
	verdict := g.path("kvm")
	if known, err := os.ReadFile(verdict); err == nil {
		switch strings.TrimSpace(string(known)) {
		case machine + "\tworks":
			return kvm
		case machine + "\tfails":
			return emulation
		}
	}
	chosen, word := kvm, "works"
	if err := g.try(ctx, kvm); err != nil {
		if ctx.Err() != nil {
			return emulation
		}
		fmt.Fprintln(log, "lab: no guest boots with this machine's KVM: it is emulated")
		chosen, word = emulation, "fails"
	}
	_ = os.WriteFile(verdict, []byte(machine+"\t"+word+"\n"), 0o644) // a cache
	return chosen
}

// try boots a guest that does nothing.
func (g *Guest) try(ctx context.Context, accel accelerator) error {
	var output bytes.Buffer
	status, err := g.boot(ctx, Run{Command: []string{"echo", "up"}, Output: &output, Limit: trialLimit}, accel, io.Discard)
	if err == nil && (status != 0 || output.String() != "up\n") {
		err = fmt.Errorf("status %d, output %q", status, output.String())
	}
	return err
}

// machineID tells machines apart whose KVM may differ: the kernel's release and
// the model of the processor.
func machineID() string {
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return ""
	}
	model := "unknown processor"
	info, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(info)) {
		if key, value, _ := strings.Cut(line, ":"); strings.TrimSpace(key) == "model name" {
			model = strings.TrimSpace(value)
			break
		}
	}
	return unix.ByteSliceToString(name.Release[:]) + ", " + model
}
