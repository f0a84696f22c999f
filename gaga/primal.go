package gaga

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/agepath/agepath/internal/kernel"
)

// primal is the back-end for predictors linear in θ in R^p, p the features and,
// with an intercept, a column of ones. What the samples add to the optimality
// condition and to H comes from terms, which sums either over the samples or
// over their moments. Pinned samples are equality constraints, whose multipliers
// join the unknowns: see pins.
type primal struct {
	*system
	a           []float64 // n x p, row-major
	terms       terms
	margins     *margins    // terms, where they are zone sums of the hinge loss, else nil
	activations activations // terms, for losses without a kink
	zero        []bool      // p: columns of zeros
	xw          []float64   // len(watch) x len(active): the watched samples' active columns
	floor       []float64   // p: what the scale of each coordinate's terms is at least
	floored     bool        // it was set
	known, at   []float64   // n: the predictors of all samples, and p: θ that they are of

	hess   []float64 // len(active) squared: H, upper triangle
	bent   bool      // hess and diag are those where assemble was last called
	factor []float64 // Cholesky factor of H, without pins
	square []int     // the active coordinates of factor, none where that failed
	pins   *pins     // with pins, nil for losses without a kink

	gathered               []float64 // room for xw
	columns                []int     // active coordinates of the rows in xw, where these are gathered
	gathers                bool      // xw is to be gathered anew
	watches                int       // times that watch was set
	solveA, wide           []float64 // p, scratch
	wideGradient, wideSize []float64 // p, scratch
}

// terms evaluates what the samples add to the optimality condition.
type terms interface {
	// assemble adds the samples' terms at pt to residual, scale and dage, over
	// the active coordinates. Scales may be those of a point nearby.
	assemble(pt *point)
	// curve adds them to hess (upper triangle) and diag at pt, where assemble was
	// last called.
	curve(pt *point)
	// gradients writes the gradient of the samples' terms in all coordinates and
	// the sizes of its terms, where assemble was last called.
	gradients(gradient, size []float64)
	// place takes the zones of all samples, with u their predictors.
	place(zones []uint8, u []float64)
	// move takes note that a sample's zone has changed; theta is current.
	move(i int, from uint8, theta []float64)
	// objective returns Σ_i m_i F_λ(l_i) where assemble was last called.
	objective() float64
}

// activations are terms with what it takes to activate coordinates.
type activations interface {
	// gradient writes the gradient of the samples' terms over all coordinates
	// and its rate along the path into pt's grad and dgrad, where assemble was
	// last called and pt.rate is current.
	gradient(pt *point)
	// coordinate returns the gradient of the samples' terms in coordinate j, its
	// derivative in the age at fixed θ and the size of its terms, where assemble
	// was last called.
	coordinate(j int) (gradient, dage, size float64)
	// border writes row j of the full H over the active coordinates into dst,
	// and returns its diagonal entry and the sum of that entry's positive
	// parts, both without the penalty.
	border(dst []float64, j int) (diagonal, magnitude float64)
}

// design returns the samples' rows over the unknowns, n x p: the features and, with
// an intercept, a column of ones.
func design(pr *Problem) []float64 {
	n, d := pr.X.Rows, pr.X.Cols
	p := columns(pr)
	a := make([]float64, n*p)
	for i := range n {
		row := a[i*p : (i+1)*p]
		copy(row, pr.X.Data[i*pr.X.Stride:i*pr.X.Stride+d])
		if pr.Intercept {
			row[d] = 1
		}
	}
	return a
}

// columns returns the number of unknowns of a linear predictor.
func columns(pr *Problem) int {
	if pr.Intercept {
		return pr.X.Cols + 1
	}
	return pr.X.Cols
}

// newPrimal returns the back-end with the terms that cost least along a path.
func newPrimal(pr *Problem) *primal {
	s := newLinear(pr, design(pr))
	if m := newMoments(s); m != nil {
		s.setTerms(m)
	} else if e := newExpansion(s); e != nil {
		s.setTerms(e)
	} else {
		s.setPlainTerms()
	}
	return s
}

