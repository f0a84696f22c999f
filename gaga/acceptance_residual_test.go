package gaga_test

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/agepath/agepath/gaga"
	"github.com/agepath/agepath/internal/convex"
)

// optimality computes by how much a point violates the optimality condition of
// a problem, from the problem alone: 0 ∈ ∂R(θ) + Σ_i m_i v*(l_i, λ) ∂l_i(θ).
type optimality struct {
	p        *gaga.Problem
	absolute blas64.General  // |X|
	blur     float64         // of a predictor, that the digits of the intercept allow
	kernel   blas64.General  // n x n, of kernel models
	u, f, g  []float64       // n
	grad     []float64       // d + 1
	scale    []float64       // d + 1
	stood    map[int]float64 // of the last open samples: their part of the slope
	middle   bool            // they begin in the middle
}

func newOptimality(p *gaga.Problem) *optimality {
	n, d := p.X.Rows, p.X.Cols
	o := &optimality{
		p: p, stood: map[int]float64{}, u: make([]float64, n), f: make([]float64, n), g: make([]float64, n),
		grad: make([]float64, d+1), scale: make([]float64, d+1),
	}
	if p.Kernel != nil {
		o.kernel = blas64.General{Rows: n, Cols: n, Stride: n, Data: make([]float64, n*n)}
		points := convex.NewPoints(p.X)
		p.Kernel.Block(o.kernel, points, points)
		return o
	}
	o.absolute = blas64.General{Rows: n, Cols: d, Stride: d, Data: make([]float64, n*d)}
	for i := range n {
		for j, x := range p.X.Data[i*p.X.Stride : i*p.X.Stride+d] {
			o.absolute.Data[i*d+j] = math.Abs(x)
		}
	}
	return o
}

// cost is the number of multiplications of one evaluation, about.
func (o *optimality) cost() float64 {
	n, d := float64(o.p.X.Rows), float64(o.p.X.Cols)
	if o.p.Kernel != nil {
		return n * n
	}
	return 4 * n * d
}

// loss returns l, l' and l” in u. At the hinge's kink l' is that of rising loss.
func (o *optimality) loss(u, y float64) (loss, slope, curvature float64) {
	switch l := o.p.Loss.(type) {
	case gaga.Squared:
		return (u - y) * (u - y), 2 * (u - y), 2
	case gaga.Logistic:
		p := 1 / (1 + math.Exp(y*u))
		return l.C * (math.Max(0, -y*u) + math.Log1p(math.Exp(-math.Abs(u)))), -l.C * y * p, l.C * p * (1 - p)
	case gaga.Hinge:
		if y*u < 1 {
			return l.C * (1 - y*u), -l.C * y, 0
		}
		return 0, 0, 0
	}
	panic("unknown loss")
}

// breaks returns the largest weight that a loss at the age up to rounding may
// have, where the weight jumps there, or is of infinite slope, else 0. Such
// losses are those of a jump's own sample.
func (o *optimality) breaks(loss, slope, rounding, age float64) float64 {
	near := 1e-10*(loss+age) + math.Abs(slope)*rounding
	if math.Abs(loss-age) > near {
		return 0
	}
	switch r := o.p.Regularizer.(type) {
	case gaga.Hard:
		return 1
	case gaga.Polynomial:
		if r.Order > 2 {
			near = 1e-15*(loss+age) + math.Abs(slope)*rounding
			return weight(r, math.Max(0, loss-near), age)
		}
	}
	return 0
}

func (o *optimality) multiplicity(i int) float64 {
	if o.p.Multiplicity == nil {
		return 1
	}
	return o.p.Multiplicity[i]
}

// violation returns the largest violation at θ and an age, relative to the terms
// of the condition.
func (o *optimality) violation(theta []float64, age float64) float64 {
	if o.p.Kernel != nil {
		return o.kernelViolation(theta, age)
	}
	return o.primalViolation(theta, age)
}

