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

	"github.com/agepath/agepath/internal/bucket"
	"github.com/agepath/agepath/internal/command"
	"github.com/agepath/agepath/internal/disk"
	"github.com/agepath/agepath/results"
)

// place is where a collection goes: a folder, or one of a store whose copy here is made
// before and sent back after.
type place struct {
	dir    string
	store  *bucket.Folder // nil for a folder of this machine
	had    []string       // objects of the store
	held   int            // cells of its tables, where these are not in the copy
	broken error          // why they are not
	remove func() error   // of the copy
}

// openPlace prepares a place. A folder of a store may hold the same run alone: while its
// files are replaced one by one, each must go with those of before.
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

// openStore opens the folder of a store that a flag names, and asks for its bucket.
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

// get fetches the tables of a run that the store has. Those without a manifest were not
// sent to the end and are sent again. So are all where one is damaged: they belong together.
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
	for _, n := range m.Counts {
		p.held += n
	}
	for _, name := range append(tables, results.ManifestName) {
		if err := os.Remove(filepath.Join(p.dir, name)); err != nil {
			return fmt.Errorf("leaving out the tables of %s: %w", p.store, err)
		}
	}
	return nil
}

// check refuses to replace tables of which one is damaged by those of fewer cells.
func (p *place) check(cells int) error {
	if p.broken == nil || cells >= p.held {
		return nil
	}
	return fmt.Errorf("%w; the NATS server has %s of the run, of the %d that were there, so that nothing is sent: "+
		"restore the object, or remove %s there to have the tables replaced by those of the server", p.broken, cellsText(int64(cells)), p.held, results.ManifestName)
}

func isTable(name string) bool { return path.Ext(name) == ".arrow" && path.Base(name) == name }

// put sends the files to the store, the manifest last: who sees it sees the files that it
// tells of. The rows of cells are sent after those of the further tables. Objects that are
// no files any more go after that; those of the report only where there is a new one.
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
		ours := isTable(name) || reported && strings.HasPrefix(name, reportFolder+"/")
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
		_ = p.remove() // the next collection removes what is left
	}
}
