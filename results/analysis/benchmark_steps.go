package analysis

import (
	"context"
	"errors"
	"fmt"
	"hash"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/results"
)

// trace is what the points of a cell's curve are: a sum of them, and what it was at each target.
type trace struct {
	hash.Hash
	reached []string
}

// addSteps adds to the results what steps the methods made, from the table of points in dir,
// where it is there.
func (b *Benchmark) addSteps(ctx context.Context, dir string) error {
	of := b.Layout.Solvers
	path := filepath.Join(dir, of.Table+".arrow")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil // the run has not ended, or its grid does not keep the table
	}
	traces := map[string]*trace{}
	for i := range b.Problems {
		for _, r := range b.Problems[i].Results {
			for _, cell := range r.cells {
				traces[cell] = &trace{fnv.New128a(), make([]string, len(of.Targets))}
			}
		}
	}
	columns := []string{"cell", of.Passes, of.Objective, of.PointGap, of.Violation}
	kinds := []experiment.Type{experiment.Text, experiment.Float, experiment.Float, experiment.Float, experiment.Float}
	wanted := func(cell string) bool { return traces[cell] != nil }
	err := results.EachFrameOf(ctx, path, wanted, columns, func(f *results.Frame) error {
		v, err := f.Vectors(path, columns, kinds)
		if err != nil {
			return err
		}
		for row, cell := range v[0].Texts {
			t := traces[cell]
			if t == nil {
				continue
			}
			fmt.Fprintf(t, "%v %x %x;", v[1].IsNull(row), v[1].Floats[row], v[2].Floats[row])
			for k, target := range of.Targets {
				if !v[3].IsNull(row) && v[3].Floats[row] <= target.Gap && v[4].Floats[row] <= of.Feasible && t.reached[k] == "" {
					t.reached[k] = string(t.Sum(nil))
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i := range b.Problems {
		for m := range b.Problems[i].Results {
			r := &b.Problems[i].Results[m]
			r.steps = make([]string, len(of.Targets))
			for k := range r.steps {
				for _, cell := range r.cells {
					r.steps[k] += traces[cell].reached[k]
				}
				if len(r.steps[k]) != fnv.New128a().Size()*len(r.cells) {
					r.steps[k] = "" // not reached in all repeats
				}
			}
		}
	}
	return nil
}
