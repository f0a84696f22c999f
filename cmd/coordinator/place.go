package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
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

// place is a folder, or one of a store with a local copy that is made before a collection and sent
// back after.
type place struct {
	dir    string
	store  *bucket.Folder
	had    []string     // objects of the store
	remove func() error // of the copy
}

// openPlace prepares a place. A folder of a store may only hold the same run: its files are
// replaced one by one, so that each must fit the former ones.
func (a *app) openPlace(ctx context.Context, out, run string) (p *place, err error) {
	if !bucket.IsURL(out) {
		if info, err := os.Stat(out); err == nil && !info.IsDir() {
			return nil, command.Refusef("--out: %s is not a directory", out)
		}
		return &place{dir: out}, nil
	}
	p = &place{}
	if p.store, err = a.openStore(ctx, "out", out); err != nil {
		return nil, err
	}
	if p.dir, p.remove, err = disk.TemporaryFolder("agepath-collect-"); err != nil {
		return nil, fmt.Errorf("a folder for the files of %s: %w", out, err)
	}
	if err = p.get(ctx, run); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

func (a *app) openStore(ctx context.Context, flag, name string) (*bucket.Folder, error) {
	store, err := bucket.Open(name, a.Env)
	if err != nil {
		return nil, command.Refusef("--%s: %w", flag, err)
	}
	refused, err := store.Check(ctx)
	if refused {
		err = command.Refuse(err)
	}
	return store, err
}

// get fetches the tables of a run from the store. Tables without a manifest were not sent
// completely and are sent again.
func (p *place) get(ctx context.Context, run string) (err error) {
	if p.had, err = p.store.List(ctx); err != nil || !slices.Contains(p.had, results.ManifestName) {
		return err
	}
	fetch := func(name string) error { return mendable(p.store.Get(ctx, name, filepath.Join(p.dir, name))) }
	if err := fetch(results.ManifestName); err != nil {
		return err
	}
	m, err := results.ReadManifest(p.dir)
	if err != nil {
		return command.Refusef("%s: %w", p.store, err)
	}
	if m.Run != run {
		return command.Refusef("%s holds run %s; --out with another folder is allowed", p.store, m.Run)
	}
	for _, name := range p.had {
		if isTable(name) {
			if err := fetch(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// mendable adds to the error of a damaged object what mends it.
func mendable(err error) error {
	if _, damaged := errors.AsType[*bucket.DamagedError](err); damaged {
		return fmt.Errorf("%w; restore the object, or remove it and %s there, and `coordinator collect` of its run sends them again", err, results.ManifestName)
	}
	return err
}

func isTable(name string) bool { return path.Ext(name) == ".arrow" && path.Base(name) == name }

// put sends further tables, then the rows of cells, and the manifest last, so that a reader of the
// manifest sees all its files. Objects that are no longer files are removed after that, those of
// the report only if there is a new one.
func (p *place) put(ctx context.Context, reported bool) error {
	if p.store == nil {
		return nil
	}
	var names []string
	err := fs.WalkDir(os.DirFS(p.dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && !strings.HasPrefix(path.Base(name), ".") {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		return err
	}
	turn := func(name string) int {
		switch {
		case name == results.ManifestName:
			return 3
		case name == results.CellsFile:
			return 1
		case isTable(name):
			return 0
		}
		return 2
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(turn(a), turn(b)) })
	if _, err := p.store.Put(ctx, p.dir, names); err != nil {
		return err
	}
	for _, name := range p.had {
		ours := isTable(name) || reported && strings.HasPrefix(name, results.ReportFolder+"/")
		if ours && !slices.Contains(names, name) {
			if err := p.store.Remove(ctx, name); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *place) close() {
	if p.store != nil {
		_ = p.remove()
	}
}

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
		return disk.InHome(text)
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
			return nil, mendable(store.Get(ctx, name, filepath.Join(dir, name)))
		})
		if err != nil {
			return err
		}
	}
	return nil
}
