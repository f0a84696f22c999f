package gaga_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/agepath/agepath/gaga"
)

// examination examines points of a problem's path by means of its own. Where the intercept is
// free it works in columns from which their first entries are subtracted: the same problem, in
// which nothing cancels.
type examination struct {
	*optimality
	given    *gaga.Problem
	origin   []float64  // of the columns
	constant []bool     // columns
	features *mat.Dense // n x r, with a kernel as of its eigenvectors
	search   *gaga.Alternation
}

func newExamination(p *gaga.Problem) *examination {
	n, d := p.X.Rows, p.X.Cols
	q, e := *p, &examination{given: p, origin: make([]float64, d), constant: make([]bool, d)}
	q.X = blas64.General{Rows: n, Cols: d, Stride: d, Data: make([]float64, n*d)}
	if p.Intercept || p.Kernel != nil {
		copy(e.origin, p.X.Data[:d])
	}
	for i := range n {
		for j := range d {
			q.X.Data[i*d+j] = p.X.Data[i*p.X.Stride+j] - e.origin[j]
		}
	}
	for j := range d {
		e.constant[j] = true
		for i := range n {
			e.constant[j] = e.constant[j] && q.X.Data[i*d+j] == 0
		}
	}
	e.optimality = newOptimality(&q)
	e.features = mat.NewDense(n, d, q.X.Data)
	if p.Kernel != nil {
		e.features = eigenFeatures(e.kernel)
	}
	e.search, _ = gaga.NewAlternation(&q) // nil without a solver
	return e
}

