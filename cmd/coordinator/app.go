package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"syscall"

	"github.com/spf13/pflag"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/gridfile"
	"github.com/agepath/agepath/experiment/queue"
	"github.com/agepath/agepath/experiment/run"
	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/disk"
)

type app struct {
	*command.Base
	library library
}

// atServer has the commands that need a server.
type atServer struct{ *app }

type catalog struct{ *app }

type library struct{ dir, cache string }

func (l *library) addTo(flags *pflag.FlagSet) {
	command.Path(flags, &l.dir, "datasets", "`folder` with data sets, searched first")
	l.addCacheTo(flags)
}

func (l *library) addCacheTo(flags *pflag.FlagSet) {
	command.Path(flags, &l.cache, "cache", "`folder` for downloaded data sets (default: agepath/datasets in the user's cache folder)")
}

// open returns the library, without a cache if there is no place for one: only downloads need the
// cache.
func (l *library) open() (*dataset.Library, error) {
	if l.cache == "" {
		l.cache, _ = dataset.DefaultCache()
	}
	library := &dataset.Library{Dir: l.dir, Cache: l.cache}
	if err := library.CheckDir(); err != nil {
		return nil, command.Refusef("%w; --datasets DIR names an existing folder", err)
	}
	return library, nil
}

// cells returns the folder for the data sets of cells, next to that of downloads, or a temporary
// one, which remove deletes.
func (l *library) cells() (dir string, remove func() error, err error) {
	if l.cache == "" {
		return disk.TemporaryFolder(command.CellsPrefix)
	}
	return filepath.Join(filepath.Dir(l.cache), "cells"), func() error { return nil }, nil
}

type gridFlags struct{ set []string }

func (g *gridFlags) addTo(flags *pflag.FlagSet) {
	flags.StringArrayVar(&g.set, "set", nil, "replace a value of the grid by `key=value`, as in repeats=2 or models.0.lasso.alpha=[0.1, 0.2]; may be repeated")
}

type planned struct {
	grid *experiment.Grid
	plan *experiment.Plan
}

// plan reads a grid and its data sets. Every error in them is a refusal.
func (a *app) plan(ctx context.Context, path string, flags *gridFlags) (*planned, error) {
	library, err := a.library.open()
	if err != nil {
		return nil, err
	}
	grid, err := experiment.ParseFile(path, flags.set)
	if err != nil {
		if _, ok := errors.AsType[gridfile.Problems](err); !ok {
			err = fmt.Errorf("%w; allowed is a YAML file, such as grids/quickstart.yaml", err)
		}
		return nil, command.Refuse(err)
	}
	plan, err := grid.Plan(ctx, library)
	if err != nil {
		return nil, command.Refuse(err)
	}
	for _, d := range plan.Absent {
		a.Log.Warn("the data set is not on this machine and is skipped; coordinator datasets fetch downloads it", "name", d.Name)
	}
	return &planned{grid, plan}, nil
}

type outFlags struct{ dir string }

func (o *outFlags) addTo(flags *pflag.FlagSet) {
	command.Path(flags, &o.dir, "out", "`folder` of the results (default: out/ and the grid's name)")
}

func (o *outFlags) of(grid *experiment.Grid) string {
	if o.dir == "" {
		return filepath.Join("out", grid.Name)
	}
	return o.dir
}

// refuseStart makes an error before a run begins a refusal, except a full disk, for which retrying
// helps.
func refuseStart(err error) error {
	var start *run.StartError
	full := errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
	if errors.As(err, &start) && !full {
		return command.Refuse(err)
	}
	return err
}

func (a *app) withQueue(ctx context.Context, do func(*queue.Queue) error) error {
	q, err := a.NATS.Connect(ctx, "agepath coordinator", func(err error) {
		if command.Unauthorized(err) { // retries would never end
			a.Abort(err)
			return
		}
		a.warn(err)
	})
	if err != nil {
		return err
	}
	defer q.Close()
	return do(q)
}

func (a *app) warn(err error) { a.Log.Warn(err.Error()) }