// newPlain returns the back-end on the design a with plain terms.
func newPlain(pr *Problem, a []float64) *primal {
	s := newLinear(pr, a)
	s.setPlainTerms()
	return s
}

// setPlainTerms chooses the terms that need no window: zone sums of the hinge loss, or
// sums over all samples.
func (s *primal) setPlainTerms() {
	if m := newMargins(s); m != nil {
		s.setTerms(m)
	} else {
		s.setTerms(newDirect(s))
	}
}

// newLinear returns the back-end on the design a, which it only reads, without terms.
func newLinear(pr *Problem, a []float64) *primal {
	n, d, p := pr.X.Rows, pr.X.Cols, columns(pr)
	s := &primal{
		system: newSystem(pr, p), a: a, zero: make([]bool, p), floor: make([]float64, p), known: make([]float64, n),
		hess: make([]float64, p*p), factor: make([]float64, p*p),
		solveA: make([]float64, p), wide: make([]float64, p),
		wideGradient: make([]float64, p), wideSize: make([]float64, p),
	}
	s.system.algebra = s
	for j := range p {
		column := blas64.Vector{N: n, Inc: p, Data: s.a[j:]}
		s.zero[j] = column.Data[blas64.Iamax(column)*p] == 0
	}
	for j := range d {
		s.l1[j], s.l2[j] = pr.Penalty.L1, pr.Penalty.L2
	}
	room := p
	if s.hinge != nil {
		s.pins = newPins(p)
		room = 2 * p
	}
	s.allot(room)
	return s
}

func (s *primal) setTerms(t terms) {
	s.terms = t
	s.margins, _ = t.(*margins)
	s.activations, _ = t.(activations)
	_, summed := t.(*moments)
	s.summed, s.affine = summed || s.margins != nil, s.margins != nil
}

func (s *primal) place(zones []uint8, u []float64) { s.terms.place(zones, u) }

func (s *primal) shifted(i int, from uint8, theta []float64) { s.terms.move(i, from, theta) }

// reactivate makes the coordinates with a sign, and those without an L1
// weight, the active ones; those without a penalty at all only where something
// determines them, and never columns of zeros.
func (s *primal) reactivate() {
	s.frozen = s.undetermined()
	s.active = s.active[:0]
	for j := range s.p {
		if s.sign[j] != 0 || (s.l1[j] == 0 && !s.zero[j] && !(s.frozen && s.l2[j] == 0)) {
			s.active = append(s.active, j)
		}
	}
	s.multipliers = s.multipliers[:0]
	if s.hinge != nil && s.members[pinned] > 0 {
		for i, z := range s.zone {
			if z == pinned && len(s.multipliers) < len(s.active) { // more are dependent
				s.multipliers = append(s.multipliers, i)
			}
		}
	}
	if s.hinge != nil {
		s.pins.gather(s)
	}
	if s.margins != nil {
		s.margins.current = false
	}
	s.gatherRows()
}

func (s *primal) setWatch(samples []int) {
	s.watch = samples
	s.watches++
	s.gathers = true
	s.gatherRows()
}

// gatherRows makes xw from the watched rows and the active columns.
func (s *primal) gatherRows() {
	k := len(s.active)
	if k == s.p && len(s.watch) == s.n {
		s.xw, s.gathers = s.a, true
		return
	}
	if !s.gathers && slices.Equal(s.columns, s.active) {
		return
	}
	s.columns, s.gathers = append(s.columns[:0], s.active...), false
	if s.gathered == nil {
		s.gathered = make([]float64, s.n*s.p)
	}
	s.xw = s.gathered[:len(s.watch)*k]
	for slot, i := range s.watch {
		s.gather(s.xw[slot*k:(slot+1)*k], s.sample(i))
	}
}

// sample returns a sample's row of a.
func (s *primal) sample(i int) []float64 { return s.a[i*s.p : (i+1)*s.p] }

// predict expects a θ that is zero but for its active coordinates and those
// that are frozen.
func (s *primal) predict(dst, theta []float64) {
	if s.frozen {
		for slot, i := range s.watch {
			dst[slot] = s.predictOne(i, theta)
		}
		return
	}
	k := len(s.active)
	if k == 0 || len(s.watch) == 0 {
		clear(dst)
		return
	}
	beta := s.gather(s.wide, theta)
	kernel.MulVec(dst[:len(s.watch)], s.xw, k, beta)
}

