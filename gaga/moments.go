package gaga

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/kernel"
)

// moments sums the terms of the optimality condition of the squared loss from
// moments of the samples in each zone. With z = (a, -y) and φ = (θ, 1) the
// residual is r = z·φ, so that sums of |r|, r² and r⁴ are contractions of
// Σ ±z, Σ zzᵀ and Σ z⊗z⊗z⊗z with φ. A change of zone moves one sample from one
// zone's moments to another's: the cost of a step does not grow with n.
type moments struct {
	*primal
	reg   SeriesRegularizer
	q     int       // p + 1
	sums  []zoneSum // of each zone
	side  []float64 // n: sign of the residual with which a sample is in its zone's first moment
	moves int       // changes of zone since the moments were last summed anew; above n they are due

	sizes, diags []float64 // p: the size of the terms of Σ m φ a_j and Σ m|∂φ/∂u| a_j² as they were when last taken
	grad, dgrad  []float64 // q: gradient of the samples' terms over all coordinates, its derivative in the age
	full         []float64 // q x q: H over all coordinates, and the target's row
	unpacked     []float64 // q x q: Σ m r² z zᵀ of a zone with fourth moments
	value        float64   // Σ m F

	z, phi, phiphi, row []float64 // scratch: q, q, pairs, q
}

// zoneSum holds the moments of one zone; those that its series does not use
// are nil.
type zoneSum struct {
	weight float64   // Σ m
	first  []float64 // q: Σ m sign(r) z
	second []float64 // q x q: Σ m z zᵀ
	fourth *squares  // Σ m (z⊗z)(z⊗z)ᵀ over a <= b
}

// newMoments returns nil where moments cannot serve the problem or would cost
// more than summing over the samples.
func newMoments(s *primal) *moments {
	if _, squared := s.loss.(SquaredLoss); s.series == nil || !squared {
		return nil
	}
	q := s.p + 1
	pairs := q * (q + 1) / 2
	t := &moments{
		primal: s, reg: s.series, q: q, side: make([]float64, s.n), moves: s.n + 1,
		sizes: make([]float64, s.p), diags: make([]float64, s.p),
		grad: make([]float64, q), dgrad: make([]float64, q), full: make([]float64, q*q),
		z: make([]float64, q), phi: make([]float64, q), row: make([]float64, q),
	}
	for k := range s.zones {
		var sum zoneSum
		terms := s.series.Series(k, 1)
		if terms.F[1] != 0 {
			sum.first = make([]float64, q)
		}
		if terms.F[2] != 0 {
			sum.second = make([]float64, q*q)
		}
		if terms.F[3] != 0 {
			if 4*pairs*pairs > s.n*s.p*s.p {
				return nil
			}
			sum.fourth = newSquares(pairs)
			t.phiphi, t.unpacked = make([]float64, sum.fourth.ld), make([]float64, q*q)
		}
		t.sums = append(t.sums, sum)
	}
	return t
}

// add adds m times a sample's moments to a zone's.
func (t *moments) add(zone *zoneSum, i int, m float64) {
	zone.weight += m
	if zone.first == nil && zone.second == nil {
		return
	}
	copy(t.z, t.sample(i))
	t.z[t.p] = -t.y[i]
	if zone.first != nil {
		blas64.Axpy(m*t.side[i], vector(t.z), vector(zone.first))
	}
	if zone.second != nil {
		addSquare(zone.second, m, t.z)
	}
	if zone.fourth != nil {
		zone.fourth.add(m, t.z)
	}
}

// addSquare adds m z zᵀ to a matrix. Both its triangles are kept: products with it
// are the faster for it.
func addSquare(dst []float64, m float64, z []float64) {
	for a, za := range z {
		if za != 0 {
			kernel.Axpy(m*za, z, dst[a*len(z):(a+1)*len(z)])
		}
	}
}

// sum takes the moments anew, with u the predictors of all samples.
func (t *moments) sum(u []float64) {
	for k := range t.sums {
		t.sums[k].weight = 0
		clear(t.sums[k].first)
		clear(t.sums[k].second)
		if fourth := t.sums[k].fourth; fourth != nil {
			fourth.reset()
		}
	}
	for i := range t.n {
		t.side[i] = sign(u[i] - t.y[i])
		t.add(&t.sums[t.zone[i]], i, t.m[i])
	}
	t.moves = 0
}

// place takes the zones of all samples at once, with u their predictors.
func (t *moments) place(zones []uint8, u []float64) {
	changed := 0
	for i, z := range zones {
		if z != t.zone[i] {
			changed++
		}
	}
	if t.moves += changed; t.moves > t.n {
		copy(t.zone, zones)
		t.sum(u)
		return
	}
	for i, z := range zones {
		side := sign(u[i] - t.y[i])
		if z == t.zone[i] && (side == t.side[i] || t.sums[z].first == nil) {
			continue
		}
		t.add(&t.sums[t.zone[i]], i, -t.m[i])
		t.side[i], t.zone[i] = side, z
		t.add(&t.sums[z], i, t.m[i])
	}
}

func (t *moments) move(i int, from uint8, theta []float64) {
	t.add(&t.sums[from], i, -t.m[i])
	t.side[i] = sign(t.predictOne(i, theta) - t.y[i])
	t.add(&t.sums[t.zone[i]], i, t.m[i])
	t.moves++
}

