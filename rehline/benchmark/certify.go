package benchmark

import (
	"context"
	"math"

	"github.com/agepath/agepath/rehline"
)

// feasible is the violation up to which a point counts.
const feasible = 1e-6

// bound is a lower bound on the optimum, with the sum of the constraint's multipliers.
type bound struct {
	value float64
	xi    float64
	gap   float64 // relative, of the solution that gives the bound
}

// certificateTol is the relative gap of the solution that gives the bound.
const certificateTol = 1e-12

// certify returns a lower bound: the dual objective at the solver's dual point, made feasible,
// whatever the solver's accuracy.
func (p *problem) certify(ctx context.Context) (bound, error) {
	solution, err := rehline.Solve(ctx, p.rehline(), rehline.Options{Tol: certificateTol})
	if err != nil {
		return bound{}, err
	}
	loss := p.task.rehline(p.y, &p.of.Settings)
	dual := make([]float64, len(p.y))
	for i := range dual {
		var slope float64 // of c ℓ with respect to the score
		for l := range loss.U.Rows {
			slope += loss.U.Data[l*loss.U.Stride+i] * solution.Dual.Lambda.Data[l*solution.Dual.Lambda.Stride+i]
		}
		for h := range loss.S.Rows {
			slope += loss.S.Data[h*loss.S.Stride+i] * solution.Dual.Gamma.Data[h*solution.Dual.Gamma.Stride+i]
		}
		dual[i] = -p.sign(i) * slope / p.c
	}
	var xi [2]float64
	copy(xi[:], solution.Dual.Xi)
	b := bound{value: p.dual(dual, xi), xi: xi[0] + xi[1]}
	b.gap = p.gap(p.primal(solution.Beta), p.violation(solution.Beta), b)
	return b, nil
}

// dual returns the dual objective
//
//	c Σ_i (u_i o_i - ℓ*(u_i)) - t (ξ_1 + ξ_2) - ½ Σ_j max(0, |v_j| - κ)²,
//	v = c Σ_i u_i σ_i x_i + (ξ_1 - ξ_2) f
//
// at the point projected onto its bounds, by compensated summation: a lower bound on the optimum.
func (p *problem) dual(u []float64, xi [2]float64) float64 {
	var value sum
	v := make([]sum, p.x.Cols)
	for i, ui := range u {
		ui = min(max(ui, p.loss.low), p.loss.high)
		value.addProduct(p.c*ui, p.base(i))
		value.add(-p.c * p.loss.conjugate(ui))
		if ui == 0 {
			continue
		}
		factor := p.c * ui * p.sign(i)
		for j, x := range p.x.Data[i*p.x.Stride:][:p.x.Cols] {
			v[j].addProduct(factor, x)
		}
	}
	xi[0], xi[1] = max(xi[0], 0), max(xi[1], 0)
	value.addProduct(-p.tol, xi[0]+xi[1])
	for j := range v {
		if p.fair != nil {
			v[j].addProduct(xi[0]-xi[1], p.fair[j])
		}
		over := max(math.Abs(v[j].value())-p.l1, 0)
		value.addProduct(-over/2, over)
	}
	return value.value()
}

// primal returns the objective, by compensated summation.
func (p *problem) primal(beta []float64) float64 {
	var value sum
	for i := range p.y {
		w := sum{high: p.base(i)}
		sign := p.sign(i)
		for j, x := range p.x.Data[i*p.x.Stride:][:p.x.Cols] {
			w.addProduct(-sign*x, beta[j])
		}
		value.addProduct(p.c, p.loss.value(w.value()))
	}
	for _, b := range beta {
		value.addProduct(b/2, b)
		value.addProduct(p.l1, math.Abs(b))
	}
	return value.value()
}

func (p *problem) violation(beta []float64) float64 {
	if p.fair == nil {
		return 0
	}
	var score sum
	for j, f := range p.fair {
		score.addProduct(f, beta[j])
	}
	return max(math.Abs(score.value())-p.tol, 0)
}

// gap adds what the violation can have gained.
func (p *problem) gap(objective, violation float64, b bound) float64 {
	return max(objective-b.value+2*b.xi*violation, 0) / max(math.Abs(objective), math.Abs(b.value), math.SmallestNonzeroFloat64)
}

// sum has about twice float64's precision (Ogita, Rump and Oishi, Accurate sum and dot product,
// SIAM J. Sci. Comput. 26, 2005).
type sum struct{ high, low float64 }

func (s *sum) add(x float64) {
	t := s.high + x
	z := t - s.high
	s.low += (s.high - (t - z)) + (x - z)
	s.high = t
}

func (s *sum) addProduct(x, y float64) {
	product := x * y
	s.low += math.FMA(x, y, -product)
	s.add(product)
}

func (s *sum) value() float64 { return s.high + s.low }
