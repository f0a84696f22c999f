package baselines

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/convex"
	"github.com/agepath/agepath/internal/dense"
)

var errFactor = errors.New("baselines: the least squares system is not positive definite to working precision: C is too large for the data")

// primal is the linear machine by its d x d normal equations, with x̄ and t̄ the weighted means:
//
//	(I/C + Σ a_i (x_i - x̄)(x_i - x̄)ᵀ) w = Σ a_i (x_i - x̄)(t_i - t̄),   b = t̄ - w·x̄.
type primal struct {
	c      float64
	x      blas64.General // minus origin
	origin []float64

	a      []float64
	total  float64   // Σ a
	mean   []float64 // x̄
	rows   []float64 // √a_i (x_i - x̄) of the rows with weight
	factor dense.Cholesky

	w        []float64
	b        float64
	residual []float64
	gradient []float64
}

func newPrimal(x blas64.General, c float64) *primal {
	n, d := x.Rows, x.Cols
	f := func(k int) []float64 { return make([]float64, k) }
	p := &primal{c: c, a: f(n), mean: f(d), rows: f(n * d), w: f(d), residual: f(n), gradient: f(d)}
	p.x, p.origin = convex.Centred(x)
	return p
}

func (p *primal) row(i int) blas64.Vector {
	return dense.Vector(p.x.Data[i*p.x.Stride : i*p.x.Stride+p.x.Cols])
}

func (p *primal) weigh(ctx context.Context, a []float64) error {
	copy(p.a, a)
	d := p.x.Cols
	p.total = 0
	clear(p.mean)
	for i, v := range a {
		if v > 0 {
			p.total += v
			blas64.Axpy(v, p.row(i), dense.Vector(p.mean))
		}
	}
	if p.total == 0 {
		return nil
	}
	blas64.Scal(1/p.total, dense.Vector(p.mean))
	m := 0
	for i, v := range a {
		if v > 0 {
			row := p.rows[m*d : (m+1)*d]
			root, x := math.Sqrt(v), p.row(i).Data
			for j, mean := range p.mean {
				row[j] = root * (x[j] - mean)
			}
			m++
		}
	}
	system, stride := p.factor.Matrix(d)
	blas64.Syrk(blas.Trans, 1, blas64.General{Rows: m, Cols: d, Stride: d, Data: p.rows[:m*d]},
		0, blas64.Symmetric{Uplo: blas.Lower, N: d, Stride: stride, Data: system})
	for j := range d {
		system[j*stride+j] += 1 / p.c
	}
	return factorize(ctx, &p.factor, d)
}

func factorize(ctx context.Context, f *dense.Cholesky, rows int) error {
	err := f.Eliminate(ctx, rows)
	if errors.Is(err, dense.ErrIndefinite) {
		return errFactor
	}
	return err
}

// fit refines the solution by the gradient, which is free of the factor's rounding.
func (p *primal) fit(targets []float64) float64 {
	clear(p.w)
	if p.total == 0 {
		return 0
	}
	var level, scale float64
	for i, v := range p.a {
		if v > 0 {
			level += v * targets[i]
			scale += v * math.Abs(targets[i]) * largest(p.row(i).Data)
		}
	}
	level /= p.total
	p.b = level
	for pass := 0; ; pass++ {
		for i, v := range p.a {
			p.residual[i] = 0
			if v > 0 {
				p.residual[i] = v * (targets[i] - p.b)
				p.residual[i] -= v * blas64.Dot(p.row(i), dense.Vector(p.w))
			}
		}
		copy(p.gradient, p.w)
		blas64.Gemv(blas.Trans, 1, p.x, dense.Vector(p.residual), -1/p.c, dense.Vector(p.gradient))
		// The residuals sum to 0 up to rounding, which a large mean would amplify.
		drift := 0.0
		for _, r := range p.residual {
			drift += r
		}
		blas64.Axpy(-drift, dense.Vector(p.mean), dense.Vector(p.gradient))
		if pass == 3 {
			break
		}
		p.factor.Solve(p.gradient)
		blas64.Axpy(1, dense.Vector(p.gradient), dense.Vector(p.w))
		p.b = level - dense.Dot(p.w, p.mean)
	}
	return ratio(largest(p.gradient), scale)
}

func (p *primal) predict(u []float64) {
	for i := range u {
		u[i] = p.b
	}
	blas64.Gemv(blas.NoTrans, 1, p.x, dense.Vector(p.w), 1, dense.Vector(u))
}

func (p *primal) norm() float64 { return dense.Dot(p.w, p.w) }

func (p *primal) theta() []float64 {
	theta := append([]float64(nil), p.w...)
	return append(theta, p.b-dense.Dot(p.w, p.origin))
}
