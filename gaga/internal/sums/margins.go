package sums

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/internal/dense"
)

// Margins sums the terms of the hinge loss over zones, for an implicit loss that on every zone is a
// polynomial in the loss of degree at most two, of degree two on at most one. With z = -y a the
// margin's defect is g = 1 + z·θ, so that Σ m, Σ m z and Σ m z zᵀ give all terms.
type Margins struct {
	whole
	kind
	s         *Scope
	zones     []zoneMargins
	quadratic quadraticZone
	moves     int // since the sums were recomputed; above N they are due
	row       []float64
}

type zoneMargins struct {
	weight   float64   // Σ m
	first    []float64 // Σ m z; nil without weight
	absolute []float64 // Σ m |z|
}

type quadraticZone struct {
	zone        int       // -1 for none
	second      []float64 // Σ m z zᵀ
	absolute    []float64 // Σ m |z_r| z_c
	coefficient float64
}

// NewMargins reports false if zone sums do not apply. The first Place computes the sums.
func NewMargins(s *Scope) (*Margins, bool) {
	if !s.Kinked() || s.Series == nil {
		return nil, false
	}
	p := s.P
	t := &Margins{
		whole: whole{grad: make([]float64, p), dgrad: make([]float64, p), sizes: make([]float64, p)}, kind: kind{summed: true, affine: true},
		s: s, zones: make([]zoneMargins, len(s.Zones)), quadratic: quadraticZone{zone: -1}, moves: s.N + 1, row: make([]float64, p),
	}
	for k := s.Kinks; k < len(s.Zones); k++ {
		series := s.Series(k-s.Kinks, 1).F
		switch {
		case series[1] != 0, series[3] != 0 && t.quadratic.zone >= 0:
			return nil, false
		case series[3] != 0:
			t.quadratic = quadraticZone{zone: k, second: make([]float64, p*p), absolute: make([]float64, p*p)}
		case series[2] == 0:
			continue
		}
		t.zones[k].first, t.zones[k].absolute = make([]float64, p), make([]float64, p)
	}
	return t, true
}

// Curved returns the zone on which the implicit loss is of degree two, -1 if there is none.
func (t *Margins) Curved() int { return t.quadratic.zone }

// Second returns Σ m z zᵀ, P x P, over [Margins.Curved], if any.
func (t *Margins) Second() []float64 { return t.quadratic.second }

// First returns Σ m z over a zone; nil without weight.
func (t *Margins) First(zone int) []float64 { return t.zones[zone].first }

func (t *Margins) add(i int, zone uint8, m float64) {
	sum := &t.zones[zone]
	sum.weight += m
	if sum.first == nil {
		return
	}
	x, y := t.s.Row(i), t.s.Y[i]
	z := dense.Vector(x)
	blas64.Axpy(-m*y, z, dense.Vector(sum.first))
	for j, v := range x {
		t.row[j] = math.Abs(v)
		sum.absolute[j] += m * t.row[j]
	}
	if q := &t.quadratic; int(zone) == q.zone {
		blas64.Ger(m, z, z, t.square(q.second))
		blas64.Ger(-m*y, dense.Vector(t.row), z, t.square(q.absolute))
	}
}

func (t *Margins) square(data []float64) blas64.General { return dense.General(t.s.P, t.s.P, data) }

// empty clears the rounding that samples leave behind, which a low age magnifies.
func (t *Margins) empty(zone int) {
	sum := &t.zones[zone]
	sum.weight = 0
	clear(sum.first)
	clear(sum.absolute)
	if q := &t.quadratic; zone == q.zone {
		clear(q.second)
		clear(q.absolute)
	}
}

func (t *Margins) sum() {
	for k := range t.zones {
		t.empty(k)
	}
	for i, z := range t.s.Zone {
		t.add(i, z, t.s.M[i])
	}
	t.moves = 0
}

func (t *Margins) Place(zones []uint8, _ []float64) {
	s := t.s
	if t.moves += s.differing(zones); t.moves > s.N {
		copy(s.Zone, zones)
		t.sum()
		return
	}
	var inhabited [math.MaxUint8 + 1]bool
	for i, z := range zones {
		if inhabited[z] = true; z != s.Zone[i] {
			t.add(i, s.Zone[i], -s.M[i])
			s.Zone[i] = z
			t.add(i, z, s.M[i])
		}
	}
	for k := range t.zones {
		if !inhabited[k] {
			t.empty(k)
		}
	}
}

func (t *Margins) Move(i int, from uint8, _ []float64) {
	s := t.s
	if t.moves++; t.moves > s.N {
		t.sum()
		return
	}
	t.add(i, from, -s.M[i])
	t.add(i, s.Zone[i], s.M[i])
	if s.Members[from] == 0 {
		t.empty(int(from))
	}
}

func (t *Margins) Assemble(pt *model.Point) {
	t.reset()
	clear(t.sizes)
	t.quadratic.coefficient = 0
	for k := t.s.Kinks; k < len(t.zones); k++ {
		t.addZone(pt, k)
	}
	for j, size := range t.sizes {
		t.sizes[j] = math.Max(0, size)
	}
	t.addTo(t.s)
}

// addZone adds the terms of a zone with F = f0 + f2 l + f3 l², l = C g.
func (t *Margins) addZone(pt *model.Point, k int) {
	s, sum, q := t.s, &t.zones[k], &t.quadratic
	c, theta, series := s.Cost, dense.Vector(pt.Theta), s.Series(k-s.Kinks, pt.Age)
	f, rate := series.F, series.Rate
	t.value += f[0] * sum.weight
	if sum.first == nil {
		return
	}
	first, sizes := dense.Vector(sum.first), dense.Vector(t.sizes)
	linear := sum.weight + blas64.Dot(first, theta)
	t.value += f[2] * c * linear
	blas64.Axpy(f[2]*c, first, dense.Vector(t.grad))
	blas64.Axpy(rate[2]*c, first, dense.Vector(t.dgrad))
	if k != q.zone {
		blas64.Axpy(f[2]*c, dense.Vector(sum.absolute), sizes)
		return
	}
	q.coefficient = 2 * f[3] * c * c
	row := dense.Vector(t.row)
	copy(t.row, sum.first)
	blas64.Gemv(blas.NoTrans, 1, t.square(q.second), theta, 1, row)
	t.value += f[3] * c * c * (linear + blas64.Dot(row, theta))
	blas64.Axpy(q.coefficient, row, dense.Vector(t.grad))
	blas64.Axpy(2*rate[3]*c*c, row, dense.Vector(t.dgrad))
	// C Σ m [v + PassedOn (2 + g) |dv/dg|] |z| with the weight v = f2 + g dv/dg.
	steep := tolerance.PassedOn * math.Abs(q.coefficient)
	blas64.Axpy(f[2]*c+q.coefficient+3*steep, dense.Vector(sum.absolute), sizes)
	blas64.Gemv(blas.NoTrans, q.coefficient+steep, t.square(q.absolute), theta, 1, sizes)
}

func (t *Margins) Curve(*model.Point) {
	s, q := t.s, &t.quadratic
	if q.second == nil {
		return
	}
	k := len(s.Active)
	for r, j := range s.Active {
		row := q.second[j*s.P : (j+1)*s.P]
		s.Diag[r] += math.Abs(q.coefficient * row[j])
		for c, l := range s.Active[r:] {
			s.Hess[r*k+r+c] += float64(q.coefficient * row[l])
		}
	}
}
