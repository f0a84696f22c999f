package gaga_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/gaga"
	"github.com/agepath/agepath/internal/testing/needs"
)

// training returns the training part of a data set by the default protocol:
// three quarters of the rows (of every stride-th row), standardized features,
// for regression a target in [0, 1], a fraction noise of the rows
// contaminated. Data sets of two classes become regression where asked. It
// skips the test where the data set is not on this machine.
func training(tb testing.TB, name string, task dataset.Task, noise float64, stride int) *dataset.Part {
	tb.Helper()
	return trainingShare(tb, name, task, noise, stride, func(int) float64 { return 0.75 })
}

// trainingShare is training with a share of the rows that depends on their
// number.
func trainingShare(tb testing.TB, name string, task dataset.Task, noise float64, stride int, share func(rows int) float64) *dataset.Part {
	tb.Helper()
	library := dataset.Library{Dir: needs.DatasetsFolder(tb)}
	d, err := library.Load(context.Background(), dataset.Source{Name: name})
	if errors.Is(err, dataset.ErrAbsent) {
		needs.Lacking(tb, "%v", err)
	}
	if err != nil {
		tb.Fatal(err)
	}
	d.Task = task
	if stride > 1 {
		thin(d, stride)
	}
	train := share(d.N)
	settings := dataset.Settings{Features: dataset.Standard, Split: dataset.Split{Train: train, Test: 1 - train}}
	kind := dataset.Flip
	if task == dataset.Regression {
		settings.Target, kind = dataset.MinMax, dataset.Gaussian
	}
	if noise > 0 {
		settings.Noise = dataset.Noise{Kind: kind, Level: noise}
	}
	prepared, err := dataset.Prepare(context.Background(), d, settings, func(purpose string) *rand.Rand {
		return rand.New(rand.NewPCG(uint64(len(purpose)), uint64(purpose[0])))
	})
	if err != nil {
		tb.Fatal(err)
	}
	return &prepared.Train
}

// thin keeps every stride-th row.
func thin(d *dataset.Dataset, stride int) {
	n := 0
	for i := 0; i < d.N; i += stride {
		copy(d.X[n*d.D:], d.X[i*d.D:(i+1)*d.D])
		d.Y[n] = d.Y[i]
		n++
	}
	d.N, d.X, d.Y = n, d.X[:n*d.D], d.Y[:n]
}

func matrix(p *dataset.Part) blas64.General {
	return blas64.General{Rows: p.N, Cols: p.D, Stride: p.D, Data: p.X}
}

// lasso returns the Lasso's problem on a training part.
func lasso(p *dataset.Part, alpha float64, r gaga.Regularizer) *gaga.Problem {
	problem := gaga.Lasso(matrix(p), p.Y, p.Multiplicity, alpha)
	problem.Regularizer = r
	return problem
}

// track computes a path that must be complete.
func track(tb testing.TB, p *gaga.Problem, o gaga.Options) *gaga.Path {
	tb.Helper()
	path, err := gaga.Track(context.Background(), p, o)
	if err != nil {
		tb.Fatal(err)
	}
	if path.Status() != gaga.Complete {
		tb.Fatalf("status %v at age %v: %s", path.Status(), path.Range().Max, path.Reason())
	}
	return path
}

// count returns the number of turning and jump points.
func count(p *gaga.Path) (turning, jumps int) {
	for _, e := range p.Events() {
		if e.Kind == gaga.Jump {
			jumps++
		} else {
			turning++
		}
	}
	return turning, jumps
}
