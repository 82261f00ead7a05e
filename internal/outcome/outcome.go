// Package outcome decides, in one place, what an error from the machine means:
// unsupported, not permitted, vanished, truncated or broken.
package outcome

import (
	"errors"
	"io/fs"
	"syscall"
)

// Outcome is what came of reading one device through one source.
type Outcome uint8

const (
	// OK: the device answered.
	OK Outcome = iota
	// Unsupported: the kernel or the driver does not have this (EOPNOTSUPP,
	// no such netlink family, ENOENT of an optional file).
	Unsupported
	// NotPermitted: it exists, but this process may not ask (EPERM, EACCES).
	NotPermitted
	// Vanished: the device was removed while it was being read (ENODEV, ENXIO).
	Vanished
	// Broken: everything else.
	Broken
	// Truncated: the answer does not fit its message, and is cut or missing
	// (EMSGSIZE): an IFLA_VFINFO_LIST of more than 64 KiB.
	Truncated
)

// Count is the number of outcomes, for arrays indexed by Outcome.
const Count = int(Truncated) + 1

// String returns the label value: ok, unsupported, not_permitted, vanished, broken or truncated.
func (o Outcome) String() string {
	return [Count]string{"ok", "unsupported", "not_permitted", "vanished", "broken", "truncated"}[o]
}

// Of classifies err; nil is OK. ENOENT counts as unsupported: readers return it
// for optional attributes and absent netlink families, and ENODEV for a missing
// device. EAFNOSUPPORT counts as not permitted: every kernel we run on has the
// address families we open, so it means a seccomp filter (systemd's
// RestrictAddressFamilies=) took one away.
func Of(err error) Outcome {
	switch {
	case err == nil:
		return OK
	case isAny(err, errors.ErrUnsupported, syscall.EOPNOTSUPP, syscall.EPROTONOSUPPORT, syscall.ENOSYS, fs.ErrNotExist):
		return Unsupported
	case isAny(err, fs.ErrPermission, syscall.EAFNOSUPPORT):
		return NotPermitted
	case isAny(err, syscall.ENODEV, syscall.ENXIO):
		return Vanished
	case errors.Is(err, syscall.EMSGSIZE):
		return Truncated
	}
	return Broken
}

func isAny(err error, targets ...error) bool {
	for _, t := range targets {
		if errors.Is(err, t) {
			return true
		}
	}
	return false
}
