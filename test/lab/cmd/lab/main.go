// Command lab runs commands in the virtual machine of the lab, and builds it
// first where that has not been done.
//
//	lab exec PROGRAM [ARGUMENT...]   runs a static program of this machine in the guest
//	lab shell                        gives a prompt in the guest; exit ends it
//	lab build                        builds the guest and its module, unless they stand
//	lab debug-kernel                 builds a kernel with lockdep and KASAN for the guest, unless it stands
//	lab clean                        removes all guests
//
// The tree of the project is seen in the guest at its own path, read-only, and
// bin/dpu-exporter is on the path. So `go test -exec "lab exec"` runs tests in
// the guest. The kernel module of test/lab/softdpu is built for the guest whenever
// its source has changed, and is /mnt/modules/softdpu.ko there. LAB_CMDLINE has
// words that are added to the command line of the guest's kernel. LAB_KERNEL=debug
// has the guest boot its debug kernel.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/dpu-exporter/dpu-exporter/test/lab/guest"
)

const usage = "usage: lab exec STATIC-PROGRAM [ARGUMENT...] | lab shell | lab build | lab debug-kernel | lab clean"

// noResult is the exit status when the guest gave none, or could not be built.
const noResult = 125

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGHUP)
	go endWithParent(cancel)
	status, err := run(ctx, os.Args[1:])
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "lab:", err)
	}
	os.Exit(status)
}

func run(ctx context.Context, args []string) (status int, err error) {
	cache, err := guest.DefaultCache()
	if err != nil {
		return noResult, err
	}
	var verb string
	if len(args) > 0 {
		verb = args[0]
	}
	switch {
	case verb == "--help" || verb == "help":
		fmt.Println(usage)
		return 0, nil
	case verb == "clean" && len(args) == 1:
		return statusOf(cache.Clean(ctx, os.Stderr))
	case verb == "build" && len(args) == 1:
		l, err := open(ctx, cache)
		if err != nil {
			return noResult, err
		}
		return 0, l.guest.Close()
	case verb == "debug-kernel" && len(args) == 1:
		return statusOf(buildDebugKernel(ctx, cache))
	case verb == "shell" && len(args) == 1:
		r, err := shell()
		if err != nil {
			return noResult, err
		}
		return inGuest(ctx, cache, r)
	case verb == "exec" && len(args) > 1:
		return inGuest(ctx, cache, program(args[1], args[2:]))
	}
	return 2, errors.New(usage)
}

// endWithParent cancels when the parent has gone, which a killed go test does
// not tell.
func endWithParent(cancel func()) {
	for parent := os.Getppid(); os.Getppid() == parent; time.Sleep(time.Second) {
	}
	cancel()
}

func statusOf(err error) (int, error) {
	if err != nil {
		return 1, err
	}
	return 0, nil
}

// program runs a program of this machine.
func program(path string, args []string) guest.Run {
	return guest.Run{
		Command:  append([]string{filepath.Base(path)}, args...),
		Programs: []string{path},
		Limit:    limit(args),
	}
}

// limit is the time for a program: that of a test binary, which ends itself
// then and says where it hung, and some for the guest.
func limit(args []string) time.Duration {
	const guestTime = 55 * time.Second // go test kills us a minute after its limit
	for _, a := range args {
		if value, ok := strings.CutPrefix(a, "-test.timeout="); ok {
			if d, err := time.ParseDuration(value); err == nil && d > 0 {
				return d + guestTime
			}
		}
	}
	return 10*time.Minute + guestTime
}