func (s *primal) predictAll(dst, theta []float64) {
	if !slices.Equal(s.at, theta) {
		s.at = append(s.at[:0], theta...)
		kernel.MulVec(s.known, s.a, s.p, theta)
	}
	copy(dst, s.known)
}

func (s *primal) predictOne(i int, theta []float64) float64 {
	return blas64.Dot(vector(s.sample(i)), vector(theta))
}

func (s *primal) assemble(pt *point) {
	if !s.summed {
		s.evaluate(pt)
	}
	s.collect(pt)
}

// collect is assemble where losses and slopes are known.
func (s *primal) collect(pt *point) {
	s.assembled = pt
	clear(s.dage[:s.unknowns()])
	s.bent = false
	for r, j := range s.active {
		w := pt.theta[j]
		s.residual[r] = s.l2[j]*w + s.l1[j]*s.sign[j]
		s.scale[r] = math.Abs(s.l2[j]*w) + s.l1[j] + s.floor[j]
	}
	s.terms.assemble(pt)
	if len(s.multipliers) > 0 {
		s.pins.assemble(s, pt)
	}
}

// curve evaluates H and diag where assemble was last called: only factors need
// them.
func (s *primal) curve() {
	if s.bent {
		return
	}
	s.bent = true
	k := len(s.active)
	clear(s.hess[:k*k])
	for r, j := range s.active {
		s.diag[r] = s.l2[j]
		s.hess[r*k+r] = s.l2[j]
	}
	s.terms.curve(s.assembled)
}

// gradientTerms returns the size of the terms of a loss's derivative at the
// predictor u. The derivative of the squared loss is a difference of u and the
// target, whose rounding counts where the residual is small.
func gradientTerms(u, slope, curvature float64) float64 {
	return math.Abs(slope) + curvature*math.Abs(u)
}

// negligible is the weight, relative to 1, of samples whose terms no longer
// count in the scale of the residual: where all weights are smaller, the
// residual drowns in the rounding of the losses.
const negligible = 1e-6

func (s *primal) setFloor(u []float64) {
	if s.hinge != nil && s.floored {
		return // it does not depend on u
	}
	s.floored = true
	clear(s.floor)
	for i := range s.n {
		_, slope, curvature := s.loss.Eval(u[i], s.y[i])
		if s.hinge != nil { // at the kink, or there later, the multiplier takes its place
			slope = s.hinge.C
		}
		f := negligible * s.m[i] * gradientTerms(u[i], slope, curvature)
		for j, x := range s.sample(i) {
			s.floor[j] += f * math.Abs(x)
		}
	}
}

// singular is the pivot, relative to the diagonal of the positive terms, below
// which H counts as not positive definite.
const singular = 1e-12

// factorize computes the Cholesky factor of H and reports whether H is
// positive definite, away from singularity; with pinned samples, on the
// directions that keep them pinned.
func (s *primal) factorize() bool {
	s.curve()
	if s.pins != nil {
		return s.pins.factorize(s)
	}
	return s.decompose()
}

// decompose is factorize with H known, without pins.
func (s *primal) decompose() bool {
	k := len(s.active)
	s.square = s.square[:0]
	if k == 0 {
		return true
	}
	factor := s.factor[:k*k]
	copy(factor, s.hess[:k*k])
	if _, ok := lapack64.Potrf(symmetric(k, factor)); !ok {
		return false
	}
	for r := range k {
		if pivot := factor[r*k+r]; !(pivot*pivot > singular*s.diag[r]) {
			return false
		}
	}
	s.square = append(s.square, s.active...)
	return true
}

// keeps reports whether factors are kept for other points: sums over moments and
// margins cost next to nothing, and factors with pins depend on more than the
// active coordinates.
func (s *primal) keeps() bool { return !s.summed && s.pins == nil }

// factored reports whether the last factor is one of the active coordinates,
// of another point perhaps.
func (s *primal) factored() bool {
	return s.keeps() && len(s.active) > 0 && slices.Equal(s.square, s.active)
}

