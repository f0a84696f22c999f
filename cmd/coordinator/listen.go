package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/agepath/agepath/experiment/run"
	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/disk"
)

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
