package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/experiment/run"
	"github.com/agepath/agepath/internal/bucket"
	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/disk"
	"github.com/agepath/agepath/results"
)

// foldersName is the file in the cache for downloads that lists folders of results.
const foldersName = "folders.jsonl"

type knownFlag struct{ off bool }

func (k *knownFlag) addTo(flags *pflag.FlagSet) {
	flags.BoolVar(&k.off, "no-reuse", false, "take no cells of folders that this machine has made, and do not remember this one")
}

// known returns the folders that this machine has made; nil if they are not recorded, as in a
// container without a home.
func (a *app) known(k *knownFlag) *run.Folders {
	if k.off {
		return nil
	}
	cache := a.library.cache
	if cache == "" {
		var err error
		if cache, err = dataset.DefaultCache(); err != nil {
			a.Log.Debug("folders of results are not remembered: " + err.Error())
			return nil
		}
	}
	folders := &run.Folders{Path: filepath.Join(filepath.Dir(cache), foldersName)}
	if run.Committed(a.Version) {
		return folders
	}
	// Without a version a digest of this program takes its place.
	path, err := os.Executable()
	digest := ""
	if err == nil {
		digest, err = disk.Digest(path)
	}
	if err != nil {
		a.warn(fmt.Errorf("folders of results are not remembered: reading this program: %w", err))
		return nil
	}
	folders.Build = digest[:32]
	return folders
}

type reuseFlags struct {
	dirs    []string // also of stores
	alone   bool
	known   knownFlag
	fetched []func() error
}

func (r *reuseFlags) addTo(flags *pflag.FlagSet) {
	command.List(flags, &r.dirs, "reuse", "`folders` of results, or s3://BUCKET/FOLDER of them, whose cells are taken instead of being computed", nil, func(text string) (string, error) {
		if text == "" {
			return "", errors.New("the name of a folder is empty")
		}
		return command.InHome(text)
	})
	flags.BoolVar(&r.alone, "no-share", false, "take no results of other runs at --nats")
	r.known.addTo(flags)
}

func (r *reuseFlags) close() {
	for _, remove := range r.fetched {
		_ = remove()
	}
}

// reuse refuses folders without results of the kind of the plan and fetches those of stores, until
// the flags are closed.
func (a *app) reuse(ctx context.Context, r *reuseFlags, plan *experiment.Plan) (run.Reuse, error) {
	reuse := run.Reuse{Known: a.known(&r.known), Alone: r.alone, Report: a.warn}
	for _, name := range r.dirs {
		dir := name
		if bucket.IsURL(name) {
			var remove func() error
			var err error
			if dir, remove, err = disk.TemporaryFolder("agepath-reuse-"); err != nil {
				return reuse, fmt.Errorf("a folder for the tables of %s: %w", name, err)
			}
			r.fetched = append(r.fetched, remove)
			if err := a.fetch(ctx, name, dir, plan.Keep.Tables()); err != nil {
				return reuse, err
			}
		}
		m, err := results.ReadManifest(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return reuse, command.Refusef("--reuse %s: %w; allowed are folders with results of `coordinator run` or `coordinator collect`", name, err)
		}
		if err != nil {
			return reuse, command.Refusef("--reuse %s: %w", name, err)
		}
		if m.Kind != plan.Kind {
			return reuse, command.Refusef("--reuse %s: its cells are of the kind %s; those of the grid are %s", name, m.Kind, plan.Kind)
		}
		reuse.Dirs = append(reuse.Dirs, run.ReusedFolder{Dir: dir, Name: name})
	}
	return reuse, nil
}

func (a *app) fetch(ctx context.Context, from, dir string, kept []string) error {
	store, err := a.openStore(ctx, "reuse", from)
	if err != nil {
		return err
	}
	have, err := store.List(ctx)
	if err != nil {
		return err
	}
	for _, name := range []string{results.ManifestName, results.CellsFile} {
		if !slices.Contains(have, name) {
			return command.Refusef("--reuse %s: it has no %s; allowed is a folder that `coordinator collect` has written to the end", from, name)
		}
	}
	for _, name := range have {
		table := strings.TrimPrefix(strings.TrimSuffix(name, ".arrow"), "former.")
		if name != results.ManifestName && !(isTable(name) && slices.Contains(append(kept, "cells"), table)) {
			continue
		}
		_, err := oneStep(a.Base, "reuse", "fetching "+from+"/"+name, func() (any, error) {
			return nil, store.Get(ctx, name, filepath.Join(dir, name))
		})
		if _, damaged := errors.AsType[*bucket.DamagedError](err); damaged {
			err = fmt.Errorf("--reuse: %w; `coordinator collect` of its run sends it again", err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
