package baselines

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga"
	"github.com/agepath/agepath/internal/convex"
	"github.com/agepath/agepath/internal/dense"
)

// dual is the machine by its multipliers α_i = C a_i e_i: over the samples with weight,
//
//	(K + diag(1/(C a))) α + b 1 = t,   1ᵀα = 0,   w = Σ α_i φ(x_i).
type dual struct {
	c      float64
	linear bool
	x      blas64.General // minus origin
	origin []float64
	kernel blas64.General

	weights []float64
	active  []int     // samples with weight
	ridge   []float64 // 1/(C a) of active
	factor  dense.Cholesky
	ones    []float64 // of active: the solution for 1
	sum     float64   // 1ᵀones

	alpha []float64
	b     float64
	u     []float64 // Kα
	r     []float64
}

func newDual(ctx context.Context, x blas64.General, kernel gaga.Kernel, c float64) (*dual, error) {
	n := x.Rows
	f := func(k int) []float64 { return make([]float64, k) }
	q := &dual{c: c, ridge: f(n), ones: f(n), alpha: f(n), u: f(n), r: f(n)}
	q.x, q.origin = convex.Centred(x) // all kernels here are translation invariant up to the intercept
	if kernel == nil {
		q.linear, kernel = true, convex.Linear{}
	}
	q.kernel = blas64.General{Rows: n, Cols: n, Stride: n, Data: f(n * n)}
	points := convex.NewPoints(q.x)
	const strip = 256 // rows between checks of the context
	for from := 0; from < n; from += strip {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rows := min(strip, n-from)
		part := blas64.General{Rows: rows, Cols: x.Cols, Stride: x.Cols, Data: q.x.Data[from*x.Cols:]}
		kernel.Block(blas64.General{Rows: rows, Cols: n, Stride: n, Data: q.kernel.Data[from*n:]}, convex.NewPoints(part), points)
	}
	return q, nil
}

func (q *dual) weigh(ctx context.Context, a []float64) error {
	if slices.Equal(q.weights, a) {
		return nil
	}
	q.weights = q.weights[:0] // invalid until the factor is computed
	q.active = q.active[:0]
	for i, v := range a {
		if v > 0 {
			q.ridge[len(q.active)] = 1 / (q.c * v)
			q.active = append(q.active, i)
		}
	}
	m := len(q.active)
	system, stride := q.factor.Matrix(m)
	for k := range m {
		q.lower(system[k*stride:], k)
	}
	if err := factorize(ctx, &q.factor, m); err != nil {
		return err
	}
	for k := range m {
		q.ones[k] = 1
	}
	q.factor.Solve(q.ones[:m])
	q.sum = 0
	for _, v := range q.ones[:m] {
		q.sum += v
	}
	q.weights = append(q.weights, a...)
	return nil
}

func (q *dual) fit(targets []float64) float64 {
	clear(q.alpha)
	clear(q.u)
	m := len(q.active)
	if m == 0 {
		return 0
	}
	q.b = 0
	r := q.r[:m]
	var scale float64
	for pass := 0; ; pass++ {
		excess := 0.0
		for k, i := range q.active {
			r[k] = targets[i] - q.u[i] - q.ridge[k]*q.alpha[i] - q.b
			excess += q.alpha[i]
		}
		if pass == 0 {
			scale = largest(r)
		}
		if pass == 3 {
			break
		}
		q.factor.Solve(r)
		for _, v := range r {
			excess += v
		}
		shift := excess / q.sum
		q.b += shift
		for k, i := range q.active {
			q.alpha[i] += r[k] - shift*q.ones[k]
		}
		blas64.Gemv(blas.NoTrans, 1, q.kernel, dense.Vector(q.alpha), 0, dense.Vector(q.u))
	}
	return ratio(largest(r), scale)
}

func (q *dual) predict(u []float64) {
	for i, v := range q.u {
		u[i] = v + q.b
	}
}

func (q *dual) norm() float64 { return dense.Dot(q.alpha, q.u) }

func (q *dual) theta() []float64 {
	if !q.linear {
		return append(append([]float64(nil), q.alpha...), q.b)
	}
	d := q.x.Cols
	theta := make([]float64, d+1)
	blas64.Gemv(blas.Trans, 1, q.x, dense.Vector(q.alpha), 0, dense.Vector(theta[:d]))
	theta[d] = q.b - dense.Dot(theta[:d], q.origin)
	return theta
}

func (q *dual) lower(row []float64, k int) {
	from := q.kernel.Data[q.active[k]*q.kernel.Rows:]
	for l := range k + 1 {
		row[l] = from[q.active[l]]
	}
	row[k] += q.ridge[k]
}