// kernelViolation: multiplier i must be C m_i v_i off the kink and between 0 and
// C m_i at it; with an intercept Σ α y = 0.
func (o *optimality) kernelViolation(theta []float64, age float64) float64 {
	n, c := o.p.X.Rows, o.p.Loss.(gaga.Hinge).C
	var sum, size float64
	for i, alpha := range theta[:n] {
		o.f[i] = alpha * o.p.Y[i]
		o.u[i] = theta[n]
		sum += o.f[i]
		size += math.Max(math.Abs(alpha), leastWeight*c*o.multiplicity(i))
	}
	blas64.Gemv(blas.NoTrans, 1, o.kernel, blas64.Vector{N: n, Inc: 1, Data: o.f}, 1, blas64.Vector{N: n, Inc: 1, Data: o.u})
	worst := 0.0
	if sum != 0 && o.p.Intercept {
		worst = math.Abs(sum) / size
	}
	for i, alpha := range theta[:n] {
		loss, slope, _ := o.loss(o.u[i], o.p.Y[i])
		top := c * o.multiplicity(i)
		want := 0.0
		if slope != 0 {
			want = top * weight(o.p.Regularizer, loss, age)
		}
		off := math.Abs(alpha-want) / top
		if !(off <= 1e-12) {
			terms := 1 + math.Abs(theta[n])
			for j, f := range o.f {
				terms += math.Abs(f * o.kernel.Data[i*n+j])
			}
			box := math.Max(0, math.Max(-alpha, alpha-top)) / top
			off = math.Min(off, math.Max(box, math.Abs(1-o.p.Y[i]*o.u[i])/terms))
			if most := o.breaks(loss, slope, 1e-13*terms, age); most > 0 {
				off = math.Min(off, math.Max(0, math.Max(-alpha, alpha-most*top))/top)
			}
		}
		worst = math.Max(worst, off)
		if math.IsNaN(off) {
			return off
		}
	}
	return worst
}

// leastWeight is the weight that a sample has at least in the size of the terms, see
// [gaga.Knot].
const leastWeight = 1e-6

// primalViolation: the gradient's coordinates must vanish, or lie within the L1
// weight, for some choice of the multipliers of the samples at a kink or a
// break. The choice is that of least squares.
func (o *optimality) primalViolation(theta []float64, age float64) float64 {
	p, n, d := o.p, o.p.X.Rows, o.p.X.Cols
	terms := o.g
	for i := range n {
		o.u[i], terms[i] = theta[d], math.Abs(theta[d])+1
	}
	w, abs := blas64.Vector{N: d, Inc: 1, Data: theta[:d]}, blas64.Vector{N: d, Inc: 1, Data: make([]float64, d)}
	for j, x := range theta[:d] {
		abs.Data[j] = math.Abs(x)
	}
	blas64.Gemv(blas.NoTrans, 1, p.X, w, 1, blas64.Vector{N: n, Inc: 1, Data: o.u})
	blas64.Gemv(blas.NoTrans, 1, o.absolute, abs, 1, blas64.Vector{N: n, Inc: 1, Data: terms})
	var free, broken []int // samples whose multiplier is open, at a kink and at a break
	var slopes, steps []float64
	var kink float64 // violation of being at the kink
	for i, y := range p.Y {
		loss, slope, curvature := o.loss(o.u[i], y)
		m := o.multiplicity(i)
		v := weight(p.Regularizer, loss, age)
		h, hinge := p.Loss.(gaga.Hinge)
		if hinge {
			if g := math.Max(0, math.Abs(1-y*o.u[i])-o.blur); g <= 1e-10*terms[i] {
				kink = math.Max(kink, g/terms[i])
				free, slopes, v = append(free, i), append(slopes, -h.C*y*m), 0
			}
		}
		if most := o.breaks(loss, slope, 1e-13*terms[i]+o.blur, age); most > 0 {
			broken, steps, v = append(broken, i), append(steps, slope*m*most), 0
		}
		o.f[i] = m * v * slope
		if hinge { // beyond the kink, too
			slope = h.C
		}
		terms[i] = m * math.Max(v, leastWeight) * (math.Abs(slope) + curvature*math.Abs(o.u[i]))
	}
	blas64.Gemv(blas.Trans, 1, p.X, blas64.Vector{N: n, Inc: 1, Data: o.f}, 0, blas64.Vector{N: d, Inc: 1, Data: o.grad[:d]})
	blas64.Gemv(blas.Trans, 1, o.absolute, blas64.Vector{N: n, Inc: 1, Data: terms}, 0, blas64.Vector{N: d, Inc: 1, Data: o.scale[:d]})
	o.grad[d], o.scale[d] = 0, 0
	for i := range n {
		o.grad[d] += o.f[i]
		o.scale[d] += terms[i]
	}
	for j, w := range theta[:d] {
		o.grad[j] += p.Penalty.L2 * w
		o.scale[j] += p.Penalty.L2*math.Abs(w) + p.Penalty.L1
		if w != 0 {
			o.grad[j] += math.Copysign(p.Penalty.L1, w)
		}
	}
	off := o.worst(theta) // with no weight on the open samples
	if len(free)+len(broken) == 0 || off == 0 {
		return off
	}
	grad, scale := slices.Clone(o.grad), slices.Clone(o.scale)
	try := func(full float64, free []int, slopes []float64) {
		copy(o.grad, grad)
		copy(o.scale, scale)
		for q, i := range broken {
			o.add(i, full*steps[q])
		}
		o.choose(theta, free, slopes)
		off = math.Min(off, o.worst(theta))
	}
	try(0, free, slopes) // as before a jump
	if len(broken) > 0 {
		try(1, free, slopes)
		try(0, slices.Concat(free, broken), slices.Concat(slopes, steps))
	}
	return math.Max(kink, off)
}

