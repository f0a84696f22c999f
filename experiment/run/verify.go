package run

import (
	"context"
	"errors"
	"io/fs"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/internal/disk"
	"github.com/agepath/agepath/results"
)

// Verify is [results.Verify], and checks that the folder has exactly the plan's cells and that the
// data sets have their digests. Another version of agepath than the folder's may plan other cells.
func Verify(ctx context.Context, dir string, library experiment.Loader, version string) (*results.Verification, error) {
	v, err := results.Verify(ctx, dir)
	if err != nil {
		return nil, err
	}
	_, plan, err := planOfFolder(ctx, dir, v.Manifest, library)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, dataset.ErrAbsent), errors.As(err, new(*fs.PathError)): // as for readers of a published folder
		v.Note("the plan's cells and the digests of data were not compared: %v", err)
		return v, nil
	case err != nil:
		v.Problem("grid", "the grid of %s: %v", results.ManifestName, err)
		return v, nil
	}
	same := true
	for _, d := range plan.Data {
		if have := v.Manifest.Data[d.Name]; have != d.Digest {
			v.Problem("data", "the data set %s here has the digest %s, the cells were computed from %s", d.Name, d.Digest, have)
			same = false
		}
	}
	switch {
	case plan.Run == v.Manifest.Run:
		v.CheckPlan(plan.IDs())
	case same && (v.Manifest.Versions["agepath"] != version || v.Manifest.SchemaVersion != experiment.SchemaVersion):
		v.Note("the plan's cells were not compared: agepath %s computed the folder, and this is %s", v.Manifest.Versions["agepath"], version)
	case same:
		v.Problem("grid", "the grid of %s makes the run %s, not %s: it was changed", results.ManifestName, plan.Run, v.Manifest.Run)
	}
	return v, nil
}

func planOf(ctx context.Context, m *results.Manifest, library experiment.Loader) (*experiment.Grid, *experiment.Plan, error) {
	file := m.File
	if whole, err := disk.InHome(file); err == nil { // without a home files are found by digests alone
		file = whole
	}
	grid, err := experiment.Parse([]byte(m.Grid), file, m.Set)
	if err != nil {
		return nil, nil, err
	}
	plan, err := grid.Plan(ctx, library)
	return grid, plan, err
}
