// Package socket opens sockets where they are wanted: in another network
// namespace.
package socket

import (
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// InNamespace runs do in the network namespace that a file stands for, such as
// /run/netns/red or /proc/PID/ns/net (network_namespaces(7)). Sockets that do
// opens belong to that namespace for good; goroutines that it starts run outside.
//
// The kernel asks for CAP_SYS_ADMIN, and a sandbox may refuse too: both are
// fs.ErrPermission (setns(2)).
func InNamespace(file string, do func() error) error {
	ended := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: a thread that went elsewhere ends with its goroutine
		ended <- enterAnd(file, do)
	}()
	return <-ended
}

func enterAnd(file string, do func() error) error {
	namespace, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("enter network namespace: %w", err)
	}
	defer namespace.Close()
	// The type is named because a seccomp filter can only allow a kind that it sees.
	if err := unix.Setns(int(namespace.Fd()), unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("enter network namespace %s: setns: %w", file, err)
	}
	return do()
}
