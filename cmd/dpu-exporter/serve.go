package main

import (
	"context"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"github.com/prometheus/common/promslog"
	"github.com/prometheus/common/version"
	"golang.org/x/sync/errgroup"

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

	var ready atomic.Bool
	handler, err := web.Handler(n.pages(log, &ready))
	if err != nil {
		return err
	}
	return n.run(ctx, hup, web.ServerOptions{
		Flags: o.web, Handler: handler, Log: log, Listening: func() { ready.Store(true) },
	})
}

// run keeps the inventory and the sampled sources fresh and answers HTTP until
// ctx ends or one of them cannot go on. What still runs when the servers have
// drained ends with the process.
func (n *node) run(ctx context.Context, hup <-chan os.Signal, server web.ServerOptions) error {
	group, running := errgroup.WithContext(ctx)
	group.Go(func() error { return n.inventory.Run(running) })
	group.Go(func() error { return n.runner.Run(running) })
	group.Go(func() error { return n.reloadAt(running, hup) })
	err := web.Serve(running, server)
	if err == nil && ctx.Err() == nil {
		err = context.Cause(running)
	}
	return err
}

// reloadAt reloads the configuration at every signal; the store logs how it
// went.
func (n *node) reloadAt(ctx context.Context, hup <-chan os.Signal) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-hup:
			_ = n.config.Reload()
		}
	}
}
