package main

import (
	"context"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/prometheus/common/promslog"
	"github.com/prometheus/common/version"
	"golang.org/x/sync/errgroup"

	"github.com/dpu-exporter/dpu-exporter/internal/notify"
	"github.com/dpu-exporter/dpu-exporter/web"
)

// serve keeps the node's inventory fresh and answers HTTP until ctx ends.
// Its errors are told in the log, in the format that was asked for.
func serve(ctx context.Context, o *options, _, stderr io.Writer) error {
	o.log.Writer = stderr
	log := promslog.New(&o.log)
	if err := serveLogging(ctx, o, log); err != nil && ctx.Err() == nil {
		log.Error("Cannot go on", "err", err)
		return errReported
	}
	log.Info("Stopped")
	return nil
}

func serveLogging(ctx context.Context, o *options, log *slog.Logger) error {
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP) // from here on it does not kill
	defer signal.Stop(hup)
	log.Info("Starting dpu-exporter", "version", version.Info(), "build", version.BuildContext())
	n, err := openNode(ctx, o, log)
	if err != nil {
		return err
	}
	n.logFound(log)

	service := notify.New(log)
	reload := func() error {
		return service.Reload(n.config.Reload, func() string { return "At the last reload: " + n.found() })
	}
	var ready atomic.Bool
	pages := n.pages(log, &ready)
	pages.Reload = reload
	handler, err := web.Handler(pages)
	if err != nil {
		return err
	}
	listening := func() {
		ready.Store(true)
		service.Ready("At the start: " + n.found())
	}
	stopping := sync.OnceFunc(service.Stopping)
	context.AfterFunc(ctx, stopping)
	err = n.run(ctx, []task{
		func(ctx context.Context) error { return callAt(ctx, hup, reload) },
		func(ctx context.Context) error { service.Watch(ctx, n.liveness(handler).ask); return nil },
	}, web.ServerOptions{Flags: o.web, Handler: handler, Log: log, Listening: listening})
	if ctx.Err() != nil {
		stopping() // said before this process is gone
	}
	return err
}

// task is what runs beside the servers until its context ends.
type task = func(ctx context.Context) error

// run keeps the inventory and the sampled sources fresh, does the tasks and
// answers HTTP until ctx ends or one of them cannot go on. What still runs when
// the servers have drained ends with the process.
func (n *node) run(ctx context.Context, tasks []task, server web.ServerOptions) error {
	group, running := errgroup.WithContext(ctx)
	for _, run := range append(tasks, n.inventory.Run, n.runner.Run) {
		group.Go(func() error { return run(running) })
	}
	err := web.Serve(running, server)
	if err == nil && ctx.Err() == nil {
		err = context.Cause(running)
	}
	return err
}

// callAt calls reload at every signal; what goes wrong is in the log already.
func callAt(ctx context.Context, hup <-chan os.Signal, reload func() error) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-hup:
			_ = reload()
		}
	}
}
