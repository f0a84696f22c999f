// Package audit checks the invariants of points of a path. It shares no arithmetic with what it
// checks: it recomputes everything from the problem with its own loops.
package audit

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/tolerance"
)

// Auditor checks points of one problem's path.
type Auditor struct {
	p         *model.Problem
	rows      []float64
	mean      []float64 // subtracted from rows with an intercept: no term grows with a shift
	condition condition
	bound     float64
}

type condition interface {
	residual(e *evaluation) string
	// jacobian returns the Jacobian, and the number of its eigenvalues that are positive at a
	// strict minimum.
	jacobian(e *evaluation) (j *mat.SymDense, positive int)
}

// New returns the auditor of a problem; with a kernel it computes the whole kernel matrix.
func New(p *model.Problem) *Auditor {
	if p.Kernel != nil {
		return &Auditor{p: p, rows: expand(p), condition: multipliers{}, bound: p.Cost / p.L2[0]}
	}
	a := &Auditor{p: p, rows: p.Rows, condition: coefficients{}, bound: p.Cost}
	if p.Intercept {
		a.centre()
	}
	return a
}

func (a *Auditor) centre() {
	p := a.p
	a.rows, a.mean = append([]float64(nil), p.Rows...), make([]float64, p.P-1)
	for j := range a.mean {
		for i := range p.N {
			a.mean[j] += a.row(i)[j] / float64(p.N)
		}
		for i := range p.N {
			a.row(i)[j] -= a.mean[j]
		}
	}
}

// moved returns θ, or its rate, for the centred rows.
func (a *Auditor) moved(theta []float64) []float64 {
	theta = append([]float64(nil), theta...)
	for j, m := range a.mean {
		theta[len(a.mean)] += m * theta[j]
	}
	return theta
}

// Check returns the invariant that fails at pt on the partition of st, "" if all hold: signs,
// zones, residual, inertia, and the direction of the event function after a turning point, behind.
// Pt has its rates, and Grad and DGrad where coordinates can become active. Floor is the minimum
// scale of each coordinate's terms, nil with a kernel.
func (a *Auditor) Check(st *model.State, pt *model.Point, floor []float64, behind model.Crossing) (broken string) {
	e := a.evaluate(st, pt, floor)
	for _, check := range []func() string{
		e.signs, e.zones,
		func() string { return a.condition.residual(e) },
		e.inertia,
		func() string { return e.direction(behind) },
	} {
		if broken := check(); broken != "" {
			return broken
		}
	}
	return ""
}

type evaluation struct {
	*Auditor
	*model.Partition
	pt    *model.Point
	floor []float64
	of    []sample
}

type sample struct {
	zone                   int
	u, terms               float64 // and Σ_j |a_ij θ_j| + |y_i|
	loss, slope, curvature float64
	weight, dloss, dage    float64
	rounding               float64 // of the predictor, in the loss
}

// The zones before the regularizer's.
const (
	satisfied = -2
	pinned    = -1
)

func (a *Auditor) evaluate(st *model.State, pt *model.Point, floor []float64) *evaluation {
	p, own := a.p, *pt
	own.Theta, own.Rate = a.moved(pt.Theta), a.moved(pt.Rate)
	e := &evaluation{a, st.Partition, &own, floor, make([]sample, p.N)}
	for i := range e.of {
		s, zone := &e.of[i], st.Zone[i]
		s.zone = int(zone) - p.Kinks
		s.terms = math.Abs(p.Y[i])
		for j, x := range a.row(i) {
			x *= own.Theta[j]
			s.u += x
			s.terms += math.Abs(x)
		}
		s.loss, s.slope, s.curvature = p.Eval(zone, s.u, p.Y[i])
		s.weight, s.dloss, s.dage = p.Weight(zone, s.loss, pt.Age)
		s.rounding = tolerance.AuditRounding * math.Abs(s.slope) * s.terms
	}
	return e
}

func (a *Auditor) row(i int) []float64 { return a.rows[i*a.p.P : (i+1)*a.p.P] }

func (e *evaluation) rate(i int) (du float64) {
	for j, x := range e.row(i) {
		du += x * e.pt.Rate[j]
	}
	return du
}

