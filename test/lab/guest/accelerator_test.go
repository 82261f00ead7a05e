package guest

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// The verdict of a trial is kept, for this machine only.
func TestVerdictIsKept(t *testing.T) {
	if unix.Access("/dev/kvm", unix.R_OK|unix.W_OK) != nil {
		g := &Guest{stored: &stored{folder: t.TempDir()}}
		if got := g.accelerator(t.Context(), t.Output()); got != emulation {
			t.Errorf("without /dev/kvm: %v", got)
		}
		return
	}
	for verdict, want := range map[string]accelerator{
		machineID() + "\tworks\n": kvm,
		machineID() + "\tfails\n": emulation,
		"another\tworks\n":        emulation, // tried here, where there is no guest to boot
	} {
		g := &Guest{stored: &stored{folder: t.TempDir()}}
		if err := os.WriteFile(g.path("kvm"), []byte(verdict), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := g.accelerator(t.Context(), t.Output()); got != want {
			t.Errorf("%q: %v, want %v", verdict, got, want)
		}
		if want == emulation {
			verdict = machineID() + "\tfails\n"
		}
		if kept, err := os.ReadFile(g.path("kvm")); string(kept) != verdict {
			t.Errorf("kept is %q, want %q; error %v", kept, verdict, err)
		}
	}
}

func TestMachineID(t *testing.T) {
	if a, b := machineID(), machineID(); a != b || len(a) < 5 {
		t.Errorf("%q and %q", a, b)
	}
}
