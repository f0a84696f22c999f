package gaga

import (
	"fmt"
	"math"
	"os"

	"gonum.org/v1/gonum/mat"
)

// Violation says that an invariant of the path does not hold, which is an
// error of the tracker: see [Options.Verify].
type Violation struct {
	Age   float64
	Event string // what the path was passing
	Check string // the invariant, with the figures that break it
}

func (e *Violation) Error() string {
	return fmt.Sprintf("gaga: verify: age %v, %s: %s", e.Age, e.Event, e.Check)
}

// verifying reports whether invariants are checked: where the options ask for
// it, or the environment does.
func (o Options) verifying() bool { return o.Verify || os.Getenv("AGEPATH_VERIFY") == "1" }

// The checks' tolerances.
const (
	verifyKKT    = 1e-9 // relative residual
	verifyZone   = 1e-9 // of a loss against its thresholds, relative to both
	verifyEigen  = 1e-9 // of a negative eigenvalue, relative to H's positive terms
	verifyRate   = 1e-6 // of an event function that turns back, relative to its terms
	verifyLimit  = 60   // active coordinates up to which eigenvalues are computed
	unitRoundoff = 0x1p-52
)

// verify checks the invariants at the left point, which c led to; NoCause
// stands for a start, a grid age or the end. What it needs it computes anew
// from the problem, with loops of its own.
func (t *tracker) verify(c crossing, event string) error {
	if !t.verifies {
		return nil
	}
	v := verification{t: t, pt: t.left}
	checks := []func() string{
		v.checkZones, v.checkSigns, v.checkResidual, v.checkInertia,
		func() string { return v.checkDirection(c) },
	}
	if t.primal == nil {
		v.evaluateKernel()
		checks[2], checks[3] = v.checkMultipliers, v.checkKernelInertia
	} else {
		v.evaluate()
	}
	for _, check := range checks {
		if broken := check(); broken != "" {
			return &Violation{t.left.age, event, broken}
		}
	}
	return nil
}

// verification holds what the checks at one point share.
type verification struct {
	t     *tracker
	pt    *point
	u     []float64 // predictors
	terms []float64 // Σ_j |a_ij θ_j| + |y_i|
	loss  []float64
	slope []float64
	curve []float64
}

func (v *verification) evaluate() {
	t := v.t
	n := t.n
	v.u, v.terms = make([]float64, n), make([]float64, n)
	v.loss, v.slope, v.curve = make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		v.terms[i] = math.Abs(t.y[i])
		for j := range t.p {
			x := v.column(i, j) * v.pt.theta[j]
			v.u[i] += x
			v.terms[i] += math.Abs(x)
		}
		v.loss[i], v.slope[i], v.curve[i] = t.eval(t.zone[i], v.u[i], t.y[i])
	}
}

// column returns sample i's value in column j; the intercept's is 1.
func (v *verification) column(i, j int) float64 {
	x := v.t.problem.X
	if j == x.Cols {
		return 1
	}
	return x.Data[i*x.Stride+j]
}

func (v *verification) checkZones() string {
	t := v.t
	for i, loss := range v.loss {
		if t.kinks > 0 && int(t.zone[i]) <= t.kinks {
			if broken := v.checkKink(i); broken != "" {
				return broken
			}
		}
		k := int(t.zone[i]) - t.kinks
		if k < 0 {
			continue
		}
		rounding := v.rounded(i)
		if k < len(v.pt.threshold) {
			top, _ := t.reg.Threshold(k, v.pt.age)
			if loss-top > verifyZone*(loss+top)+rounding {
				return fmt.Sprintf("sample %d with loss %v is in zone %d, which ends at %v", i, loss, k, top)
			}
		}
		if k > 0 {
			bottom, _ := t.reg.Threshold(k-1, v.pt.age)
			if bottom-loss > verifyZone*(loss+bottom)+rounding {
				return fmt.Sprintf("sample %d with loss %v is in zone %d, which begins at %v", i, loss, k, bottom)
			}
		}
	}
	return ""
}

// rounded returns by how much the rounding of sample i's predictor moves its loss.
func (v *verification) rounded(i int) float64 {
	return 1e3 * unitRoundoff * math.Abs(v.slope[i]) * v.terms[i]
}

// flattest returns the derivative of sample i's weight in its loss, the one least
// in size within the rounding of the loss: a weight that falls to zero like the
// power 1.25 of the distance from a threshold has a slope like the power 0.25.
func (v *verification) flattest(i int) float64 {
	t, loss, rounding := v.t, v.loss[i], v.rounded(i)
	_, least, _ := t.weight(t.zone[i], loss, v.pt.age)
	consider := func(loss float64) {
		if _, slope, _ := t.weight(t.zone[i], loss, v.pt.age); math.Abs(slope) < math.Abs(least) {
			least = slope
		}
	}
	consider(loss - rounding)
	consider(loss + rounding)
	k := int(t.zone[i]) - t.kinks
	for _, edge := range [2]int{k - 1, k} {
		if edge >= 0 && edge < len(v.pt.threshold) {
			if threshold, _ := t.reg.Threshold(edge, v.pt.age); math.Abs(threshold-loss) <= rounding {
				consider(threshold)
			}
		}
	}
	return least
}

