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

	"github.com/agepath/agepath/experiment"
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
	held   int          // cells of the store's tables, if not in the copy
	broken error        // why they are not
	remove func() error // of the copy
}

// openPlace prepares a place. A folder of a store may only hold the same run: its files are
// replaced one by one, so that each must fit the former ones.
func (a *app) openPlace(ctx context.Context, out, run string) (p *place, err error) {
	if !bucket.IsURL(out) {
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
	err = store.Check(ctx)
	if _, ok := errors.AsType[*bucket.RefusedError](err); ok {
		err = command.Refuse(err)
	}
	return store, err
}

// get fetches the tables of a run from the store. Tables without a manifest were not sent
// completely and are sent again. If one is damaged, all are sent again: they belong together.
func (p *place) get(ctx context.Context, run string) (err error) {
	if p.had, err = p.store.List(ctx); err != nil || !slices.Contains(p.had, results.ManifestName) {
		return err
	}
	fetch := func(name string) error { return p.store.Get(ctx, name, filepath.Join(p.dir, name)) }
	if err := fetch(results.ManifestName); err != nil {
		if _, damaged := errors.AsType[*bucket.DamagedError](err); damaged {
			err = fmt.Errorf("%w; remove it, and the next collection sends all files again", err)
		}
		return err
	}
	m, err := results.ReadManifest(p.dir)
	if err != nil {
		return command.Refusef("%s: %w", p.store, err)
	}
	if m.Run != run {
		return command.Refusef("%s holds run %s; --out with another folder is allowed", p.store, m.Run)
	}
	tables := slices.DeleteFunc(slices.Clone(p.had), func(name string) bool { return !isTable(name) })
	for _, name := range tables {
		err := fetch(name)
		if _, damaged := errors.AsType[*bucket.DamagedError](err); damaged && p.broken == nil {
			p.broken = err
		} else if err != nil && !damaged {
			return err
		}
	}
	if p.broken == nil {
		return nil
	}
	p.held = experiment.CountAll(m.Counts)
	for _, name := range append(tables, results.ManifestName) {
		if err := os.Remove(filepath.Join(p.dir, name)); err != nil {
			return fmt.Errorf("leaving out the tables of %s: %w", p.store, err)
		}
	}
	return nil
}

// check refuses to replace tables, one of them damaged, by tables of fewer cells.
func (p *place) check(cells int) error {
	if p.broken == nil || cells >= p.held {
		return nil
	}
	return fmt.Errorf("%w; the NATS server has %s of the run, of the %d that were there, so that nothing is sent: "+
		"restore the object, or remove %s there to have the tables replaced by those of the server", p.broken, cellsText(int64(cells)), p.held, results.ManifestName)
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
