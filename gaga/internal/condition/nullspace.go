package condition

import (
	"math"
	"slices"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/internal/dense"
)

// nullSpace factorizes J by the directions that keep pinned samples pinned, and updates the factor
// with the pins and the active coordinates. If features differ much in scale, it factorizes DJD
// with D the units of θ: otherwise rounding hides directions of small curvature.
type nullSpace struct {
	*pins
	space   *dense.NullSpace
	unit    []float64 // of the coordinates, powers of 2^4
	even    bool
	scaled  []float64
	hess    []float64
	columns []int
	at      []int
	stale   bool
}

func newNullSpace(p *pins) *nullSpace {
	f := &nullSpace{pins: p, space: dense.NewNullSpace(p.P), stale: true, columns: make([]int, 0, p.P), at: make([]int, 0, p.P)}
	f.space.Dependent = tolerance.KKT
	f.unit, f.even = make([]float64, p.P), true
	return f
}

// setUnits makes H's terms about the same size along every coordinate. Ratios up to 2^20 need no
// units. New units make the space stale.
func (f *nullSpace) setUnits() {
	var largest float64
	for _, d := range f.Diag[:len(f.Active)] {
		largest = math.Max(largest, d)
	}
	f.even = true
	for r, j := range f.Active {
		d, unit := f.Diag[r], 1.0
		if d == 0 {
			d = f.borrowed(r)
		}
		if d > 0 && d < 0x1p-20*largest {
			unit = math.Exp2(4 * math.Round(math.Log2(largest/d)/8))
		}
		f.even = f.even && unit == 1
		f.stale = f.stale || unit != f.unit[j]
		f.unit[j] = unit
	}
	if !f.even && f.scaled == nil {
		f.scaled, f.hess = make([]float64, f.P*f.P), make([]float64, f.P*f.P)
	}
}

// borrowed returns, for a coordinate without terms in H, those of the coordinate that keeps the
// pins at the least cost.
func (f *nullSpace) borrowed(r int) float64 {
	k, least := len(f.Active), math.Inf(1)
	largest := func(r int) (x float64) {
		for c := range f.Pins {
			x = math.Max(x, f.absolute[c*k+r])
		}
		return x
	}
	for q, d := range f.Diag[:k] {
		if x := largest(q); d > 0 && x > 0 {
			least = math.Min(least, d/(x*x))
		}
	}
	own := largest(r)
	if own == 0 {
		return 0
	}
	return least * own * own
}

// inUnits scales a's columns, and with both its rows. The result is dst, or a if all units are 1.
func (f *nullSpace) inUnits(dst, a []float64, both bool) []float64 {
	if f.even {
		return a
	}
	k, dst := len(f.Active), dst[:len(a)]
	for r := range len(a) / max(1, k) {
		by := 1.0
		if both {
			by = f.unit[f.Active[r]]
		}
		for c, j := range f.Active {
			dst[r*k+c] = by * f.unit[j] * a[r*k+c]
		}
	}
	return dst
}

func (f *nullSpace) follow() bool {
	f.setUnits()
	if f.stale || f.space.Changes() > tolerance.Accumulated || !slices.Equal(f.columns, f.Active) {
		f.columns = append(f.columns[:0], f.Active...)
		if f.stale = !f.space.Build(len(f.columns), f.Pins, f.constraints()); f.stale {
			return false
		}
	} else if !f.exchange() {
		f.stale = true
		return false
	}
	f.at = f.at[:0]
	for _, i := range f.space.Constraints() {
		c, _ := slices.BinarySearch(f.Pins, i)
		f.at = append(f.at, c)
	}
	return true
}

func (f *nullSpace) exchange() bool {
	list := f.space.Constraints()
	for c, i := range slices.Backward(list) {
		if _, still := slices.BinarySearch(f.Pins, i); still {
			continue
		}
		f.space.Remove(c)
	}
	list = f.space.Constraints()
	if len(list) == len(f.Pins) {
		return true
	}
	k, g := len(f.columns), f.constraints()
	for c, i := range f.Pins {
		if !slices.Contains(list, i) && !f.space.Add(i, g[c*k:(c+1)*k]) {
			return false
		}
	}
	return true
}

func (f *nullSpace) constraints() []float64 {
	return f.inUnits(f.scaled, f.g[:len(f.Pins)*len(f.Active)], false)
}

func (f *nullSpace) factorize() bool {
	if len(f.Pins) < f.Members[model.Pinned] || !f.follow() {
		return false
	}
	var largest float64 // positive term: rounding of a rotated coordinate is relative to the rotation's largest
	for r, d := range f.Diag[:len(f.columns)] {
		unit := f.unit[f.columns[r]]
		largest = math.Max(largest, d*unit*unit)
	}
	k := len(f.columns)
	for r := range k {
		for c := r + 1; c < k; c++ {
			f.Hess[c*k+r] = f.Hess[r*k+c]
		}
	}
	return f.space.Factorize(dense.General(k, k, f.inUnits(f.hess, f.Hess[:k*k], true)), largest, tolerance.Singular)
}

func (f *nullSpace) solve(b []float64) {
	k := len(f.columns)
	f.rescale(b)
	f.space.Solve(b, f.at, symmetric(k, f.inUnits(f.hess, f.Hess[:k*k], true)))
	f.rescale(b)
}

func (f *nullSpace) rescale(b []float64) {
	for r, j := range f.columns {
		b[r] *= f.unit[j]
	}
}

func (f *nullSpace) quadratic(b []float64) float64 {
	f.rescale(b)
	return f.space.Quadratic(b[:len(f.columns)])
}

func (f *nullSpace) reuse() (slow float64, begins bool) { return tolerance.PinnedSlow, false }
