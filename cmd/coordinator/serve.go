package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/sync/errgroup"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/live"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/experiment/run"
	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/notify"
	"github.com/agepath/agepath/results"
)

// lookEvery is [live.Config.Every], which tests shorten.
var lookEvery time.Duration

func (a *atServer) serveCommand() *cobra.Command {
	var (
		listen  string
		folder  string
		telling notifyFlags
	)
	cmd := command.Command("serve", "Show the runs at --nats on a live page, with metrics, health checks and their tables",
		`Show the runs at --nats until a signal ends the program, and change nothing: a live
page at / (its data at /state.json and /scores.json), metrics for Prometheus at
/metrics, and health checks at /healthz and /readyz.

The tables of a run are at /runs/RUN/TABLE.parquet and /runs/RUN/TABLE.arrow, also
while it runs; /runs and /runs/RUN list them as JSON. --results serves those of a
folder, which needs no server.

There is no login. With an address other than localhost, --listen shows the names
of data sets, the messages of failed cells and all results to everyone who can
reach it.`,
		`coordinator serve --nats nats://example.org
coordinator serve --results out/quickstart`,
		func(ctx context.Context, _ []string) error {
			folders := map[string]string{}
			if folder != "" {
				run, err := results.RunOf(folder)
				if err != nil {
					return command.Refusef("--results: %w; allowed is a folder of `coordinator run` or `coordinator collect`", err)
				}
				folders[run] = folder
			}
			if folder == "" || a.NATS.URL != "" {
				if err := a.NATS.Check(); err != nil {
					return err
				}
			}
			tables := live.NewTables(folders, a.warn)
			defer func() { _ = tables.Close() }()
			n, err := telling.start(a.Base)
			if err != nil {
				return err
			}
			defer n.Close()
			listener, err := listenOn(ctx, "listen", listen)
			if err != nil {
				return err
			}
			fmt.Fprintf(a.Out, "http://%s/\n", listener.Addr())
			if a.NATS.URL == "" {
				return live.Serve(ctx, listener, tables.Handler())
			}
			return a.serve(ctx, listener, n, tables)
		})
	a.NATS.AddTo(cmd.Flags())
	telling.addTo(cmd.Flags())
	command.Path(cmd.Flags(), &folder, "results", "`folder` of results whose tables are served")
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:8480", "`address` to serve on, host:port; port 0 for any free one")
	return cmd
}

func listenOn(ctx context.Context, flag, address string) (net.Listener, error) {
	if _, _, err := net.SplitHostPort(address); err != nil {
		return nil, command.Refusef("--%s: %w; allowed is host:port, such as 127.0.0.1:8480, or :8480 for all addresses", flag, err)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, command.Refusef("--%s: %w", flag, err)
	}
	return listener, nil
}

type pageFlag struct {
	address  string
	listener net.Listener // nil for no page
}

func (p *pageFlag) addTo(flags *pflag.FlagSet) {
	flags.StringVar(&p.address, "serve", "", "show the run on a live page at an `address`, host:port; without one on any free port of this machine alone")
	flags.Lookup("serve").NoOptDefVal = "127.0.0.1:0"
}

// open listens before the server is connected, so that early browsers wait.
func (p *pageFlag) open(ctx context.Context, base *command.Base) (err error) {
	if p.address == "" {
		return nil
	}
	if p.listener, err = listenOn(ctx, "serve", p.address); err == nil {
		base.Log.Info("live page: http://" + p.listener.Addr().String() + "/")
	}
	return err
}

func (p *pageFlag) close() {
	if p.listener != nil {
		_ = p.listener.Close()
	}
}

// watcher returns a function that shows a run, with the tables in its folder, on a live page.
func (a *app) watcher(listener net.Listener, name, dir string) func(ctx context.Context, q *queue.Queue, earlier run.Earlier) error {
	return func(ctx context.Context, q *queue.Queue, earlier run.Earlier) error {
		tables := live.NewTables(map[string]string{name: dir}, a.warn)
		defer func() { _ = tables.Close() }()
		monitor := live.New(live.Config{
			Queue: q, Kinds: experiment.Registrations(), Version: a.Version, Every: lookEvery, Report: a.warn, Earlier: earlier, Tables: tables,
		})
		group, serving := errgroup.WithContext(ctx)
		group.Go(func() error { return live.Serve(serving, listener, monitor.Handler()) })
		group.Go(func() error {
			monitor.Run(serving)
			return nil
		})
		return group.Wait()
	}
}

// serve answers from the start, before it is connected.
func (a *atServer) serve(ctx context.Context, listener net.Listener, n *notify.Notifier, tables *live.Tables) error {
	var startup live.StartupHandler
	group, serving := errgroup.WithContext(ctx)
	group.Go(func() error { return live.Serve(serving, listener, &startup) })
	group.Go(func() error {
		return a.withQueue(serving, func(q *queue.Queue) error {
			monitor := live.New(live.Config{
				Queue: q, Kinds: experiment.Registrations(), Version: a.Version, Every: lookEvery, Report: a.warn, Looked: live.Notify(n), Tables: tables,
			})
			startup.Open(monitor.Handler())
			monitor.Run(serving)
			return nil
		})
	})
	err := group.Wait()
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return nil // a signal, maybe before the connection
	}
	return err
}
