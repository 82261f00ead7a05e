package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/dpu-exporter/dpu-exporter/test/lab/guest"
)

// greeting says how to come to devices: the guest has none until asked.
const greeting = `A NIC with eswitch and 4 VFs:  modprobe netdevsim; echo 1 2 1 >/sys/bus/netdevsim/new_device
                               echo 4 >/sys/bus/netdevsim/devices/netdevsim1/sriov_numvfs
                               devlink dev eswitch set netdevsim/netdevsim1 mode switchdev
A software DPU with 4 VFs:     insmod /mnt/modules/softdpu.ko; echo dpu0 1 4 >/sys/bus/softdpu/new_device
Cards, one with SR-IOV:        modprobe -a igb igbvf e1000e vmxnet3 virtio_net
What we say of them:           dpu-exporter metrics
exit ends the guest.`

// shell is a prompt on this terminal, which the emulator passes through.
func shell() (guest.Run, error) {
	size, err := unix.IoctlGetWinsize(int(os.Stdin.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return guest.Run{}, errors.New("lab shell needs a terminal; lab exec runs a program")
	}
	if size.Row == 0 || size.Col == 0 {
		size.Row, size.Col = 24, 80
	}
	fmt.Fprintln(os.Stderr, "lab: boot the guest")
	start := fmt.Sprintf(`stty sane rows %d cols %d; echo "`+greeting+`"; PS1='lab:\w# ' exec bash --norc -i`, size.Row, size.Col)
	return guest.Run{
		Command: []string{"bash", "-c", start},
		Env:     []string{"TERM=" + os.Getenv("TERM")},
		Input:   os.Stdin,
		Limit:   24 * time.Hour,
	}, nil
}
