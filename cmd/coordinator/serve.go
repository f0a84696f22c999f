package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"
	"golang.org/x/sync/errgroup"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/live"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/experiment/run"
	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/disk"
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
folder, which needs no server; only --nats on the command line adds its runs.

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
				if a.Filled["nats"] {
					a.NATS.URL = "" // of other commands
				}
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

// workerFile is the configuration file for remote workers, in the folder of the results until the
// run is complete. The token is in a file because process lists would show it.
const workerFile = "worker.yaml"

type workerConfig struct {
	URL string `yaml:"nats"`
}

type listenFlag struct{ address string }

func (l *listenFlag) addTo(flags *pflag.FlagSet) {
	flags.StringVar(&l.address, "listen", "", "`address` for workers of other machines, host:port; they need the token in the file "+workerFile+" of --out (default: none can connect)")
}

// check also refuses cells left to workers without a server.
func (l *listenFlag) check(ctx context.Context, nats *command.NATS, workers int) error {
	switch {
	case l.address == "" && workers == 0 && nats.URL == "":
		return command.Refusef("--workers 0 leaves the cells to other workers, which need a server: give --nats URL or --listen ADDRESS, or --workers from 1")
	case l.address == "":
		return nil
	case nats.URL != "":
		return command.Refusef("--listen is for the NATS server in this process, which --nats takes the place of; one of them is allowed")
	}
	if err := nats.CheckAckWait(); err != nil {
		return err
	}
	listener, err := listenOn(ctx, "listen", l.address)
	if err != nil {
		return err
	}
	return listener.Close() // until the cells are queued
}

func (l *listenFlag) use(a *app, c *run.Coordinator) {
	if l.address == "" {
		return
	}
	path := filepath.Join(c.Out, workerFile)
	token := formerToken(path)
	_ = os.Remove(path) // it names a server that has ended
	c.Listen = &run.Listen{Address: l.address, Token: token, AckWait: a.NATS.AckWait, Ready: func(url string) error {
		if err := writeWorkerFile(path, url); err != nil {
			return fmt.Errorf("the file for workers: %w", err)
		}
		if full, err := filepath.Abs(path); err == nil {
			path = full
		}
		a.Log.Info("on other machines: worker --drain --config " + path)
		return nil
	}}
}

// formerToken returns the token of a killed process, for whose server its workers wait, or a new
// one.
func formerToken(path string) string {
	if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o077 == 0 {
		var former workerConfig
		if text, err := os.ReadFile(path); err == nil && yaml.Unmarshal(text, &former) == nil {
			if u, err := url.Parse(former.URL); err == nil && len(u.User.Username()) == len(rand.Text()) {
				return u.User.Username()
			}
		}
	}
	return rand.Text()
}

func writeWorkerFile(path, url string) error {
	text, err := yaml.Marshal(workerConfig{url})
	if err != nil {
		return err
	}
	temporary := disk.Temporary(path)
	if err := disk.RemoveIfThere(disk.OS{}, temporary); err != nil {
		return err
	}
	if err := os.WriteFile(temporary, text, 0o600); err != nil {
		return err
	}
	return os.Rename(temporary, path)
}