// slow is the part of the residual that a step with a kept factor may leave
// before a new one is worth its cost.
func (s *primal) slow() float64 {
	if len(s.active) < fewColumns {
		return 0.01
	}
	return 0.25
}

func (s *primal) solve(b []float64) {
	if s.pins != nil {
		s.pins.solve(s, b)
		return
	}
	k := len(s.active)
	kernel.SolveUpperTrans(b[:k], s.factor, k)
	kernel.SolveUpper(b[:k], s.factor, k)
}

// invert is solve: where it is asked for, the factor is that of J.
func (s *primal) invert(b []float64) { s.solve(b) }

// quadratic returns bᵀH⁻¹b for b over the active coordinates, clobbering b.
func (s *primal) quadratic(b []float64) float64 {
	k := len(s.active)
	switch {
	case k == 0:
		return 0
	case s.pins != nil:
		return s.pins.quadratic(b)
	}
	kernel.SolveUpperTrans(b[:k], s.factor, k)
	return kernel.Dot(b[:k], b[:k])
}

// refresh forgets the last factor.
func (s *primal) refresh() { s.square = s.square[:0] }

// know has nothing to note: predictors are summed from scratch.
func (s *primal) know(*point) {}

// mix has nothing to do either.
func (s *primal) mix([]float64, bool) {}

// improve has nothing to do: the factor is that of J.
func (s *primal) improve(*point, []float64, bool) bool { return false }

// fix has nothing to do: no entry of θ is constant.
func (s *primal) fix([]float64) {}

func (s *primal) unknownOf(i int) int {
	q, _ := slices.BinarySearch(s.multipliers, i)
	return len(s.active) + q
}

func (s *primal) row(dst []float64, i int) {
	clear(dst[:s.unknowns()])
	s.gather(dst, s.sample(i))
}

func (s *primal) carry(*point, int, []float64) bool { return false }

func (s *primal) variance(i int) float64 { return s.quadratic(s.gather(s.wide, s.sample(i))) }

func (s *primal) freedom(i int) float64 {
	b := s.pins.unit(s, i)
	s.pins.solve(s, b)
	return -1 / b[s.unknownOf(i)]
}

func (s *primal) penalty(theta, _ []float64) float64 {
	var sum float64
	for j, w := range theta {
		sum += s.l1[j]*math.Abs(w) + 0.5*s.l2[j]*w*w
	}
	return sum
}

func (s *primal) value(pt *point) float64 { return s.penalty(pt.theta, nil) + s.terms.objective() }

func (s *primal) residualAt(pt *point) float64 {
	worst := s.pinnedResidual(pt)
	if len(s.active) == s.p { // the equations are the whole gradient's
		return math.Max(worst, s.relative())
	}
	s.terms.gradients(s.wideGradient, s.wideSize)
	s.addPinned(s.wideGradient, s.wideSize, pt)
	for j, w := range pt.theta {
		g, size := s.wideGradient[j]+s.l2[j]*w, s.wideSize[j]
		off := math.Abs(g + s.l1[j]*sign(w))
		if w == 0 || (s.l1[j] > 0 && sign(w) != s.sign[j]) {
			off = math.Max(0, math.Abs(g)-s.l1[j])
		}
		if off > 0 {
			worst = math.Max(worst, off/(size+math.Abs(s.l2[j]*w)+s.l1[j]+s.floor[j]))
		}
	}
	return worst
}

// border writes row j of the full H, restricted to the active coordinates,
// into dst and returns its diagonal entry and the sum of its positive terms.
func (s *primal) border(dst []float64, j int) (diagonal, magnitude float64) {
	diagonal, magnitude = s.activations.border(dst, j)
	return diagonal + s.l2[j], magnitude + s.l2[j]
}

func general(rows, cols int, data []float64) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: data}
}

func symmetric(n int, data []float64) blas64.Symmetric {
	return blas64.Symmetric{N: n, Stride: n, Data: data, Uplo: blas.Upper}
}

func vector(data []float64) blas64.Vector { return blas64.Vector{N: len(data), Inc: 1, Data: data} }
