package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/internal/disk"
	"github.com/agepath/agepath/results"
)

// placesOf returns where the grid's file and its data sets' files are.
func placesOf(grid *experiment.Grid, plan *experiment.Plan) results.ManifestPlaces {
	var places results.ManifestPlaces
	if path, err := filepath.Abs(grid.File); err == nil && grid.File != "" {
		places.Grid.Path = disk.FromHome(path)
	}
	for _, d := range plan.Data {
		if path := plan.Place(d.Digest); path != "" {
			places.Data = append(places.Data, results.ManifestDataPlace{
				Name: d.Name, Digest: d.Digest, ManifestPlace: results.ManifestPlace{Path: disk.FromHome(path)},
			})
		}
	}
	return places
}

// seenFrom makes paths relative to a folder.
func seenFrom(places results.ManifestPlaces, dir string) results.ManifestPlaces {
	from, err := filepath.Abs(dir)
	if err != nil {
		return places
	}
	relative := func(p *results.ManifestPlace) {
		p.Relative = ""
		if whole, err := disk.InHome(p.Path); err == nil && whole != "" {
			if path, err := filepath.Rel(from, whole); err == nil {
				p.Relative = filepath.ToSlash(path)
			}
		}
	}
	seen := results.ManifestPlaces{Grid: places.Grid, Data: slices.Clone(places.Data)}
	relative(&seen.Grid)
	for i := range seen.Data {
		relative(&seen.Data[i].ManifestPlace)
	}
	return seen
}

// placesIn returns where a file was, and the same relative to the folder of the results.
func placesIn(p results.ManifestPlace, dir string) (list []string) {
	if path, err := disk.InHome(p.Path); err == nil && path != "" {
		list = append(list, path)
	}
	if p.Relative != "" {
		list = append(list, filepath.Join(dir, filepath.FromSlash(p.Relative)))
	}
	return list
}

// PlanAgain plans what the manifest of a folder describes, with further overrides.
func PlanAgain(ctx context.Context, dir string, set []string, library experiment.Loader) (*experiment.Grid, *experiment.Plan, error) {
	m, err := results.ReadManifest(dir)
	if err != nil {
		return nil, nil, err
	}
	m.Set = append(m.Set, set...)
	return planOfFolder(ctx, dir, m, library)
}

// planOfFolder also looks where the folder's manifest says. Files of commands are the folder's copies.
func planOfFolder(ctx context.Context, dir string, m *results.Manifest, library experiment.Loader) (*experiment.Grid, *experiment.Plan, error) {
	here := *m
	for _, path := range placesIn(m.Places.Grid, dir) {
		if _, err := os.Stat(path); err == nil {
			here.File = path
			break
		}
	}
	return planOf(ctx, &here, &placed{library, m, dir})
}

// placed loads a folder's data sets, also from where its manifest says if the library lacks one or
// has another digest, and the folder's copies of the files of commands.
type placed struct {
	experiment.Loader
	manifest *results.Manifest
	dir      string
}

// File implements [experiment.FileLoader].
func (l *placed) File(_ context.Context, name string) (io.ReadCloser, error) {
	file, err := os.Open(results.FileIn(l.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return file, err
}

// Folders implements [experiment.FolderLoader].
func (l *placed) Folders() []string {
	if of, ok := l.Loader.(experiment.FolderLoader); ok {
		return of.Folders()
	}
	return nil
}

// Load implements [experiment.Loader].
func (l *placed) Load(ctx context.Context, source dataset.Source) (*dataset.Dataset, error) {
	name := source.DatasetName()
	if slices.ContainsFunc(l.manifest.Absent, func(d results.ManifestData) bool { return d.Name == name }) {
		return nil, fmt.Errorf("%w: %s; the run left it out", dataset.ErrAbsent, name)
	}
	set, err := l.Loader.Load(ctx, source)
	want := l.manifest.Data[name]
	from, ok := l.Loader.(interface {
		LoadFrom(ctx context.Context, source dataset.Source, path string) (*dataset.Dataset, error)
	})
	if !ok || want == "" || err == nil && set.Digest() == want {
		return set, err
	}
	for _, place := range l.manifest.Places.Data {
		if place.Name != name {
			continue
		}
		for _, path := range placesIn(place.ManifestPlace, l.dir) {
			other, problem := from.LoadFrom(ctx, source, path)
			if problem == nil && other.Digest() == want {
				return other, nil
			}
			if problem != nil && err != nil {
				err = fmt.Errorf("%w; nor from where it was: %w", err, problem)
			}
		}
	}
	return set, err
}