func (e *evaluation) threshold(k int) (loss, rate float64, ok bool) {
	if k < 0 || k >= e.p.Thresholds() {
		return 0, 0, false
	}
	loss, rate = e.p.Regularizer.Threshold(k, e.pt.Age)
	return loss, rate, true
}

func (e *evaluation) zones() string {
	for i, s := range e.of {
		if e.p.Kinked() && s.zone <= 0 {
			if broken := e.kink(i); broken != "" {
				return broken
			}
		}
		if s.zone < 0 {
			continue
		}
		if top, _, ok := e.threshold(s.zone); ok && s.loss-top > tolerance.KKT*(s.loss+top)+s.rounding {
			return fmt.Sprintf("sample %d with loss %v is in zone %d, which ends at %v", i, s.loss, s.zone, top)
		}
		if bottom, _, ok := e.threshold(s.zone - 1); ok && bottom-s.loss > tolerance.KKT*(s.loss+bottom)+s.rounding {
			return fmt.Sprintf("sample %d with loss %v is in zone %d, which begins at %v", i, s.loss, s.zone, bottom)
		}
	}
	return ""
}

func (e *evaluation) kink(i int) string {
	s := &e.of[i]
	defect, slack := 1-e.p.Y[i]*s.u, tolerance.KKT*(1+s.terms)
	top, alpha := e.bound*e.p.M[i], e.pt.Dual[i]
	switch {
	case s.zone == satisfied && defect > slack:
		return fmt.Sprintf("sample %d is satisfied with the defect %v", i, defect)
	case s.zone == 0 && defect < -slack:
		return fmt.Sprintf("sample %d is in the regularizer's first zone with the defect %v", i, defect)
	case s.zone == pinned && math.Abs(defect) > slack:
		return fmt.Sprintf("sample %d is pinned with the defect %v", i, defect)
	case s.zone == pinned && !(math.Max(-alpha, alpha-top) <= tolerance.KKT*top+e.negligible(i)):
		return fmt.Sprintf("sample %d is pinned with the multiplier %v, its bounds are 0 and %v", i, alpha, top)
	}
	return ""
}

// negligible returns the change of multiplier i of a kernel machine that changes no predictor by more
// than Negligible of its terms, 0 without a kernel: where a branch is vertical, the last bit of the
// age decides about multipliers.
func (e *evaluation) negligible(i int) float64 {
	if e.p.Kernel == nil {
		return 0
	}
	return tolerance.Negligible * (1 + e.of[i].terms) / math.Abs(e.row(i)[i])
}

func (e *evaluation) signs() string {
	size := e.size()
	for j, w := range e.pt.Theta {
		switch {
		case math.IsNaN(w):
			return fmt.Sprintf("coefficient %d is NaN", j)
		case e.p.L1[j] == 0:
		case e.Sign[j] == 0 && w != 0:
			return fmt.Sprintf("coefficient %d is inactive and has the value %v", j, w)
		case w*e.Sign[j] < -tolerance.KKT*size && !e.rounded(j):
			return fmt.Sprintf("coefficient %d has the sign %v and the value %v", j, e.Sign[j], w)
		}
	}
	return ""
}

func (e *evaluation) size() (size float64) {
	for j, w := range e.pt.Theta {
		size = math.Max(size, math.Abs(w)+e.pt.Age*math.Abs(e.pt.Rate[j]))
	}
	return size
}

// rounded reports whether coefficient j moves every predictor by no more than the rounding of the
// largest terms. Coefficients that all vanish at an event give no scale.
func (e *evaluation) rounded(j int) bool {
	var moved, terms float64
	for i := range e.of {
		moved = math.Max(moved, math.Abs(e.row(i)[j]*e.pt.Theta[j]))
		terms = math.Max(terms, e.of[i].terms)
	}
	return moved <= tolerance.AuditRounding*terms
}

