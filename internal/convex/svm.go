package convex

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// SVMOptions tune an SVM. The zero value stands for the defaults.
type SVMOptions struct {
	// CacheBytes bounds the memory for kernel rows and, once more, that for the
	// factor of the free support vectors. 0 means 512 MiB. From 8 n² bytes on no
	// kernel row is computed twice.
	CacheBytes int64
	// Tolerance is what both the relative duality gap and the relative KKT
	// residual must reach. 0 means 1e-10.
	Tolerance float64
	// MaxUpdates bounds the working-set updates of one Solve. 0 means
	// max(10,000,000, 100 n).
	MaxUpdates int
	// NoShrinking keeps all samples in the working-set selection.
	NoShrinking bool
}

// SVM solves the weighted support vector machine
//
//	min ½‖f‖² + Σ_i v_i C max(0, 1 - y_i (f(x_i) + b))
//
// for n samples through its dual, whose multipliers have the upper bounds C v_i.
// A Solve from scratch runs sequential minimal optimization to a moderate
// tolerance and then finds the exact free set; a Solve near the last solution
// starts with the latter and mostly needs one linear system.
//
// The bias b is free and unpenalized, or absent (0). With free support vectors
// it is theirs; without any it is the midpoint of the feasible interval; where
// only one class has positive weights, f = 0 and b is that class's sign; where
// no sample has, f = 0 and b stays as it was.
//
// For the linear kernel θ is (w, b), of length d+1, else (α, b), of length n+1.
type SVM struct {
	y       []float64
	c       float64
	options SVMOptions
	points  Points
	linear  bool
	origin  []float64 // d, what was taken off every row; nil where nothing was
	dual    *dual

	upper  []float64 // n, work: C v_i
	alpha  []float64 // n, the last solution's multipliers
	b      float64   // its bias for the rows less origin
	places []place   // n, where the multipliers stand
	theta  []float64
	scores []float64 // n, after SetTheta of (w, b): X w + b
	given  given
}

// NewSVM sets up the problem for the rows of x (n x d, row-major), labels y of
// -1 and +1, the cost c > 0 and the kernel. It keeps y, and keeps x unless it
// centres it, and changes neither. It panics on shapes that do not agree, a
// label other than -1 and +1, a c or gamma that is not positive and finite.
func NewSVM(x blas64.General, y []float64, c float64, kernel Kernel, intercept bool, options SVMOptions) *SVM {
	if x.Rows != len(y) || x.Rows == 0 {
		panic(fmt.Sprintf("convex: svm: %d rows but %d labels; both must be the same and positive", x.Rows, len(y)))
	}
	for i, v := range y {
		if v != 1 && v != -1 {
			panic(fmt.Sprintf("convex: svm: label %g of sample %d is neither -1 nor 1", v, i))
		}
	}
	if !(c > 0) || math.IsInf(c, 1) {
		panic(fmt.Sprintf("convex: svm: cost %g is not positive and finite", c))
	}
	if rbf, ok := kernel.(RBF); ok && (!(rbf.Gamma > 0) || math.IsInf(rbf.Gamma, 1)) {
		panic(fmt.Sprintf("convex: svm: kernel gamma %g is not positive and finite", rbf.Gamma))
	}
	options = options.withDefaults(x.Rows)
	s := &SVM{y: y, c: c, options: options}
	if kernel.translationInvariant(intercept) {
		x, s.origin = centred(x)
	}
	s.points = NewPoints(x)
	_, s.linear = kernel.(Linear)
	s.dual = newDual(newGram(kernel, s.points, options.CacheBytes), y, intercept, options.CacheBytes)
	n := x.Rows
	s.upper, s.alpha, s.places, s.scores = make([]float64, n), make([]float64, n), make([]place, n), make([]float64, n)
	length := n
	if s.linear {
		length = x.Cols
	}
	s.theta = make([]float64, length+1)
	for i := range s.places {
		s.places[i] = s.dual.zero(i)
	}
	copy(s.dual.place, s.places)
	return s
}

func (o SVMOptions) withDefaults(n int) SVMOptions {
	if o.CacheBytes <= 0 {
		o.CacheBytes = 512 << 20
	}
	if o.Tolerance <= 0 {
		o.Tolerance = 1e-10
	}
	if o.MaxUpdates <= 0 {
		o.MaxUpdates = max(10_000_000, 100*n)
	}
	return o
}

// centred returns x less its column means, and the means.
func centred(x blas64.General) (blas64.General, []float64) {
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

// Solve implements Solver. Weights must be finite and not negative.
func (s *SVM) Solve(ctx context.Context, weights []float64) (Certificate, error) {
	if len(weights) != len(s.y) {
		return Certificate{}, fmt.Errorf("convex: svm: %d weights for %d samples", len(weights), len(s.y))
	}
	classes := [2]bool{}
	for i, v := range weights {
		if !(v >= 0) || math.IsInf(v, 1) {
			return Certificate{}, fmt.Errorf("convex: svm: weight %g of sample %d is not finite and >= 0", v, i)
		}
		s.upper[i] = s.c * v
		if s.upper[i] > 0 {
			classes[int(s.y[i]+1)/2] = true
		}
	}
	if err := ctx.Err(); err != nil {
		return Certificate{}, fmt.Errorf("convex: svm: %w", err)
	}
	q := s.dual
	var certificate Certificate
	var err error
	if q.intercept && !(classes[0] && classes[1]) {
		for i := range q.place {
			q.place[i] = q.zero(i)
		}
		q.setBox(s.upper)
		q.bias()
		certificate = q.certificate(0)
	} else {
		certificate, err = s.optimize(ctx)
	}
	if err == nil && !s.accepts(certificate) {
		err = fmt.Errorf("tolerance %g not reached: relative gap %.3g, relative KKT residual %.3g", s.options.Tolerance, certificate.Gap, certificate.KKT)
	}
	if err != nil {
		s.recall()
		return certificate, fmt.Errorf("convex: svm: %w", err)
	}
	s.keep()
	return certificate, nil
}

// optimize finds the optimum for the weights in s.upper from the last solution.
func (s *SVM) optimize(ctx context.Context) (Certificate, error) {
	const (
		moderate = 1e-3  // where sequential minimal optimization hands over at first
		finest   = 1e-13 // relative, where it can do no more
	)
	q := s.dual
	q.setBox(s.upper)
	if s.given == duals {
		q.snap()
	}
	work := 0
	if q.started() {
		exchanges, done, err := q.polish(ctx, 20+q.factor.size()/4)
		work += exchanges
		if err != nil {
			return Certificate{}, err
		}
		if done {
			q.bias()
			if c := q.certificate(work); s.accepts(c) {
				return c, nil
			}
		}
	}
	for tolerance := moderate; ; tolerance /= 100 {
		q.balance()
		updates, err := q.minimize(ctx, math.Max(tolerance, finest*q.scale()), s.options.MaxUpdates-work, !s.options.NoShrinking)
		work += updates
		if err != nil {
			return Certificate{}, err
		}
		exchanges, _, err := q.polish(ctx, 100+2*q.factor.size())
		work += exchanges
		if err != nil {
			return Certificate{}, err
		}
		q.bias()
		c := q.certificate(work)
		if s.accepts(c) || tolerance < finest || work >= s.options.MaxUpdates {
			return c, nil
		}
	}
}

func (s *SVM) accepts(c Certificate) bool {
	return c.Gap <= s.options.Tolerance && c.KKT <= s.options.Tolerance
}
