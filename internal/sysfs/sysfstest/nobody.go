package sysfstest

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// AsNobody runs f on a thread whose file accesses are those of the user nobody
// (setfsuid(2)), so that permissions hold for tests run as root too.
func AsNobody(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		const nobody = 65534
		_ = unix.Setfsgid(nobody)
		_ = unix.Setfsuid(nobody)
		f()
	}()
	<-done
}
