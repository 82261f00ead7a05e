package guest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// qemu is the emulator of the guest's own file system, run by that file system's
// own dynamic loader, so that it is the same wherever it runs.
func (g *Guest) qemu(ctx context.Context, args []string) *exec.Cmd {
	lib := g.path("root/usr/lib/x86_64-linux-gnu")
	line := []string{
		"--library-path", lib, g.path("root/usr/bin/qemu-system-x86_64"),
		"-L", g.path("root/usr/share/qemu"), "-L", g.path("root/usr/share/seabios"),
	}
	command := exec.CommandContext(ctx, g.path("root/usr/lib64/ld-linux-x86-64.so.2"), append(line, args...)...)
	command.Env = append(os.Environ(), "QEMU_MODULE_DIR="+filepath.Join(lib, "qemu"))
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return command
}

// machine are the arguments of a guest with the root file system, the folder of
// a run, and what the run asks for. Its kernel does not check that its timer
// ticks: on a busy machine the emulator is late, and it would go on without one.
// Its log has room for what a storm says before a busy test reads it.
func (g *Guest) machine(run string, r Run, accel accelerator) []string {
	k := g.kernel()
	args := []string{
		"-machine", "q35", "-accel", accel.option, "-cpu", accel.cpu, "-smp", "2", "-m", k.memory,
		"-nodefaults", "-no-reboot", "-display", "none",
		"-kernel", k.image, "-initrd", k.initrd,
		"-append", strings.TrimSpace("console=ttyS0 quiet oops=panic panic=-1 mitigations=off log_buf_len=16M no_timer_check " + r.Cmdline),
		"-serial", "file:" + filepath.Join(run, console),
		"-device", "virtio-rng-pci",
		"-device", "virtio-serial-pci", "-chardev", "stdio,id=run,signal=off", "-device", "virtconsole,chardev=run",
		"-virtfs", shared(g.path("root"), "root", ",readonly=on"),
		"-virtfs", shared(run, "run", ""),
	}
	for n, s := range k.shares(r) {
		args = append(args, "-virtfs", shared(s.folder, shareTag(n), ",readonly=on"))
	}
	return slices.Concat(args, nics, functions)
}

// console is the file in the folder of a run that holds what the kernel says.
const console = "console.log"

// nics are network cards that QEMU models down to the registers and Linux
// drives with the driver of the real one, all in one Ethernet segment. The igb
// has SR-IOV and so sits behind a PCI Express root port of its own.
var nics = strings.Fields(`
	-netdev hubport,hubid=0,id=igb      -device pcie-root-port,id=port1,slot=1
	                                    -device igb,netdev=igb,bus=port1,romfile=,mac=52:54:00:00:00:01
	-netdev hubport,hubid=0,id=e1000e   -device e1000e,netdev=e1000e,romfile=,mac=52:54:00:00:00:02
	-netdev hubport,hubid=0,id=vmxnet3  -device vmxnet3,netdev=vmxnet3,romfile=,mac=52:54:00:00:00:03
	-netdev hubport,hubid=0,id=virtio   -device virtio-net-pci,netdev=virtio,romfile=,mac=52:54:00:00:00:04
`)

// functions is a card whose PCI functions, physical and virtual, are real and
// have no driver: an NVMe controller with SR-IOV, for the module softdpu to take.
var functions = strings.Fields(`
	-device nvme-subsys,id=functions
	-device pcie-root-port,id=port2,slot=2
	-device nvme,serial=functions,subsys=functions,bus=port2,max_ioqpairs=10,msix_qsize=10,sriov_max_vfs=4,sriov_vq_flexible=8,sriov_vi_flexible=4
`)

func shareTag(n int) string { return fmt.Sprintf("share%d", n) }

// shared is the value of -virtfs for a folder, where a comma is doubled.
func shared(folder, tag, options string) string {
	return "local,path=" + strings.ReplaceAll(folder, ",", ",,") + ",mount_tag=" + tag + ",security_model=none,multidevs=remap" + options
}
