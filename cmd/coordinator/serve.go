package main

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/live"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/notify"
)

// serveCommand shows the runs of a server until a signal ends it.
func (a *atServer) serveCommand() *cobra.Command {
	var (
		listen  string
		telling notifyFlags
	)
	cmd := command.Command("serve", "Show the runs at --nats on a live page, with metrics and health checks",
		`Show the runs at --nats until a signal ends it: a live page at /, its data at
/state.json, metrics for Prometheus at /metrics, and health checks at /healthz
(the program goes on) and /readyz (the queue can be read). It changes nothing.

There is no login: --listen with another address than localhost shows everyone
who can reach it the names of data sets and the messages of failed cells.`,
		"coordinator serve --nats nats://example.org",
		func(ctx context.Context, _ []string) error {
			if _, _, err := net.SplitHostPort(listen); err != nil {
				return command.Refusef("--listen: %w; allowed is host:port, such as 127.0.0.1:8480, or :8480 for all addresses", err)
			}
			n, err := telling.start(a.Base)
			if err != nil {
				return err
			}
			defer n.Close()
			return a.serve(ctx, listen, n)
		})
	a.NATS.AddTo(cmd.Flags())
	telling.addTo(cmd.Flags())
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:8480", "`address` to serve on, host:port; port 0 for any free one")
	return cmd
}

// serve answers from the start on, whatever the time until it is connected.
func (a *atServer) serve(ctx context.Context, address string, n *notify.Notifier) error {
	if err := a.NATS.Check(); err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return command.Refusef("--listen: %w", err)
	}
	fmt.Fprintf(a.Out, "http://%s/\n", listener.Addr())
	var startup live.StartupHandler
	group, serving := errgroup.WithContext(ctx)
	group.Go(func() error { return live.Serve(serving, listener, &startup) })
	group.Go(func() error {
		return a.withQueue(serving, func(q *queue.Queue) error {
			monitor := live.New(live.Config{
				Queue: q, Kinds: experiment.Registrations(), Version: a.Version, Report: a.warn, Looked: live.Notify(n),
			})
			startup.Open(monitor.Handler())
			monitor.Run(serving)
			return nil
		})
	})
	err = group.Wait()
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil // a signal ended it, maybe before it was connected
	}
	return err
}