// checkKink checks a sample in one of the zones that end at the kink.
func (v *verification) checkKink(i int) string {
	t := v.t
	g, slack := 1-t.y[i]*v.u[i], verifyZone*(1+v.terms[i])
	top, alpha := t.bound*t.m[i], v.pt.dual[i]
	switch zone := int(t.zone[i]); {
	case zone == satisfied && g > slack:
		return fmt.Sprintf("sample %d is satisfied with the defect %v", i, g)
	case zone == t.kinks && g < -slack:
		return fmt.Sprintf("sample %d is in the regularizer's first zone with the defect %v", i, g)
	case zone == pinned && math.Abs(g) > slack:
		return fmt.Sprintf("sample %d is pinned with the defect %v", i, g)
	case zone == pinned && !(alpha >= -verifyZone*top && alpha <= (1+verifyZone)*top):
		return fmt.Sprintf("sample %d is pinned with the multiplier %v, its bounds are 0 and %v", i, alpha, top)
	}
	return ""
}

// size returns the size of the coefficients, at this age or soon.
func (v *verification) size() float64 {
	var size float64
	for j, w := range v.pt.theta {
		size = math.Max(size, math.Abs(w)+v.pt.age*math.Abs(v.pt.rate[j]))
	}
	return size
}

func (v *verification) checkSigns() string {
	t := v.t
	size := v.size()
	for j, w := range v.pt.theta {
		switch {
		case math.IsNaN(w):
			return fmt.Sprintf("coefficient %d is NaN", j)
		case t.l1[j] == 0:
		case t.sign[j] == 0 && w != 0:
			return fmt.Sprintf("coefficient %d is inactive and has the value %v", j, w)
		case w*t.sign[j] < -1e-9*size && !v.rounding(j):
			return fmt.Sprintf("coefficient %d has the sign %v and the value %v", j, t.sign[j], w)
		}
	}
	return ""
}

// rounding reports whether coefficient j moves no predictor by more than the
// rounding of the largest terms: where all coefficients vanish at an event they
// give no scale of their own.
func (v *verification) rounding(j int) bool {
	var moved, terms float64
	for i, of := range v.terms {
		moved = math.Max(moved, math.Abs(v.column(i, j)*v.pt.theta[j]))
		terms = math.Max(terms, of)
	}
	return moved <= 1e3*unitRoundoff*terms
}

// checkResidual evaluates the optimality condition over all coordinates.
func (v *verification) checkResidual() string {
	t := v.t
	for j, w := range v.pt.theta {
		if t.frozen && t.l1[j] == 0 && t.l2[j] == 0 {
			continue
		}
		grad := t.l2[j] * w
		scale, rounding := math.Abs(grad)+t.l1[j]+t.primal.floor[j], 0.0
		for i, loss := range v.loss {
			if t.kinks > 0 && t.zone[i] == pinned {
				x := v.pt.dual[i] * v.column(i, j)
				grad -= t.y[i] * x
				scale += math.Abs(x)
			}
			weight, dloss, _ := t.weight(t.zone[i], loss, v.pt.age)
			x := v.column(i, j)
			grad += t.m[i] * weight * v.slope[i] * x
			// Rounding of the predictor moves the weight.
			rounding += 1e3 * unitRoundoff * t.m[i] * math.Abs(dloss*x) * v.slope[i] * v.slope[i] * v.terms[i]
			scale += t.m[i] * weight * (math.Abs(v.slope[i]) + v.curve[i]*math.Abs(v.u[i])) * math.Abs(x)
		}
		off := math.Abs(grad) - t.l1[j]
		if t.sign[j] != 0 {
			off = math.Abs(grad + t.l1[j]*t.sign[j])
		}
		if !(off <= verifyKKT*scale+rounding) {
			return fmt.Sprintf("the residual in coordinate %d is %.3g of the scale %.3g", j, off, scale)
		}
	}
	return ""
}

