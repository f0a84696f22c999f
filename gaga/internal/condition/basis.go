package condition

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga/internal/sums"
	"github.com/agepath/agepath/gaga/internal/tolerance"
)

// basis is Gᵀ = Q [R; 0] with Q = [Y N] orthogonal: N spans the directions that keep
// pinned samples pinned.
//
// Q and R follow the pinned samples one by one (Gill, Golub, Murray, Saunders 1974): a
// new one is a Householder reflection of N, one that leaves a sequence of plane
// rotations of Y.
type basis struct {
	*pins
	columns []int          // the active coordinates, as they were when Q was built
	list    []int          // the pinned samples, in the order of R's columns
	at      []int          // where list's samples are among the pins
	q       []float64      // len(columns) squared: Qᵀ, so that its first len(list) rows are Y's columns
	r       []float64      // at stride P: row c holds column c of R
	stale   bool           // Q and R are to be built anew
	changes int            // since they were
	kept    []*zoneProduct // what follows Q's changes

	w, x  []float64 // scratch: P each
	image []float64 // P x P, scratch
}

func newBasis(p *pins) *basis {
	n := p.P
	return &basis{
		pins: p, q: zeros(n * n), r: zeros(n * n), stale: true, w: zeros(n), x: zeros(n), image: zeros(n * n),
		columns: make([]int, 0, n), list: make([]int, 0, n), at: make([]int, 0, n),
	}
}

// free returns the dimension of N.
func (f *basis) free() int { return len(f.columns) - len(f.list) }

// span returns Yᵀ, and null Nᵀ.
func (f *basis) span() blas64.General { return f.columnsOf(0, len(f.list)) }
func (f *basis) null() blas64.General { return f.columnsOf(len(f.list), len(f.columns)) }

func (f *basis) columnsOf(from, to int) blas64.General {
	k := len(f.columns)
	return general(to-from, k, f.q[from*k:to*k])
}

// column returns column c of R.
func (f *basis) column(c int) []float64 { return f.r[c*f.P : (c+1)*f.P] }

// follow brings Q and R up to date with the pins and the active coordinates, and reports
// whether the pins are independent.
func (f *basis) follow() bool {
	if f.stale || f.changes > tolerance.BasisChanges || !slices.Equal(f.columns, f.Active) {
		return f.build()
	}
	for c := len(f.list) - 1; c >= 0; c-- {
		if _, still := slices.BinarySearch(f.Pins, f.list[c]); !still {
			f.remove(c)
		}
	}
	return f.extend(f.kept)
}

// build makes Q and R anew.
func (f *basis) build() bool {
	f.columns, f.list = append(f.columns[:0], f.Active...), f.list[:0]
	k := len(f.columns)
	q := f.q[:k*k]
	clear(q)
	for r := range k {
		q[r*k+r] = 1
	}
	f.stale = false
	if !f.extend(nil) {
		return false
	}
	f.changes = 0
	for _, kept := range f.kept {
		kept.build()
	}
	return true
}

// extend adds the pins that are not in R yet; kept follows.
func (f *basis) extend(kept []*zoneProduct) bool {
	if len(f.list) < len(f.Pins) {
		for c, i := range f.Pins {
			if !slices.Contains(f.list, i) && !f.add(c, i, kept) {
				f.stale = true
				return false
			}
		}
	}
	f.at = f.at[:0]
	for _, i := range f.list {
		c, _ := slices.BinarySearch(f.Pins, i)
		f.at = append(f.at, c)
	}
	return true
}

// add appends the pinned sample i, whose row of G is the c-th, to R: the reflection that
// turns its part in the null space to N's first column. It reports false where that part
// is none.
func (f *basis) add(c, i int, kept []*zoneProduct) bool {
	k, z := len(f.columns), len(f.list)
	if z == k {
		return false
	}
	g := vector(f.g[c*k : (c+1)*k])
	w := f.w[:k]
	blas64.Gemv(blas.NoTrans, 1, f.columnsOf(0, k), g, 0, vector(w))
	v := w[z:]
	norm := blas64.Nrm2(vector(v))
	if !(norm > tolerance.Dependent*blas64.Nrm2(g)) {
		return false
	}
	if v[0] > 0 {
		norm = -norm
	}
	column := f.column(z)
	copy(column, w[:z])
	column[z] = norm
	v[0] -= norm
	beta := -1 / (norm * v[0]) // 2/vᵀv
	image := vector(f.x[:k])
	blas64.Gemv(blas.Trans, 1, f.null(), vector(v), 0, image)
	blas64.Ger(-beta, vector(v), image, f.null())
	for _, product := range kept {
		product.reflect(v, beta)
	}
	f.list = append(f.list, i)
	f.changes++
	return true
}

