// Command dpu-exporter exports the counters of a DPU, or of the host it sits
// in, to Prometheus.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/prometheus/common/version"
)

// stopTimeout is how long a stop may take: a reading of the machine that hangs
// does not keep the process.
const stopTimeout = 1900 * time.Millisecond

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	context.AfterFunc(ctx, stop) // the second signal kills
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run executes one command line and returns the exit status: 0, also when serve
// was told to stop, 1 when the command failed, 2 when the command line is wrong.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	nameVersion()
	o, command, err := parse(args, stdout)
	if err != nil {
		fmt.Fprintf(stderr, "dpu-exporter: %v\nTry: dpu-exporter --help\n", err)
		return 2
	}
	if command == "" {
		return 0 // --help or --version
	}
	stopped := 1
	if command == "serve" {
		stopped = 0 // being told to stop is how it ends
	}
	context.AfterFunc(ctx, func() {
		time.AfterFunc(stopTimeout, func() { os.Exit(stopped) })
	})
	err = commands[command](ctx, o, stdout, stderr)
	if err == nil {
		return 0
	}
	if ctx.Err() != nil {
		return stopped
	}
	if !errors.Is(err, errReported) {
		fmt.Fprintf(stderr, "dpu-exporter: %v\n", err)
	}
	return 1
}

// errReported is the failure of a command that has said all there is to say.
var errReported = errors.New("reported")

// commands are the subcommands by name.
var commands = map[string]func(ctx context.Context, o *options, stdout, stderr io.Writer) error{
	"serve":   serve,
	"metrics": metrics,
	"check":   check,
}

// nameVersion gives a binary that the linker told no version that of its module.
func nameVersion() {
	if info, ok := debug.ReadBuildInfo(); ok && version.Version == "" {
		version.Version = info.Main.Version
	}
}