// add adds sample i's part of the given slope to the gradient.
func (o *optimality) add(i int, slope float64) {
	d := o.p.X.Cols
	for j, x := range o.p.X.Data[i*o.p.X.Stride : i*o.p.X.Stride+d] {
		o.grad[j] += slope * x
		o.scale[j] += math.Abs(slope * x)
	}
	o.grad[d] += slope
	o.scale[d] += math.Abs(slope)
}

// worst is the largest entry of the gradient relative to its terms.
func (o *optimality) worst(theta []float64) float64 {
	worst, d := 0.0, o.p.X.Cols
	for j, g := range o.grad {
		if j == d && !o.p.Intercept {
			break
		}
		off := math.Abs(g)
		if j < d && theta[j] == 0 {
			off = math.Max(0, off-o.p.Penalty.L1)
		}
		if off != 0 {
			worst = math.Max(worst, off/o.scale[j])
		}
		if math.IsNaN(off) {
			return off
		}
	}
	return worst
}

// choose adds the open samples' part to the gradient: the fractions in [0, 1] of
// their slopes that make it smallest, by least squares with bounds. Whatever it
// chooses, what is left of the gradient is an upper bound of the violation.
func (o *optimality) choose(theta []float64, free []int, slopes []float64) {
	d := o.p.X.Cols
	var rows []int
	for j, w := range theta {
		if (j < d && (w != 0 || o.p.Penalty.L1 == 0)) || (j == d && o.p.Intercept) {
			rows = append(rows, j)
		}
	}
	column := func(q, j int) float64 {
		if j == d {
			return slopes[q]
		}
		return slopes[q] * o.p.X.Data[free[q]*o.p.X.Stride+j]
	}
	if len(rows) == 0 || len(free) == 0 {
		return
	}
	unit := make([]float64, len(rows)) // the terms' size, all multipliers at their largest
	for r, j := range rows {
		unit[r] = o.scale[j]
		for q := range free {
			unit[r] += math.Abs(column(q, j))
		}
	}
	beta := o.bounded(rows, free, column, unit)
	for q, b := range beta {
		o.add(free[q], b*slopes[q])
	}
}

