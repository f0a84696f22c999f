package gaga

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// margins sums the terms of the optimality condition of the hinge loss over
// zones instead of samples, where the implicit loss is a polynomial of degree
// up to two in the loss on every zone, of degree two on one at most. With z = -y a the margin's defect is
// g = 1 + z·θ, so that Σ m, Σ m z and Σ m z zᵀ give all terms: a change of zone
// moves one sample, and the cost of a step does not grow with n.
type margins struct {
	*primal
	sums  []marginSum // of each zone
	moves int         // changes of zone since the sums were last taken anew; above n they are due

	curved      int       // the zone of degree two, -1 for none
	second      []float64 // p x p: its Σ m z zᵀ, nil without one
	absolute    []float64 // p x p: its Σ m |z_r| z_c
	coefficient float64   // of second in H where assemble was last called
	chosen      []float64 // p x p: second over the active coordinates, where these are not all
	current     bool      // chosen is up to date

	grad, dgrad, sizes, row []float64 // p
	value                   float64   // Σ m F
}

// marginSum holds the sums over one zone.
type marginSum struct {
	weight   float64   // Σ m
	first    []float64 // p: Σ m z, nil in a zone without weight
	absolute []float64 // p: Σ m |z|
}

// newMargins returns nil where zone sums cannot serve the problem.
func newMargins(s *primal) *margins {
	if s.hinge == nil || s.series == nil {
		return nil
	}
	f := func(k int) []float64 { return make([]float64, k) }
	t := &margins{primal: s, curved: -1, moves: s.n + 1, grad: f(s.p), dgrad: f(s.p), sizes: f(s.p), row: f(s.p)}
	t.sums = make([]marginSum, len(s.zones))
	for k := s.kinks; k < len(s.zones); k++ {
		sum, series := &t.sums[k], s.series.Series(k-s.kinks, 1).F
		switch {
		case series[1] != 0, series[3] != 0 && t.curved >= 0:
			return nil
		case series[3] != 0:
			t.curved, t.second, t.absolute, t.chosen = k, f(s.p*s.p), f(s.p*s.p), f(s.p*s.p)
		case series[2] == 0:
			continue
		}
		sum.first, sum.absolute = f(s.p), f(s.p)
	}
	return t
}

// add adds m times a sample's terms to a zone's sums.
func (t *margins) add(zone int, i int, m float64) {
	sum := &t.sums[zone]
	sum.weight += m
	if sum.first == nil {
		return
	}
	x := t.sample(i)
	z := vector(x)
	blas64.Axpy(-m*t.y[i], z, vector(sum.first))
	for j, v := range x {
		t.row[j] = math.Abs(v)
		sum.absolute[j] += m * t.row[j]
	}
	if zone == t.curved {
		blas64.Ger(m, z, z, general(t.p, t.p, t.second))
		blas64.Ger(-m*t.y[i], vector(t.row), z, general(t.p, t.p, t.absolute))
		t.current = false
	}
}

// empty clears a zone's sums: what samples that have left it leave behind is
// rounding, which a low age magnifies.
func (t *margins) empty(zone int) {
	sum := &t.sums[zone]
	sum.weight = 0
	clear(sum.first)
	clear(sum.absolute)
	if zone == t.curved {
		clear(t.second)
		clear(t.absolute)
		t.current, t.pins.stale = false, true
	}
}

// sum takes the sums anew.
func (t *margins) sum() {
	for k := range t.sums {
		t.empty(k)
	}
	for i, z := range t.zone {
		t.add(int(z), i, t.m[i])
	}
	t.moves, t.current, t.pins.stale = 0, false, true
}

// expire has the next change of zones take the sums anew: at a low age the rounding that
// those of a high one leave behind is not small.
func (t *margins) expire() { t.moves = t.n }

func (t *margins) place(zones []uint8, _ []float64) {
	changed := 0
	for i, z := range zones {
		if z != t.zone[i] {
			changed++
		}
	}
	t.pins.stale = true
	if t.moves += changed; t.moves > t.n {
		copy(t.zone, zones)
		t.sum()
		return
	}
	inhabited := make([]bool, len(t.sums))
	for i, z := range zones {
		if inhabited[z] = true; z != t.zone[i] {
			t.add(int(t.zone[i]), i, -t.m[i])
			t.zone[i] = z
			t.add(int(z), i, t.m[i])
		}
	}
	for k, has := range inhabited {
		if !has {
			t.empty(k)
		}
	}
}