// flattest returns the derivative of sample i's weight in its loss, the smallest in size within the
// rounding of the loss: near a threshold the slope can fall like the power 0.25 of the distance.
func (e *evaluation) flattest(i int) float64 {
	s := &e.of[i]
	least := s.dloss
	consider := func(loss float64) {
		if _, slope, _ := e.p.Weight(e.Zone[i], loss, e.pt.Age); math.Abs(slope) < math.Abs(least) {
			least = slope
		}
	}
	consider(s.loss - s.rounding)
	consider(s.loss + s.rounding)
	for _, edge := range [2]int{s.zone - 1, s.zone} {
		if threshold, _, ok := e.threshold(edge); ok && math.Abs(threshold-s.loss) <= s.rounding {
			consider(threshold)
		}
	}
	return least
}

func (e *evaluation) inertia() string {
	k := e.Unknowns()
	if k == 0 || k > tolerance.AuditUnknowns {
		return ""
	}
	j, want := e.condition.jacobian(e)
	var largest float64
	for r := range k {
		var row float64
		for q := range k {
			row = math.Max(row, math.Abs(j.At(r, q)))
		}
		if row == 0 {
			return fmt.Sprintf("unknown %d has no terms in the Jacobian", r)
		}
		largest = math.Max(largest, row)
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(j, false) {
		return "the eigenvalues of the Jacobian do not converge"
	}
	positive, zero := 0, 0
	for _, value := range eigen.Values(nil) {
		switch {
		case math.Abs(value) <= tolerance.KKT*largest:
			zero++
		case value > 0:
			positive++
		}
	}
	if positive > want || positive+zero < want {
		return fmt.Sprintf("not a strict minimum: the Jacobian has %d positive eigenvalues and %d near 0, not %d", positive, zero, want)
	}
	return ""
}

func (e *evaluation) direction(c model.Crossing) string {
	var rate, size float64
	switch {
	case c.OfSample():
		rate, size = e.ofSample(c)
	case c.Cause == model.Activated:
		rate, size = e.Sign[c.Index]*e.pt.Rate[c.Index], e.size()/e.pt.Age
	case c.Cause == model.Dropped:
		rate, size = e.ofDropped(c.Index)
	default:
		return ""
	}
	if !(rate >= -tolerance.AuditDirection*size) && !e.steep() {
		return fmt.Sprintf("after the turning point the event function turns back: rate %.3g, terms %.3g", rate, size)
	}
	return ""
}

// steep reports whether a slope that the rates depend on is not known: the rounding of a loss next to
// a threshold changes it by more than half.
func (e *evaluation) steep() bool {
	for i, s := range e.of {
		if s.dloss != 0 && math.Abs(e.flattest(i)) < 0.5*math.Abs(s.dloss) {
			return true
		}
	}
	return false
}

// ofSample returns the rate at which a sample moves into its new zone, and the size of its terms.
func (e *evaluation) ofSample(c model.Crossing) (rate, size float64) {
	i, s := c.Index, &e.of[c.Index]
	k, side := s.zone-1, 1.0
	if c.Cause == model.SampleDown {
		k, side = s.zone, -1
	}
	switch {
	case s.zone == pinned:
		return side * e.pt.DDual[i], math.Abs(e.pt.DDual[i]) + e.bound*e.p.M[i]/e.pt.Age
	case s.zone == satisfied, s.zone == 0 && c.Cause == model.SampleUp:
		du := -side * e.p.Y[i] * e.rate(i)
		return du, math.Abs(du) + 1/e.pt.Age
	}
	_, slope, _ := e.threshold(k)
	dloss := s.slope * e.rate(i)
	return side * (dloss - slope), math.Abs(dloss) + math.Abs(slope)
}

// ofDropped returns the rate at which the gradient in a dropped coordinate falls back into its
// interval, and the size of its terms. The coordinate's sign was opposite to its gradient's.
func (e *evaluation) ofDropped(j int) (rate, size float64) {
	for i := range e.of {
		s := &e.of[i]
		terms := math.Abs(s.dage*s.slope) + (math.Abs(s.dloss)*s.slope*s.slope+s.weight*s.curvature)*math.Abs(e.rate(i))
		size += e.p.M[i] * terms * math.Abs(e.row(i)[j])
	}
	return -e.pt.DGrad[j] * model.Sign(e.pt.Grad[j]), size + e.p.L1[j]/e.pt.Age
}