// remove takes column c out of R: rotations of Y's columns bring what is left back to
// triangular form and turn Y's last column into N's first.
func (f *basis) remove(c int) {
	f.list = slices.Delete(f.list, c, c+1)
	k, z := len(f.columns), len(f.list)
	for j := c; j < z; j++ {
		copy(f.column(j)[:j+2], f.column(j + 1)[:j+2])
	}
	for j := c; j < z; j++ {
		diagonal := f.column(j)
		x, y := diagonal[j], diagonal[j+1]
		norm := math.Hypot(x, y)
		cos, sin := x/norm, y/norm
		diagonal[j] = norm
		for l := j + 1; l < z; l++ {
			column := f.column(l)
			column[j], column[j+1] = cos*column[j]+sin*column[j+1], cos*column[j+1]-sin*column[j]
		}
		blas64.Rot(vector(f.q[j*k:(j+1)*k]), vector(f.q[(j+1)*k:(j+2)*k]), cos, sin)
	}
	f.changes++
	for _, product := range f.kept {
		product.widen()
	}
}

// sandwich writes NᵀMN into dst for a symmetric matrix over the columns.
func (f *basis) sandwich(dst, m blas64.General) {
	null := f.null()
	image := general(null.Rows, null.Cols, f.image[:null.Rows*null.Cols])
	blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, null, m, 0, image)
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, image, null, 0, dst)
}

// zoneProduct is NᵀSN for S = Σ m x xᵀ over the zone in which the hinge loss's terms are
// curved: H is S times a coefficient, and the penalty. S changes by one sample at a time
// and N by one reflection, so that a change costs O(k²) and a factorization that of NᵀHN
// only.
type zoneProduct struct {
	*basis
	margins    *sums.Margins
	sum        []float64 // len(columns) squared: NᵀSN, at the place of N's rows in q
	generation int       // of the margins' sums, with which this is up to date
	along      []float64 // P, scratch: of the null space
}

func newZoneProduct(b *basis, m *sums.Margins) *zoneProduct {
	return &zoneProduct{basis: b, margins: m, sum: zeros(b.P * b.P), along: zeros(b.P)}
}

// block returns NᵀSN.
func (s *zoneProduct) block() blas64.General {
	k, z := len(s.columns), len(s.list)
	if z == k {
		return blas64.General{Stride: max(1, k)}
	}
	return blas64.General{Rows: k - z, Cols: k - z, Stride: k, Data: s.sum[z*k+z:]}
}

// build takes it anew.
func (s *zoneProduct) build() {
	if s.generation = s.margins.Generation(); s.free() > 0 {
		s.sandwich(s.block(), s.margins.Products(s.Active))
	}
}

// reflect applies the reflection 1 - beta v vᵀ of N to both sides.
func (s *zoneProduct) reflect(v []float64, beta float64) {
	p := vector(s.along[:len(v)])
	blas64.Gemv(blas.NoTrans, beta, s.block(), vector(v), 0, p)
	blas64.Axpy(-0.5*beta*blas64.Dot(p, vector(v)), vector(v), p)
	blas64.Ger(-1, vector(v), p, s.block())
	blas64.Ger(-1, p, vector(v), s.block())
}

// widen adds the row and column of N's new first column.
func (s *zoneProduct) widen() {
	k, z := len(s.columns), len(s.list)
	image := vector(s.x[:k])
	blas64.Gemv(blas.NoTrans, 1, s.margins.Products(s.Active), vector(s.q[z*k:(z+1)*k]), 0, image)
	row := s.sum[z*k+z : (z+1)*k]
	blas64.Gemv(blas.NoTrans, 1, s.null(), image, 0, vector(row))
	for r := 1; r < len(row); r++ {
		s.sum[(z+r)*k+z] = row[r]
	}
}

// moved follows sample i, which has left a zone.
func (s *zoneProduct) moved(i int, from uint8) {
	if s.generation != s.margins.Generation() {
		s.stale = true
	}
	switch curved := s.margins.Curved(); {
	case s.stale:
	case curved == int(from):
		s.add(i, -s.M[i])
	case curved == int(s.Zone[i]):
		s.add(i, s.M[i])
	}
}

// add adds c times the product of sample i.
func (s *zoneProduct) add(i int, c float64) {
	if s.free() == 0 {
		return
	}
	x, v := s.x[:len(s.columns)], vector(s.w[:s.free()])
	row := s.Row(i)
	for r, j := range s.columns {
		x[r] = row[j]
	}
	blas64.Gemv(blas.NoTrans, 1, s.null(), vector(x), 0, v)
	blas64.Ger(c, v, v, s.block())
	s.changes++
}

// reduce takes the penalty's part as its largest weight, less what columns lack to it.
func (s *zoneProduct) reduce(dst blas64.General) {
	var top float64
	for _, j := range s.Active {
		top = math.Max(top, s.L2[j])
	}
	block, null := s.block(), s.null()
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