func (t *margins) move(i int, from uint8, _ []float64) {
	if t.moves++; t.moves > t.n {
		t.sum()
		return
	}
	t.add(int(from), i, -t.m[i])
	t.add(int(t.zone[i]), i, t.m[i])
	switch t.curved {
	case int(from):
		t.pins.moved(t.primal, i, -t.m[i])
	case int(t.zone[i]):
		t.pins.moved(t.primal, i, t.m[i])
	}
	if t.members[from] == 0 {
		t.empty(int(from))
	}
}

// products returns second over the given coordinates.
func (t *margins) products(active []int) blas64.General {
	k := len(active)
	if k == t.p {
		return general(k, k, t.second)
	}
	if !t.current {
		for r, j := range active {
			for c, l := range active {
				t.chosen[r*k+c] = t.second[j*t.p+l]
			}
		}
		t.current = true
	}
	return general(k, k, t.chosen[:k*k])
}

func (t *margins) assemble(pt *point) {
	clear(t.grad)
	clear(t.dgrad)
	clear(t.sizes)
	t.value, t.coefficient = 0, 0
	for k := t.kinks; k < len(t.sums); k++ {
		t.assembleZone(pt, k)
	}
	for r, j := range t.active {
		t.residual[r] += t.grad[j]
		t.dage[r] += t.dgrad[j]
		t.scale[r] += math.Max(0, t.sizes[j])
	}
}

func (t *margins) curve(*point) {
	if t.second == nil {
		return
	}
	products := t.products(t.active)
	k := len(t.active)
	for r := range k {
		row := products.Data[r*k+r : (r+1)*k]
		t.diag[r] += math.Abs(t.coefficient * row[0])
		blas64.Axpy(t.coefficient, vector(row), vector(t.hess[r*k+r:(r+1)*k]))
	}
}

// assembleZone adds the terms of one zone, on which F = f0 + f2 l + f3 l² with the loss
// l = C g.
func (t *margins) assembleZone(pt *point, k int) {
	sum, c, theta := &t.sums[k], t.hinge.C, vector(pt.theta)
	series := t.series.Series(k-t.kinks, pt.age)
	f, rate := series.F, series.Rate
	t.value += f[0] * sum.weight
	if sum.first == nil {
		return
	}
	first, sizes := vector(sum.first), vector(t.sizes)
	linear := sum.weight + blas64.Dot(first, theta) // Σ m g
	t.value += f[2] * c * linear
	blas64.Axpy(f[2]*c, first, vector(t.grad))
	blas64.Axpy(rate[2]*c, first, vector(t.dgrad))
	if k != t.curved {
		blas64.Axpy(f[2]*c, vector(sum.absolute), sizes)
		return
	}
	t.coefficient = 2 * f[3] * c * c
	row := vector(t.row) // Σ m g z
	copy(t.row, sum.first)
	blas64.Gemv(blas.NoTrans, 1, general(t.p, t.p, t.second), theta, 1, row)
	t.value += f[3] * c * c * (linear + blas64.Dot(row, theta))
	blas64.Axpy(t.coefficient, row, vector(t.grad))
	blas64.Axpy(2*rate[3]*c*c, row, vector(t.dgrad))
	// C Σ m [v + through (2 + g) |dv/dg|] |z| with the weight v = f2 + g dv/dg.
	steep := through * math.Abs(t.coefficient)
	blas64.Axpy(f[2]*c+t.coefficient+3*steep, vector(sum.absolute), sizes)
	blas64.Gemv(blas.NoTrans, t.coefficient+steep, general(t.p, t.p, t.absolute), theta, 1, sizes)
}

func (t *margins) gradients(gradient, size []float64) {
	copy(gradient, t.grad)
	for j, v := range t.sizes {
		size[j] = math.Max(0, v)
	}
}

func (t *margins) objective() float64 { return t.value }