// eigenFeatures returns features whose products are a positive semidefinite matrix.
func eigenFeatures(k blas64.General) *mat.Dense {
	var eigen mat.EigenSym
	if !eigen.Factorize(mat.NewSymDense(k.Rows, append([]float64(nil), k.Data...)), true) {
		panic("the eigenvalues of the kernel matrix do not converge")
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	for c, value := range eigen.Values(nil) {
		root := math.Sqrt(math.Max(0, value))
		for i := range k.Rows {
			vectors.Set(i, c, root*vectors.At(i, c))
		}
	}
	return &vectors
}

// moved returns θ in the examination's columns, the intercept from exact products.
func (e *examination) moved(theta []float64) []float64 {
	out := append([]float64(nil), theta...)
	e.blur = 0
	if e.p.Kernel != nil {
		return out
	}
	last := len(theta) - 1
	sum, size := new(big.Float).SetPrec(300).SetFloat64(theta[last]), math.Abs(theta[last])
	for j, from := range e.origin {
		w, x := new(big.Float).SetPrec(300).SetFloat64(theta[j]), new(big.Float).SetPrec(300).SetFloat64(from)
		sum.Add(sum, w.Mul(w, x))
		size += math.Abs(theta[j] * from)
	}
	e.blur = 4e-16 * size
	out[last], _ = sum.Float64()
	for j, w := range theta[:last] { // the intercept has the part of a constant column
		if e.constant[j] && math.Abs(w*e.origin[j]) <= 1e-7*(size+math.Abs(e.p.Y[0])) {
			out[j] = 0
		}
	}
	return out
}

// bend returns dv*/dl, where a loss is at a threshold that of the side on which it is larger.
func bend(r gaga.Regularizer, loss, age float64) float64 {
	slope := func(loss float64) float64 {
		switch r := r.(type) {
		case gaga.Linear:
			if loss < age {
				return -1 / age
			}
		case gaga.Polynomial:
			if q := 1 / (r.Order - 1); loss < age {
				return -q / age * math.Pow(1-loss/age, q-1)
			}
		case gaga.Mixture:
			if root := math.Sqrt(loss); root > age*r.Gamma/(age+r.Gamma) && root < age {
				return -r.Gamma / (2 * loss * root)
			}
		case gaga.LOG:
			if loss > age {
				return -r.A * (1 + r.A*age) / ((1 + r.A*loss) * (1 + r.A*loss))
			}
		}
		return 0
	}
	return math.Max(slope(loss), math.Max(slope(loss*(1-1e-7)), slope(loss*(1+1e-7))))
}

// curvature returns the least eigenvalue of the implicit objective's Hessian at θ, relative to the
// largest of its terms, over the coefficients that are not 0 and the directions that keep samples
// at the kink there.
func (e *examination) curvature(theta []float64, age float64) float64 {
	p := e.p
	_, r := e.features.Dims()
	var open []int
	for j := range r {
		if p.Kernel != nil || p.Penalty.L1 == 0 || theta[j] != 0 {
			open = append(open, j)
		}
	}
	k := len(open)
	if p.Intercept {
		k++
	}
	if k == 0 {
		return 0
	}
	h, row, largest := mat.NewSymDense(k, nil), mat.NewVecDense(k, nil), p.Penalty.L2
	for c := range open {
		h.SetSym(c, c, p.Penalty.L2)
	}
	var pins []float64
	_, hinge := p.Loss.(gaga.Hinge)
	for i, u := range e.predict(theta) {
		for c, j := range open {
			row.SetVec(c, e.features.At(i, j))
		}
		if p.Intercept {
			row.SetVec(k-1, 1)
		}
		if hinge && math.Abs(1-p.Y[i]*u) <= 1e-8*(1+math.Abs(u))+10*e.blur {
			pins = append(pins, row.RawVector().Data...)
			continue
		}
		loss, slope, curvature := e.loss(u, p.Y[i])
		c := e.multiplicity(i) * (bend(p.Regularizer, loss, age)*slope*slope + weight(p.Regularizer, loss, age)*curvature)
		h.SymRankOne(h, c, row)
		largest = math.Max(largest, math.Abs(c)*mat.Dot(row, row))
	}
	if largest == 0 {
		return 0
	}
	if z := len(pins) / k; z > 0 {
		var ok bool
		if h, ok = reduced(h, mat.NewDense(z, k, pins)); !ok {
			return 0
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(h, false) {
		panic("the eigenvalues of the Hessian do not converge")
	}
	return eigen.Values(nil)[0] / largest
}

// reduced returns a matrix on the directions that are orthogonal to rows, if there are any.
func reduced(h *mat.SymDense, rows *mat.Dense) (*mat.SymDense, bool) {
	var svd mat.SVD
	if !svd.Factorize(rows, mat.SVDFullV) {
		panic("the singular values of the pinned samples do not converge")
	}
	_, k := rows.Dims()
	rank := svd.Rank(1e-10)
	if rank >= k {
		return nil, false
	}
	var v, product mat.Dense
	svd.VTo(&v)
	null := v.Slice(0, k, rank, k)
	product.Product(null.T(), h, null)
	out := mat.NewSymDense(k-rank, nil)
	for i := range k - rank {
		for j := i; j < k-rank; j++ {
			out.SetSym(i, j, 0.5*(product.At(i, j)+product.At(j, i)))
		}
	}
	return out, true
}

// descends returns by how much one step of plain alternation from θ lowers the objective with the
// weights at θ, which the implicit objective falls by at least, relative to its terms; 0 where there
// is no step.
func (e *examination) descends(ctx context.Context, theta []float64, age float64) float64 {
	if e.search == nil {
		return 0
	}
	p, weights, size := e.p, make([]float64, e.p.X.Rows), 0.0
	for i, u := range e.predict(theta) {
		loss, _, _ := e.loss(u, p.Y[i])
		weights[i] = e.multiplicity(i) * weight(p.Regularizer, loss, age)
		zero, _, _ := e.loss(0, p.Y[i])
		size += 1e-3 * e.multiplicity(i) * p.Regularizer.Integral(zero, age)
	}
	e.search.SetTheta(theta)
	if _, err := e.search.Step(ctx, age); err != nil {
		return 0
	}
	before, after := e.weighed(theta, weights), e.weighed(e.search.Theta(), weights)
	return (before - after) / (before + size)
}

// weighed returns the penalty and the weighted losses at θ.
func (e *examination) weighed(theta, weights []float64) float64 {
	sum := e.penalty(theta)
	for i, u := range e.predict(theta) {
		loss, _, _ := e.loss(u, e.p.Y[i])
		sum += weights[i] * loss
	}
	return sum
}

// penalty returns R(θ).
func (e *examination) penalty(theta []float64) (sum float64) {
	if e.p.Kernel != nil { // ‖w‖² = Σ_i α_i y_i (u_i - b)
		for i, u := range e.predict(theta) {
			sum += 0.5 * e.p.Penalty.L2 * theta[i] * e.p.Y[i] * (u - theta[len(theta)-1])
		}
		return sum
	}
	for _, w := range theta[:len(theta)-1] {
		sum += e.p.Penalty.L1*math.Abs(w) + 0.5*e.p.Penalty.L2*w*w
	}
	return sum
}

// point examines a point of a path; generic points are on a continuous piece, where the zone of no
// sample is in doubt.
func (e *examination) point(ctx context.Context, given []float64, age float64, generic, alternates bool) error {
	theta := e.moved(given)
	off := e.violation(theta, age)
	if !(off <= 1e-8) { // open multipliers are looked for from where they stood, and columns differ
		middle := newOptimality(e.p)
		middle.middle = true
		for _, other := range []*optimality{newOptimality(e.p), newOptimality(e.given), middle} {
			other.blur = e.blur
			at := given
			if other.p == e.p {
				at = theta
			}
			off = math.Min(off, other.violation(at, age))
		}
	}
	size := 1.0
	for _, u := range e.predict(theta) {
		size = math.Max(size, math.Abs(u))
	}
	if most := 1e-6 + 100*e.blur/size; !(off <= most) {
		return fmt.Errorf("no partial optimum at age %v: residual %.2g, %.2g is allowed", age, off, most)
	}
	if e.blur > 1e-9*size { // less is left of the digits than the rest needs
		return nil
	}
	if generic {
		if least := e.curvature(theta, age); !(least >= -1e-7) {
			return fmt.Errorf("no minimum at age %v: curvature %.2g", age, least)
		}
	}
	if alternates {
		if lower := e.descends(ctx, theta, age); !(lower <= 1e-8) {
			return fmt.Errorf("at age %v alternation lowers the objective by %.2g", age, lower)
		}
	}
	return nil
}

// path examines a path at its knots, at ages between them, at its landings and at its end.
func (e *examination) path(ctx context.Context, path *gaga.Path, ages gaga.Range, between []float64) error {
	knots := path.Knots()
	for k, knot := range knots {
		if err := e.point(ctx, knot.Theta, knot.Age, false, false); err != nil {
			return fmt.Errorf("%v knot: %w", knot.Kind, err)
		}
		if k == 0 || knot.Kind != gaga.Start {
			continue
		}
		from := knots[k-1]
		before, after := e.implicitObjective(e.moved(from.Theta), knot.Age), e.implicitObjective(e.moved(knot.Theta), knot.Age)
		if !(after <= before+1e-8*math.Abs(before)) && !inGaps(path, min(from.Age, knot.Age), max(from.Age, knot.Age)) {
			return fmt.Errorf("the landing at age %v raises the objective from %v to %v (%s)", knot.Age, before, after, from.Detail)
		}
	}
	covered := path.Range()
	if !(covered.Max > covered.Min) {
		between = nil
	}
	for q, x := range between {
		age := math.Min(covered.Max, covered.Min*math.Pow(covered.Max/covered.Min, x))
		theta, err := path.At(age)
		if _, gap := errors.AsType[*gaga.GapError](err); gap {
			continue
		}
		if err == nil {
			err = e.point(ctx, theta, age, true, q%4 == 0)
		}
		if err != nil {
			return err
		}
	}
	if path.Status() == gaga.Complete {
		return nil
	}
	return e.end(ctx, path, ages)
}

// end returns an error if plain alternation continues where an incomplete path ends.
func (e *examination) end(ctx context.Context, path *gaga.Path, ages gaga.Range) error {
	if path.Status() == gaga.Interrupted {
		return fmt.Errorf("no end: at age %v of %v after %d events", path.Range(), ages, len(path.Events()))
	}
	if path.Status() == gaga.EventLimit {
		return fmt.Errorf("%d events up to %v of %v", len(path.Events()), path.Range(), ages)
	}
	var theta []float64
	age := firstAge(path, ages)
	if knots := path.Knots(); len(knots) > 0 {
		last := knots[len(knots)-1]
		theta, age = e.moved(last.Theta), last.Age
	}
	if continues(ctx, e.p, theta, onward(path, age)) {
		return fmt.Errorf("ends at age %v of %v, where alternation continues: %s", age, ages, path.Reason())
	}
	return nil
}

func firstAge(path *gaga.Path, ages gaga.Range) float64 {
	if path.Direction() == gaga.Down {
		return ages.Max
	}
	return ages.Min
}

// onward returns an age a little further on a path.
func onward(path *gaga.Path, age float64) float64 {
	if path.Direction() == gaga.Down {
		return age / (1 + 1e-6)
	}
	return age * (1 + 1e-6)
}
