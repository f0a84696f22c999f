package run

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/results"
)

// placesOf returns where the grid's file and its data sets' files are.
func placesOf(grid *experiment.Grid, plan *experiment.Plan) results.ManifestPlaces {
	var places results.ManifestPlaces
	if path, err := filepath.Abs(grid.File); err == nil && grid.File != "" {
		places.Grid.Path = path
	}
	for _, d := range plan.Data {
		if path := plan.Place(d.Digest); path != "" {
			places.Data = append(places.Data, results.ManifestDataPlace{
				Name: d.Name, Digest: d.Digest, ManifestPlace: results.ManifestPlace{Path: path},
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
		if path, err := filepath.Rel(from, p.Path); err == nil && p.Path != "" {
			p.Relative = filepath.ToSlash(path)
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
	if p.Path != "" {
		list = append(list, p.Path)
	}
	if p.Relative != "" {
		list = append(list, filepath.Join(dir, filepath.FromSlash(p.Relative)))
	}
	return list
}

// planOfFolder also looks where the folder's manifest says.
func planOfFolder(ctx context.Context, dir string, m *results.Manifest, library experiment.Loader) (*experiment.Plan, error) {
	here := *m
	for _, path := range placesIn(m.Places.Grid, dir) {
		if _, err := os.Stat(path); err == nil {
			here.File = path
			break
		}
	}
	_, plan, err := planOf(ctx, &here, &placed{library, m, dir})
	return plan, err
}

// placed loads a folder's data sets, also from where its manifest says if the library lacks one or
// has another digest.
type placed struct {
	experiment.Loader
	manifest *results.Manifest
	dir      string
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