// checkInertia compares the eigenvalues of H, scaled to unit diagonal of its
// positive terms, with what the factorization said: all positive.
func (v *verification) checkInertia() string {
	t := v.t
	k := len(t.active)
	if k == 0 || k > verifyLimit {
		return ""
	}
	h, unit := v.hessian(t.active)
	if len(t.multipliers) > 0 {
		return v.checkPinned(h, unit)
	}
	for r := range k {
		if unit[r] == 0 {
			return fmt.Sprintf("active coordinate %d has no curvature", t.active[r])
		}
	}
	scaled := mat.NewSymDense(k, nil)
	for r := range k {
		for q := r; q < k; q++ {
			scaled.SetSym(r, q, h[r*k+q]/math.Sqrt(unit[r]*unit[q]))
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(scaled, false) {
		return "the eigenvalues of H do not converge"
	}
	if least := eigen.Values(nil)[0]; least < -verifyEigen {
		return fmt.Sprintf("H was taken for positive definite, its least eigenvalue is %.3g of its diagonal", least)
	}
	return ""
}

// checkPinned is checkInertia with pinned samples: H counts on the null space of
// their rows.
func (v *verification) checkPinned(h, unit []float64) string {
	t := v.t
	k := len(t.active)
	gram, largest := make([]float64, k*k), 0.0
	for _, i := range t.multipliers {
		for r, j := range t.active {
			for q, l := range t.active {
				gram[r*k+q] += v.column(i, j) * v.column(i, l)
			}
		}
	}
	for r := range k {
		largest = math.Max(largest, unit[r])
	}
	// The eigenvectors of G's Gram matrix of eigenvalue 0 span its null space.
	var eigen mat.EigenSym
	if !eigen.Factorize(mat.NewSymDense(k, gram), true) {
		return "the eigenvalues of the pinned samples do not converge"
	}
	free := k - len(t.multipliers)
	if free <= 0 {
		return ""
	}
	var vectors, image, product mat.Dense
	eigen.VectorsTo(&vectors)
	null := vectors.Slice(0, k, 0, free)
	image.Mul(mat.NewDense(k, k, h), null)
	product.Mul(null.T(), &image)
	reduced := mat.NewSymDense(free, nil)
	for r := range free {
		for q := r; q < free; q++ {
			reduced.SetSym(r, q, 0.5*(product.At(r, q)+product.At(q, r)))
		}
	}
	var reducedEigen mat.EigenSym
	if !reducedEigen.Factorize(reduced, false) {
		return "the eigenvalues of H do not converge"
	}
	if least := reducedEigen.Values(nil)[0]; least < -verifyEigen*largest {
		return fmt.Sprintf("H was taken for positive definite beside the pinned samples, its least eigenvalue is %.3g, its largest term %.3g", least, largest)
	}
	return ""
}

// hessian returns H over the given coordinates and its diagonal with all terms
// taken positive.
func (v *verification) hessian(coordinates []int) (h, unit []float64) {
	t := v.t
	k := len(coordinates)
	h, unit = make([]float64, k*k), make([]float64, k)
	for r, j := range coordinates {
		h[r*k+r], unit[r] = t.l2[j], t.l2[j]
	}
	for i, loss := range v.loss {
		weight, _, _ := t.weight(t.zone[i], loss, v.pt.age)
		c := t.m[i] * (v.flattest(i)*v.slope[i]*v.slope[i] + weight*v.curve[i])
		for r, j := range coordinates {
			xr := v.column(i, j)
			unit[r] += math.Abs(c) * xr * xr
			for q, l := range coordinates {
				h[r*k+q] += c * xr * v.column(i, l)
			}
		}
	}
	return h, unit
}

// checkDirection checks that behind a turning point the event function moves
// into the new zone.
func (v *verification) checkDirection(c crossing) string {
	t, pt := v.t, v.pt
	var rate, size float64
	switch c.cause {
	case SampleUp, SampleDown:
		rate, size = v.sampleDirection(c)
	case Activated:
		rate, size = t.sign[c.index]*pt.rate[c.index], v.size()/pt.age
	case Dropped:
		// The coordinate left with the sign opposite to its gradient's: the
		// gradient must now fall back into the interval.
		rate = -pt.dgrad[c.index] * sign(pt.grad[c.index])
		for i, loss := range v.loss {
			weight, dloss, dage := t.weight(t.zone[i], loss, pt.age)
			terms := math.Abs(dage*v.slope[i]) + (math.Abs(dloss)*v.slope[i]*v.slope[i]+weight*v.curve[i])*math.Abs(t.predictOne(i, pt.rate))
			size += t.m[i] * terms * math.Abs(v.column(i, c.index))
		}
		size += t.l1[c.index] / pt.age
	default:
		return ""
	}
	if !(rate >= -verifyRate*size) {
		return fmt.Sprintf("behind the turning point the event function turns back: rate %.3g, terms %.3g", rate, size)
	}
	return ""
}

// sampleDirection returns the rate at which a sample moves into its new zone,
// and the size of its terms.
func (v *verification) sampleDirection(c crossing) (rate, size float64) {
	t, pt := v.t, v.pt
	i, y, up := c.index, t.y[c.index], c.cause == SampleUp
	zone := int(t.zone[i])
	switch {
	case t.kinks > 0 && zone == pinned: // the multiplier must move off the bound it came from
		side := 1.0
		if !up {
			side = -1
		}
		return side * pt.ddual[i], math.Abs(pt.ddual[i]) + t.bound*t.m[i]/pt.age
	case t.kinks > 0 && zone == satisfied, t.kinks > 0 && zone == t.kinks && up:
		side := 1.0
		if up {
			side = -1
		}
		du := side * y * t.predictOne(i, pt.rate)
		return du, math.Abs(du) + 1/pt.age
	}
	k, side := zone-t.kinks-1, 1.0
	if !up {
		k, side = k+1, -1
	}
	_, slope := t.reg.Threshold(k, pt.age)
	dloss := v.slope[i] * t.predictOne(i, pt.rate)
	return side * (dloss - slope), math.Abs(dloss) + math.Abs(slope)
}
