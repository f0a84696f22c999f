package condition

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/sums"
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/internal/dense"
)

// nullSpace factorizes J by the directions that keep pinned samples pinned. It follows the
// pins and the active coordinates.
type nullSpace struct {
	*pins
	space   *dense.NullSpace
	columns []int // the active coordinates, as they were when it was built
	at      []int // where its constraints are among the pins
	stale   bool  // it is to be built anew
	reduced reduction
	kept    []*zoneProduct // what follows its changes
}

// reduction writes the upper triangle of NᵀHN into dst.
type reduction interface{ reduce(dst blas64.General) }

func newNullSpace(p *pins) *nullSpace {
	f := &nullSpace{pins: p, space: dense.NewNullSpace(p.P), stale: true, columns: make([]int, 0, p.P), at: make([]int, 0, p.P)}
	f.space.Dependent, f.reduced = tolerance.Dependent, projected{f}
	return f
}

// projected reduces H as it is.
type projected struct{ *nullSpace }

func (p projected) reduce(dst blas64.General) {
	k := len(p.Active)
	for r := range k {
		for c := r + 1; c < k; c++ {
			p.Hess[c*k+r] = p.Hess[r*k+c]
		}
	}
	p.space.Project(dst, general(k, k, p.Hess[:k*k]))
}

// follow brings the space up to date with the pins and the active coordinates, and reports
// whether the pins are independent.
func (f *nullSpace) follow() bool {
	if f.stale || f.space.Changes() > tolerance.BasisChanges || !slices.Equal(f.columns, f.Active) {
		f.columns = append(f.columns[:0], f.Active...)
		if f.stale = !f.space.Build(len(f.columns), f.Pins, f.g); f.stale {
			return false
		}
		for _, product := range f.kept {
			product.build()
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

// exchange takes the samples that are pinned no more out of the space, and the others in.
func (f *nullSpace) exchange() bool {
	list := f.space.Constraints()
	for c, i := range slices.Backward(list) {
		if _, still := slices.BinarySearch(f.Pins, i); still {
			continue
		}
		var followed blas64.General
		for _, product := range f.kept {
			followed = product.margins.Products(f.Active)
		}
		f.space.Remove(c, followed)
	}
	list = f.space.Constraints()
	if len(list) == len(f.Pins) {
		return true
	}
	k := len(f.columns)
	for c, i := range f.Pins {
		if !slices.Contains(list, i) && !f.space.Add(i, f.g[c*k:(c+1)*k]) {
			return false
		}
	}
	return true
}

func (f *nullSpace) factorize() bool {
	if len(f.Pins) < f.Members[model.Pinned] || !f.follow() {
		return false
	}
	var largest float64 // of the positive terms: those of one rotated coordinate cost as much as the rotation
	for _, d := range f.Diag[:len(f.columns)] {
		largest = math.Max(largest, d)
	}
	return f.space.Factorize(f.reduced.reduce, tolerance.Singular*largest)
}

func (f *nullSpace) solve(b []float64) {
	k := len(f.columns)
	f.space.Solve(b, f.at, symmetric(k, f.Hess[:k*k]))
}

func (f *nullSpace) quadratic(b []float64) float64 { return f.space.Quadratic(b[:len(f.columns)]) }

func (f *nullSpace) reuse() (slow float64, begins bool) { return tolerance.PinnedSlow, false }

// zoneProduct reduces H where the hinge loss's terms are curved in one zone: it is S = Σ m x xᵀ
// over that zone times a coefficient, and the penalty. S changes by one sample at a time,
// and the space's projection of it with it.
type zoneProduct struct {
	*nullSpace
	margins    *sums.Margins
	generation int       // of the margins' sums, with which the projection is up to date
	row        []float64 // P, scratch
}

func newZoneProduct(f *nullSpace, m *sums.Margins) *zoneProduct {
	return &zoneProduct{nullSpace: f, margins: m, row: zeros(f.P)}
}

// build takes the projection anew.
func (s *zoneProduct) build() {
	s.generation = s.margins.Generation()
	s.space.Follow(s.margins.Products(s.Active))
}

// moved follows sample i, which has left a zone.
func (s *zoneProduct) moved(i int, from uint8) {
	if s.generation != s.margins.Generation() {
		s.stale = true
	}
	m, curved := s.M[i], s.margins.Curved()
	if curved == int(from) {
		m = -m
	}
	if s.stale || curved != int(from) && curved != int(s.Zone[i]) {
		return
	}
	x := s.row[:len(s.columns)]
	for r, j := range s.columns {
		x[r] = s.Row(i)[j]
	}
	s.space.Change(m, x)
}

// reduce takes the penalty's part as its largest weight, less what columns lack to it.
func (s *zoneProduct) reduce(dst blas64.General) {
	var top float64
	for _, j := range s.Active {
		top = math.Max(top, s.L2[j])
	}
	block, null := s.space.Projection(), s.space.Null()
	for r := range dst.Rows {
		row := dst.Data[r*dst.Stride+r : r*dst.Stride+dst.Cols]
		copy(row, block.Data[r*block.Stride+r:r*block.Stride+block.Cols])
		blas64.Scal(s.margins.Coefficient(), vector(row))
		row[0] += top
	}
	for c, j := range s.Active {
		lack := top - s.L2[j]
		if lack == 0 {
			continue
		}
		for r := range dst.Rows {
			x := -lack * null.Data[r*null.Stride+c]
			for q := r; q < dst.Rows; q++ {
				dst.Data[r*dst.Stride+q] += x * null.Data[q*null.Stride+c]
			}
		}
	}
}