func (t *moments) assemble(pt *point) {
	copy(t.phi, pt.theta)
	t.phi[t.p] = 1
	clear(t.grad)
	clear(t.dgrad)
	clear(t.full)
	t.value = 0
	for k := range t.sums {
		t.assembleZone(&t.sums[k], t.reg.Series(k, pt.age))
	}
	for r, j := range t.active {
		t.residual[r] += t.grad[j]
		t.dage[r] += t.dgrad[j]
		t.scale[r] += t.sizes[j]
	}
}

func (t *moments) curve(*point) {
	k := len(t.active)
	for r, j := range t.active {
		t.diag[r] += t.diags[j]
		for c := r; c < k; c++ {
			t.hess[r*k+c] += t.full[j*t.q+t.active[c]]
		}
	}
}

// assembleZone adds one zone's contractions.
func (t *moments) assembleZone(zone *zoneSum, s Series) {
	t.value += s.F[0] * zone.weight
	phi := vector(t.phi)
	if zone.first != nil {
		blas64.Axpy(s.F[1], vector(zone.first), vector(t.grad))
		blas64.Axpy(s.Rate[1], vector(zone.first), vector(t.dgrad))
		t.value += s.F[1] * blas64.Dot(vector(zone.first), phi)
	}
	if zone.second != nil {
		kernel.MulVec(t.row, zone.second, t.q, t.phi)
		t.contract(zone.second, s.F[2], s.Rate[2], 2, 2)
	}
	if zone.fourth == nil {
		return
	}
	t.squares(zone)
	kernel.MulVec(t.row, t.unpacked, t.q, t.phi)
	t.contract(t.unpacked, s.F[3], s.Rate[3], 4, 12)
}

// squares writes Σ m r² z zᵀ over a zone with fourth moments, at φ, into unpacked.
func (t *moments) squares(zone *zoneSum) {
	outer(t.phiphi, t.phi)
	at := 0
	for a := range t.q {
		for b := a; b < t.q; b++ {
			if a != b {
				t.phiphi[at] *= 2
			}
			at++
		}
	}
	square := zone.fourth.mul(t.phiphi)
	at = 0
	for a := range t.q { // the pairs are packed
		for b := a; b < t.q; b++ {
			t.unpacked[a*t.q+b], t.unpacked[b*t.q+a] = square[at], square[at]
			at++
		}
	}
}

// weighted writes Σ m v z zᵀ, v the weights at θ, into dst, q x q. No zone must have
// first moments.
func (t *moments) weighted(dst, theta []float64, age float64) {
	copy(t.phi, theta)
	t.phi[t.p] = 1
	clear(dst)
	for k := range t.sums {
		zone, f := &t.sums[k], t.reg.Series(k, age).F
		if zone.second != nil {
			blas64.Axpy(f[2], vector(zone.second), vector(dst))
		}
		if zone.fourth != nil {
			t.squares(zone)
			blas64.Axpy(2*f[3], vector(t.unpacked), vector(dst))
		}
	}
}

// contract adds a term whose matrix of second derivatives is m, up to factors,
// and whose product with φ is in row.
func (t *moments) contract(m []float64, f, df, first, second float64) {
	row := vector(t.row)
	t.value += f * blas64.Dot(row, vector(t.phi))
	blas64.Axpy(first*f, row, vector(t.grad))
	blas64.Axpy(first*df, row, vector(t.dgrad))
	for a := range t.p {
		span := t.full[a*t.q+a : (a+1)*t.q]
		blas64.Axpy(second*f, vector(m[a*t.q+a:(a+1)*t.q]), vector(span))
	}
}

// entry returns an entry of H over all coordinates, without the penalty.
func (t *moments) entry(a, b int) float64 { return t.full[min(a, b)*t.q+max(a, b)] }

func (t *moments) gradient(pt *point) {
	copy(pt.grad, t.grad[:t.p])
	for j := range t.p {
		rate := t.dgrad[j]
		for _, k := range t.active {
			rate += t.entry(j, k) * pt.rate[k]
		}
		pt.dgrad[j] = rate
	}
}

func (t *moments) gradients(gradient, size []float64) {
	copy(gradient, t.grad)
	copy(size, t.sizes)
}

func (t *moments) coordinate(j int) (gradient, dage, size float64) {
	return t.grad[j], t.dgrad[j], t.sizes[j]
}

func (t *moments) border(dst []float64, j int) (diagonal, magnitude float64) {
	for r, k := range t.active {
		dst[r] = t.entry(j, k)
	}
	return t.entry(j, j), t.diags[j]
}

func (t *moments) objective() float64 { return t.value }

// measure takes the sizes of the terms anew, with u the predictors of all
// samples, and returns the largest difference between the gradient summed over
// the samples and the one from the moments, relative to the sizes. Call it
// where assemble was last called.
func (t *moments) measure(u []float64, age float64) float64 {
	clear(t.sizes)
	clear(t.diags)
	sum := t.wide
	clear(sum)
	for i := range t.n {
		loss, slope, curvature := t.eval(t.zone[i], u[i], t.y[i])
		v, dv, _ := t.weight(t.zone[i], loss, age)
		f, fu := t.m[i]*v*slope, t.m[i]*(dv*slope*slope+v*curvature)
		if f == 0 && fu == 0 {
			continue
		}
		size, absU := t.m[i]*v*gradientTerms(u[i], slope, curvature), math.Abs(fu)
		for j, x := range t.sample(i) {
			sum[j] += f * x
			t.sizes[j] += size * math.Abs(x)
			t.diags[j] += absU * x * x
		}
	}
	var off float64
	for j := range t.p {
		if e := math.Abs(sum[j] - t.grad[j]); e > 0 {
			off = math.Max(off, e/(t.sizes[j]+t.floor[j]+t.l1[j]))
		}
	}
	return off
}
