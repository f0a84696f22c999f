package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/agepath/agepath/experiment/cache"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/run"
	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/disk"
	"github.com/agepath/agepath/results"
)

// outcomes returns the folder of the cache of outcomes, beside that of downloads.
func (l *library) outcomes() (string, error) {
	cache := l.cache
	if cache == "" {
		var err error
		if cache, err = dataset.DefaultCache(); err != nil {
			return "", command.Refusef("%w; --cache DIR names it", err)
		}
	}
	return filepath.Join(filepath.Dir(cache), "outcomes"), nil
}

// cacheFlags say how much the cache of outcomes may take.
type cacheFlags struct{ bytes int64 }

func (c *cacheFlags) addTo(flags *pflag.FlagSet) {
	command.BytesOrOff(flags, &c.bytes, "outcome-cache", "2GiB",
		"`amount` that the outcomes of computed cells may take in the user's cache folder, from which later runs take them; off neither keeps nor takes any")
}

// openCache returns the cache, nil where it is off, or the user has no folder for it, as in
// a container.
func (a *app) openCache(c *cacheFlags) *cache.Cache {
	if c.bytes == 0 {
		return nil
	}
	dir, err := a.library.outcomes()
	if err != nil {
		a.Log.Debug("outcomes are not kept for later runs: " + err.Error())
		return nil
	}
	kept := &cache.Cache{Dir: dir, Limit: c.bytes, Report: a.warn}
	if cache.Committed(a.Version) {
		return kept
	}
	if kept.Build, err = thisProgram(); err != nil {
		a.warn(fmt.Errorf("outcomes are not kept for later runs: %w", err))
		return nil
	}
	return kept
}

// thisProgram returns a digest of this program, which tells it from others without a
// version.
func thisProgram() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("finding this program: %w", err)
	}
	digest, err := disk.Digest(path)
	if err != nil {
		return "", err
	}
	return digest[:32], nil
}

// reuseFlags say where outcomes of other runs are.
type reuseFlags struct {
	dirs  []string
	alone bool
	cacheFlags
}

func (r *reuseFlags) addTo(flags *pflag.FlagSet) {
	command.List(flags, &r.dirs, "reuse", "`folders` of results whose cells are taken instead of being computed", nil, func(text string) (string, error) {
		if text == "" {
			return "", errors.New("the name of a folder is empty")
		}
		return command.InHome(text)
	})
	flags.BoolVar(&r.alone, "no-share", false, "take no results of other runs at --nats")
	r.cacheFlags.addTo(flags)
}

// reuse returns where outcomes of other runs are. Folders without results of the kind are
// refused.
func (a *app) reuse(r *reuseFlags, kind string) (run.Reuse, error) {
	for _, dir := range r.dirs {
		m, err := results.ReadManifest(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return run.Reuse{}, command.Refusef("--reuse %s: %w; allowed are folders with results of `coordinator run` or `coordinator collect`", dir, err)
		}
		if err != nil {
			return run.Reuse{}, command.Refusef("--reuse %s: %w", dir, err)
		}
		if m.Kind != kind {
			return run.Reuse{}, command.Refusef("--reuse %s: its cells are of the kind %s; those of the grid are %s", dir, m.Kind, kind)
		}
	}
	return run.Reuse{Dirs: r.dirs, Cache: a.openCache(&r.cacheFlags), Alone: r.alone, Report: a.warn}, nil
}

// cacheCommand is about the cache of outcomes.
func (a *app) cacheCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cache",
		Short: "Show or clear the cache of outcomes, from which runs take cells",
	}
	info := command.Command("info", "Show what the cache of outcomes holds", "",
		func(context.Context, []string) error {
			return a.withCache(func(dir string) error {
				info, err := cache.Look(dir)
				if err != nil {
					a.warn(err)
				}
				fmt.Fprintf(a.Out, "%s: %d outcomes, %s in %d files\n", dir, info.Outcomes, megabytes(info.Bytes), info.Segments)
				if info.Segments > 0 {
					fmt.Fprintf(a.Out, "used last %s; the file that goes first %s\n", info.Newest.Format(time.DateTime), info.Oldest.Format(time.DateTime))
				}
				return nil
			})
		})
	remove := command.Command("clear", "Remove what the cache of outcomes holds", "",
		func(context.Context, []string) error {
			return a.withCache(func(dir string) error {
				info, err := cache.Clear(dir)
				if err == nil {
					fmt.Fprintf(a.Out, "%s: %d outcomes removed, %s\n", dir, info.Outcomes, megabytes(info.Bytes))
				}
				return err
			})
		})
	a.library.addCacheTo(info.Flags())
	a.library.addCacheTo(remove.Flags())
	return command.Group(cmd, info, remove)
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

func (a *app) withCache(do func(dir string) error) error {
	dir, err := a.library.outcomes()
	if err != nil {
		return err
	}
	return do(dir)
}