// bounded minimizes Σ_r ((grad + Aβ)_r / unit_r)² over β in [0,1]^k, for the given
// samples, by active sets (Stark, Parker: Bounded-variable least squares, Computational
// Statistics 1995) from where they stood in the last call.
func (o *optimality) bounded(rows []int, samples []int, column func(q, j int) float64, unit []float64) []float64 {
	k, m := len(samples), len(rows)
	a := mat.NewDense(m, k, nil)
	left := make([]float64, m)
	for r, j := range rows {
		if unit[r] == 0 {
			continue
		}
		left[r] = o.grad[j] / unit[r]
		for q := range k {
			a.Set(r, q, column(q, j)/unit[r])
		}
	}
	norms := make([]float64, k)
	beta, inside := make([]float64, k), make([]bool, k)
	for q, i := range samples {
		norms[q] = mat.Norm(a.ColView(q), 2)
		stood, known := o.stood[i]
		if !known && (k <= m || o.middle) {
			stood = 0.5
		}
		beta[q], inside[q] = stood, stood > 0 && stood < 1
	}
	rest := func() *mat.VecDense { // grad + Aβ
		r := mat.NewVecDense(m, nil)
		r.MulVec(a, mat.NewVecDense(k, beta))
		r.AddVec(r, mat.NewVecDense(m, left))
		return r
	}
	refused := make([]bool, k)
	for range 20*k + 100 {
		for again := true; again; {
			var moved bool
			if again, moved = o.best(a, rest(), beta, inside); moved {
				clear(refused)
			}
		}
		r := rest()
		if mat.Norm(r, math.Inf(1)) <= 1e-17 {
			break
		}
		most, at := 1e-13*mat.Norm(r, 2), -1
		for q := range k {
			if inside[q] || refused[q] || norms[q] == 0 {
				continue
			}
			down := mat.Dot(a.ColView(q), r) / norms[q]
			if beta[q] == 0 {
				down = -down
			}
			if down > most {
				most, at = down, q
			}
		}
		if at < 0 {
			break
		}
		inside[at], refused[at] = true, true
	}
	for q, i := range samples {
		o.stood[i] = beta[q]
	}
	return beta
}

// best moves the entries of β inside towards those that leave the least of r, until one
// comes to a bound, which it then stays at. It reports whether one did, and whether any
// has moved.
func (o *optimality) best(a *mat.Dense, r *mat.VecDense, beta []float64, inside []bool) (bound, moved bool) {
	m, _ := a.Dims()
	var open []int
	for q, in := range inside {
		if in {
			open = append(open, q)
		}
	}
	if len(open) == 0 {
		return false, false
	}
	part := mat.NewDense(m, len(open), nil)
	for c, q := range open {
		part.SetCol(c, mat.Col(nil, q, a))
	}
	x, ok := leastSquares(part, r)
	if !ok {
		return false, false
	}
	length, most := 1.0, 0.0
	for c, q := range open {
		step := -x.AtVec(c)
		if to := beta[q] + step; to < 0 {
			length = math.Min(length, beta[q]/-step)
		} else if to > 1 {
			length = math.Min(length, (1-beta[q])/step)
		}
	}
	for c, q := range open {
		step := -length * x.AtVec(c)
		to := math.Min(1, math.Max(0, beta[q]+step))
		if length < 1 && (math.Abs(to) <= 1e-15 || math.Abs(to-1) <= 1e-15) {
			to = math.Round(to)
			inside[q] = false
		}
		most = math.Max(most, math.Abs(to-beta[q]))
		beta[q] = to
	}
	return length < 1, most > 1e-12
}

// leastSquares returns the shortest of the best solutions of Ax = b.
func leastSquares(a *mat.Dense, b *mat.VecDense) (*mat.VecDense, bool) {
	var x mat.VecDense
	m, k := a.Dims()
	var err error
	if k > m {
		var lq mat.LQ
		lq.Factorize(a)
		err = lq.SolveVecTo(&x, false, b)
	} else {
		var qr mat.QR
		qr.Factorize(a)
		err = qr.SolveVecTo(&x, false, b)
	}
	if err == nil {
		return &x, true
	}
	if _, ok := errors.AsType[mat.Condition](err); !ok {
		return nil, false
	}
	var svd mat.SVD
	if !svd.Factorize(a, mat.SVDThin) {
		return nil, false
	}
	rank := svd.Rank(1e-12)
	if rank == 0 {
		return nil, false
	}
	var y mat.VecDense
	svd.SolveVecTo(&y, b, rank)
	return &y, true
}
