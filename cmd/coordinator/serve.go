package main

import (
	"context"
	"fmt"
	"net"
	"sync"

	"github.com/spf13/cobra"

	"github.com/agepath/agepath/experiment/live"
	"github.com/agepath/agepath/internal/command"
)

// serveCommand shows the runs of a server until a signal ends it.
func (a *app) serveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Show the runs at --nats on a live page, with metrics and health checks",
		Long: `Show the runs at --nats until a signal ends it: a live page at /, its data at
/state.json, metrics for Prometheus at /metrics, and health checks at /healthz
(the program goes on) and /readyz (the queue can be read). It changes nothing.

There is no login: --listen with another address than localhost shows everyone
who can reach it the names of data sets and the messages of failed cells.`,
		Args: command.Arguments(),
	}
	var listen string
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:8480", "`address` to serve on, host:port; port 0 for any free one")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if _, _, err := net.SplitHostPort(listen); err != nil {
			return command.Refusef("--listen: %w; allowed is host:port, such as 127.0.0.1:8480, or :8480 for all addresses", err)
		}
		return a.serve(cmd.Context(), listen)
	}
	return cmd
}

func (a *app) serve(ctx context.Context, address string) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return command.Refusef("--listen: %w", err)
	}
	defer listener.Close()
	q, err := a.connect(ctx)
	if err != nil {
		return err
	}
	defer q.Close()
	monitor := live.New(live.Config{Queue: q, Kinds: command.Kinds(), Version: a.Version, Report: a.warn})
	fmt.Fprintf(a.Out, "http://%s/\n", listener.Addr())
	ctx, cancel := context.WithCancel(ctx)
	var looking sync.WaitGroup
	looking.Go(func() { monitor.Run(ctx) })
	defer looking.Wait()
	defer cancel()
	return live.Serve(ctx, listener, monitor.Handler())
}
