package convex

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/activeset"
)

// SVMOptions tune an [SVM]; 0 means the default.
type SVMOptions struct {
	// CacheBytes bounds the memory for kernel rows and, separately, for the factor of the free
	// support vectors. Default: 512 MiB. From 8 n² bytes on no row is computed twice.
	CacheBytes int64
	// MaxUpdates bounds the working-set updates plus exchanges of the free set per Solve. Default:
	// max(10,000,000, 100 n).
	MaxUpdates int
	// Diagonal, of length n and >= 0, is added to the training kernel's diagonal, and so to Scores,
	// f(x_i) + Diagonal_i α_i y_i + b, but not to the function f of θ.
	Diagonal []float64
}

// SVM solves the weighted support vector machine
//
//	min ½‖f‖² + Σ_i v_i C max(0, 1 - y_i (f(x_i) + b))
//
// through its dual, with α_i <= C v_i. A first Solve runs sequential minimal optimization to a
// moderate tolerance and then finds the exact free set; a Solve near the last solution starts with
// the latter and usually needs one linear system. [LinearSVM] is faster for the linear kernel.
//
// The bias b is unpenalized, or absent (0). It follows from the free support vectors, or is the
// midpoint of the feasible interval. If only one class has positive weights, f = 0 and b is its
// sign; if none has, f = 0 and b is unchanged. θ is (α, b).
type SVM struct {
	y       []float64
	c       float64
	options SVMOptions
	points  Points
	dual    *dual

	upper  []float64
	alpha  []float64
	b      float64 // for the shifted rows
	places []activeset.Place
	theta  []float64
	scores []float64 // n, after SetScores
	given  given
}

// NewSVM keeps y, with labels of -1 and +1, and x, n x d, unless it centres x. It panics on
// mismatched shapes, other labels, or a c or gamma that is not positive and finite.
func NewSVM(x blas64.General, y []float64, c float64, kernel Kernel, intercept bool, options SVMOptions) *SVM {
	checkSVM(x, y, c)
	if rbf, ok := kernel.(RBF); ok && (!(rbf.Gamma > 0) || math.IsInf(rbf.Gamma, 1)) {
		panic(fmt.Sprintf("convex: svm with kernel gamma %g, want it positive and finite", rbf.Gamma))
	}
	if options.Diagonal != nil && len(options.Diagonal) != x.Rows {
		panic(fmt.Sprintf("convex: svm with %d entries of Diagonal for %d rows", len(options.Diagonal), x.Rows))
	}
	options = options.withDefaults(x.Rows)
	s := &SVM{y: y, c: c, options: options}
	if kernel.translationInvariant() {
		x, _ = Centred(x)
	}
	s.points = NewPoints(x)
	s.dual = newDual(newGram(kernel, s.points, options.Diagonal, options.CacheBytes), y, intercept, options.CacheBytes)
	n := x.Rows
	s.upper, s.alpha, s.places, s.scores = make([]float64, n), make([]float64, n), make([]activeset.Place, n), make([]float64, n)
	s.theta = make([]float64, n+1)
	for i := range s.places {
		s.places[i] = s.dual.Zero(i)
	}
	copy(s.dual.Place, s.places)
	return s
}

func checkSVM(x blas64.General, y []float64, c float64) {
	if x.Rows != len(y) || x.Rows == 0 {
		panic(fmt.Sprintf("convex: svm with %d rows but %d labels, want as many and at least one", x.Rows, len(y)))
	}
	for i, v := range y {
		if v != 1 && v != -1 {
			panic(fmt.Sprintf("convex: svm with label %g of sample %d, want -1 or 1", v, i))
		}
	}
	if !(c > 0) || math.IsInf(c, 1) {
		panic(fmt.Sprintf("convex: svm with cost %g, want it positive and finite", c))
	}
}

func (o SVMOptions) withDefaults(n int) SVMOptions {
	if o.CacheBytes <= 0 {
		o.CacheBytes = 512 << 20
	}
	if o.MaxUpdates <= 0 {
		o.MaxUpdates = max(10_000_000, 100*n)
	}
	return o
}

