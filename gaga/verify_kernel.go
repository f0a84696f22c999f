package gaga

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/agepath/agepath/internal/convex"
)

// gram returns the kernel matrix of the problem's n samples, n x n.
func (p *Problem) gram() []float64 {
	n := p.X.Rows
	k := make([]float64, n*n)
	points := convex.NewPoints(p.X)
	p.Kernel.Block(general(n, n, k), points, points)
	return k
}

// evaluateKernel is evaluate for a kernel model, from the kernel matrix.
func (v *verification) evaluateKernel() {
	t := v.t
	n := t.n
	if t.kernel == nil {
		t.kernel = t.problem.gram()
	}
	v.u, v.terms = make([]float64, n), make([]float64, n)
	v.loss, v.slope, v.curve = make([]float64, n), make([]float64, n), make([]float64, n)
	b := v.pt.theta[n]
	for i := range n {
		v.u[i], v.terms[i] = b, math.Abs(b)+1
		for j, a := range v.pt.theta[:n] {
			x := a * t.y[j] * t.kernel[i*n+j]
			v.u[i] += x
			v.terms[i] += math.Abs(x)
		}
		v.loss[i], v.slope[i], v.curve[i] = t.eval(t.zone[i], v.u[i], t.y[i])
	}
}

// checkMultipliers compares each multiplier with the weight that its sample's
// loss has, and the sum with 0.
func (v *verification) checkMultipliers() string {
	t := v.t
	var sum, size float64
	for i, a := range v.pt.theta[:t.n] {
		sum += t.y[i] * a
		size += math.Abs(a)
		if t.zone[i] == pinned {
			continue
		}
		weight, slope, _ := t.weight(t.zone[i], v.loss[i], v.pt.age)
		top := t.bound * t.m[i]
		rounding := math.Abs(slope) * t.hinge.C * v.terms[i]
		if off := math.Abs(a - top*weight); !(off <= verifyKKT*top*(1+rounding)) {
			return fmt.Sprintf("sample %d has the multiplier %v, its loss says %v", i, a, top*weight)
		}
	}
	if t.problem.Intercept && !t.frozen && !(math.Abs(sum) <= verifyKKT*(size+t.bound)) {
		return fmt.Sprintf("the multipliers with their signs sum to %.3g, their terms to %.3g", sum, size)
	}
	return ""
}

// checkKernelInertia counts the positive eigenvalues of J, which must be as many
// as samples are pinned.
func (v *verification) checkKernelInertia() string {
	t := v.t
	k := len(t.active)
	if k == 0 || k > verifyLimit {
		return ""
	}
	j := mat.NewSymDense(k, nil)
	var largest float64
	for r, a := range t.active {
		for q, b := range t.active[:r+1] {
			var x float64
			switch {
			case a == t.n && b == t.n:
			case a == t.n:
				x = t.y[b]
			case b == t.n:
				x = t.y[a]
			default:
				x = t.y[a] * t.y[b] * t.kernel[a*t.n+b]
			}
			if q == r && a < t.n && t.zone[a] != pinned {
				x += math.Max(1/(t.bound*t.m[a]*t.hinge.C*v.flattest(a)), -1e6)
			}
			j.SetSym(r, q, x)
			largest = math.Max(largest, math.Abs(x))
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(j, false) {
		return "the eigenvalues of J do not converge"
	}
	positive, near := 0, 0
	for _, e := range eigen.Values(nil) {
		switch {
		case math.Abs(e) <= verifyEigen*largest:
			near++
		case e > 0:
			positive++
		}
	}
	if want := t.members[pinned]; positive > want || positive+near < want {
		return fmt.Sprintf("J has %d positive eigenvalues, and %d near 0, for %d pinned samples", positive, near, want)
	}
	return ""
}
