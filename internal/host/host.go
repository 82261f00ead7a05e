// Package host tells what this machine is and what this process may do on it.
package host

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Release is the kernel's release by uname(2), as in "6.18.44-amd64"; "" where
// it is not known.
func Release() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}

// Capabilities is the effective set of the calling thread (capget(2)), a bit for
// each capability of capabilities(7), as CapEff of proc_pid_status(5). Threads of
// this process differ only where one of them changed its own.
func Capabilities() (uint64, error) {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var sets [2]unix.CapUserData // capabilities 0 to 31, 32 to 63
	if err := unix.Capget(&header, &sets[0]); err != nil {
		return 0, fmt.Errorf("capget: %w", err)
	}
	return uint64(sets[1].Effective)<<32 | uint64(sets[0].Effective), nil
}

// Holds reports whether a capability, such as unix.CAP_NET_ADMIN, is among
// Capabilities. One that the kernel does not know is not held; one that no kernel
// can have is EINVAL.
func Holds(capability uint) (bool, error) {
	if capability >= 64 {
		return false, fmt.Errorf("capability %d: %w", capability, unix.EINVAL)
	}
	held, err := Capabilities()
	return held&(1<<capability) != 0, err
}