// Centred returns x minus its column means, and these: a free intercept absorbs the shift, and sums
// of squares keep their digits.
func Centred(x blas64.General) (blas64.General, []float64) {
	mean := make([]float64, x.Cols)
	out := blas64.General{Rows: x.Rows, Cols: x.Cols, Stride: max(1, x.Cols), Data: make([]float64, x.Rows*x.Cols)}
	for i := range x.Rows {
		for j, v := range x.Data[i*x.Stride : i*x.Stride+x.Cols] {
			mean[j] += v / float64(x.Rows)
		}
	}
	for i := range x.Rows {
		row := out.Data[i*out.Stride : i*out.Stride+x.Cols]
		for j, v := range x.Data[i*x.Stride : i*x.Stride+x.Cols] {
			row[j] = v - mean[j]
		}
	}
	return out, mean
}

// Solve returns a [*ToleranceError] short of [Tolerance].
func (s *SVM) Solve(ctx context.Context, weights []float64) (Certificate, error) {
	_, err := largestWeight(weights, len(s.y))
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return Certificate{}, fmt.Errorf("svm: %w", err)
	}
	var positive, negative bool
	for i, v := range weights {
		s.upper[i] = s.c * v
		positive = positive || s.upper[i] > 0 && s.y[i] > 0
		negative = negative || s.upper[i] > 0 && s.y[i] < 0
	}
	q := s.dual
	var certificate Certificate
	switch {
	case !positive && !negative:
		q.B = s.theta[len(s.theta)-1]
		q.reset(s.upper)
		certificate = q.certificate(0)
	case q.Equality && !(positive && negative):
		q.reset(s.upper)
		certificate = q.certificate(0)
	default:
		q.gram.done = ctx.Done()
		certificate, err = s.optimize(ctx)
		q.gram.done = nil
		if err == nil {
			err = ctx.Err() // a cancelled sum is incomplete
		}
	}
	if err != nil {
		s.recall()
		return Certificate{}, fmt.Errorf("svm: %w", err)
	}
	if !accepted(certificate) {
		s.recall()
		return certificate, &ToleranceError{"svm", certificate}
	}
	s.keep()
	return certificate, nil
}

// optimize tries the polish alone, then after rounds of sequential minimal optimization, each finer
// or longer.
func (s *SVM) optimize(ctx context.Context) (Certificate, error) {
	const (
		moderate = 0.1
		least    = 1e-13
		coarse   = 4e-15 // first value of the polish's finest tolerance
	)
	q := s.dual
	q.setBox(s.upper)
	if s.given == duals {
		q.snap()
	}
	work, n := 0, len(s.y)
	tolerance, budget, finest, sums := moderate, 2*n, coarse, 0
	far := !q.started()
	for {
		if far {
			q.Balance()
			updates, err := q.minimize(ctx, tolerance, min(budget, s.options.MaxUpdates-work))
			work += updates
			if err != nil {
				return Certificate{}, err
			}
			if updates < budget {
				tolerance = max(tolerance/10, least*q.scale())
			}
			budget *= 4
		}
		limits := activeset.Limits{Exchanges: min(500+10*n, s.options.MaxUpdates-work)}
		limits.Bounded, limits.Free = q.tolerances(finest)
		exchanges, arrived, err := q.Set.Solve(ctx, limits)
		work += exchanges
		if err != nil {
			return Certificate{}, err
		}
		if q.undrift(&sums) {
			continue
		}
		q.Multiplier()
		c := q.certificate(work)
		q.objective = c.Objective
		if accepted(c) || work >= s.options.MaxUpdates || far && tolerance <= least*q.scale() {
			return c, nil
		}
		far = !arrived || finest == resolution
		finest = resolution
	}
}

func accepted(c Certificate) bool { return c.Gap <= Tolerance && c.KKT <= Tolerance }
