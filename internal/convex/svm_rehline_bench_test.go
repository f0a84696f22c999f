package convex_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/internal/convex"
	"github.com/agepath/agepath/internal/testing/needs"
	"github.com/agepath/agepath/rehline"
)

// BenchmarkSVMRehline compares the linear support vector machine with package
// rehline at the same accuracy of the optimality conditions: cold from nothing,
// set-up left out, and warm, a fit of those that alternate convex search goes
// through along growing ages. The metric kkt is the largest violation met,
// relative to the size of the terms as the certificate of an SVM has it.
func BenchmarkSVMRehline(b *testing.B) {
	for _, name := range []string{"breast_cancer", "digits", "pendigits", "mfeat-pixel"} {
		for _, noise := range []float64{0, 0.3} {
			x, y := trainingPart(b, name, noise)
			sequence := searchWeights(b, x, y)
			ones := make([]float64, len(y))
			for i := range ones {
				ones[i] = 1
			}
			if noise > 0 {
				name += "-flipped"
			}
			for _, s := range []svmSolver{newConvexSVM(x, y), newRehlineSVM(b, x, y)} {
				b.Run(name+"/cold/"+s.name(), func(b *testing.B) {
					worst := 0.0
					for b.Loop() {
						worst = max(worst, s.solve(b, ones, false))
					}
					b.ReportMetric(math.Log10(worst), "log10(kkt)")
				})
				b.Run(name+"/warm/"+s.name(), func(b *testing.B) {
					worst := 0.0
					for b.Loop() {
						b.StopTimer()
						s.solve(b, ones, false)
						b.StartTimer()
						for _, weights := range sequence {
							worst = max(worst, s.solve(b, weights, true))
						}
					}
					b.ReportMetric(math.Log10(worst), "log10(kkt)")
					b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(sequence)), "µs/fit")
				})
			}
		}
	}
}

// trainingPart is the training part of a data set by the default protocol, a
// fraction of its labels flipped.
func trainingPart(b *testing.B, name string, noise float64) (blas64.General, []float64) {
	library := dataset.Library{Dir: needs.DatasetsFolder(b)}
	d, err := library.Load(context.Background(), dataset.Source{Name: name})
	if errors.Is(err, dataset.ErrAbsent) {
		needs.Lacking(b, "%v", err)
	}
	if err != nil {
		b.Fatal(err)
	}
	settings := dataset.Settings{Features: dataset.Standard, Split: dataset.Split{Train: 3, Test: 1}}
	if noise > 0 {
		settings.Noise = dataset.Noise{Kind: dataset.Flip, Level: noise}
	}
	p, err := dataset.Prepare(context.Background(), d, settings, func(string) *rand.Rand { return rand.New(rand.NewPCG(1, 2)) })
	if err != nil {
		b.Fatal(err)
	}
	return blas64.General{Rows: p.Train.N, Cols: p.Train.D, Stride: p.Train.D, Data: p.Train.X}, p.Train.Y
}

// searchWeights are the weights of alternate convex search with the linear
// regularizer, v_i = max(0, 1 - l_i/λ), ten alternations at each of 20 ages.
func searchWeights(b *testing.B, x blas64.General, y []float64) [][]float64 {
	s := convex.NewSVM(x, y, 1, convex.Linear{}, true, convex.SVMOptions{})
	scores := make([]float64, len(y))
	var list [][]float64
	age := math.Inf(1)
	for k := range 201 {
		weights := make([]float64, len(y))
		for i, u := range scores {
			weights[i] = max(0, 1-max(0, 1-y[i]*u)/age)
		}
		if _, err := s.Solve(context.Background(), weights); err != nil {
			b.Fatal(err)
		}
		s.Scores(scores)
		age = 1 + float64(k/10)
		if k > 0 {
			list = append(list, weights)
		}
	}
	return list
}

// svmSolver solves and returns the violation of the optimality conditions.
type svmSolver interface {
	name() string
	solve(b *testing.B, weights []float64, warm bool) float64
}

type convexSVM struct {
	x   blas64.General
	y   []float64
	svm *convex.SVM
}

func newConvexSVM(x blas64.General, y []float64) *convexSVM {
	return &convexSVM{x, y, convex.NewSVM(x, y, 1, convex.Linear{}, true, convex.SVMOptions{})}
}

func (s *convexSVM) name() string { return "convex" }

func (s *convexSVM) solve(b *testing.B, weights []float64, warm bool) float64 {
	if !warm {
		b.StopTimer()
		s.svm = convex.NewSVM(s.x, s.y, 1, convex.Linear{}, true, convex.SVMOptions{})
		b.StartTimer()
	}
	certificate, err := s.svm.Solve(context.Background(), weights)
	if err != nil {
		b.Fatal(err)
	}
	return certificate.KKT
}

type rehlineSVM struct {
	x      blas64.General
	y      []float64
	solver *rehline.Solver
	last   *rehline.Solution
}

func newRehlineSVM(b *testing.B, x blas64.General, y []float64) *rehlineSVM {
	solver, err := rehline.New(rehline.Problem{X: x, Loss: rehline.Hinge(y), C: 1, Intercept: rehline.FreeIntercept})
	if err != nil {
		b.Fatal(err)
	}
	return &rehlineSVM{x: x, y: y, solver: solver}
}

func (s *rehlineSVM) name() string { return "rehline" }

func (s *rehlineSVM) solve(b *testing.B, weights []float64, warm bool) float64 {
	if err := s.solver.SetWeights(weights); err != nil {
		b.Fatal(err)
	}
	o := rehline.Options{Tol: rehlineTol}
	if warm && s.last != nil {
		o.Warm = s.last
	}
	solution, err := s.solver.Solve(context.Background(), o)
	if err != nil {
		b.Fatal(err)
	}
	s.last = &solution
	b.StopTimer()
	defer b.StartTimer()
	return s.violation(weights)
}

// rehlineTol is the duality gap at which rehline's solutions satisfy the
// optimality conditions as closely as those of an SVM mostly do.
const rehlineTol = 1e-12

// violation is the KKT of an SVM's certificate, for the last solution: a
// multiplier between its bounds asks for a margin of 1, one at a bound for a
// side of it. A multiplier nearer to a bound than rounding of scale is at it.
func (s *rehlineSVM) violation(weights []float64) float64 {
	scale, worst := max(1, math.Abs(s.last.Intercept)), 0.0
	alpha := s.last.Dual.Lambda.Data
	total, balance := 0.0, 0.0
	for i, y := range s.y {
		row := blas64.Vector{N: s.x.Cols, Inc: 1, Data: s.x.Data[i*s.x.Stride:]}
		f := blas64.Dot(row, blas64.Vector{N: s.x.Cols, Inc: 1, Data: s.last.Beta})
		norm := blas64.Dot(row, row)
		scale = max(scale, math.Abs(f), alpha[i]*norm)
		slack := 1 - y*(f+s.last.Intercept)
		var v float64
		switch at := 1e-12 * weights[i]; {
		case weights[i] == 0:
		case alpha[i] <= at:
			v = max(0, slack)
		case alpha[i] >= weights[i]-at:
			v = max(0, -slack)
		default:
			v = math.Abs(slack)
		}
		worst = max(worst, v)
		total += alpha[i]
		balance += y * alpha[i]
	}
	return max(worst/scale, math.Abs(balance)/total)
}
