package world

import (
	"fmt"
	"os"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// Inside calls a function in this namespace: what it opens and the programs
// that it starts belong there, and the netlink package works there. It costs
// no process, but /sys stays that of the guest's first namespace; where that
// matters it takes Run (setns(2), ip-netns(8)).
func (n Namespace) Inside(t testing.TB, do func()) {
	t.Helper()
	if n == "" {
		do()
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	home, err := os.Open("/proc/thread-self/ns/net")
	if err != nil {
		t.Fatal(err)
	}
	defer home.Close()
	there := n.open(t)
	defer there.Close()
	if err := unix.Setns(int(there.Fd()), unix.CLONE_NEWNET); err != nil {
		t.Fatalf("enter namespace %s: %v", n, err)
	}
	defer func() {
		if err := unix.Setns(int(home.Fd()), unix.CLONE_NEWNET); err != nil {
			panic(fmt.Sprintf("leave namespace %s: %v", n, err))
		}
	}()
	do()
}

// tryInside is Try for a program that reads nothing of this namespace from /sys,
// at half the processes.
func (n Namespace) tryInside(t testing.TB, program string, args ...string) (out string, err error) {
	t.Helper()
	n.Inside(t, func() { out, err = Try(t, program, args...) })
	return out, err
}

// must fails the test on an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
