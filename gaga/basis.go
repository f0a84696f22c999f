package gaga

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// follow brings Q and R up to date with the pinned samples and the active
// coordinates, and reports whether the pins are independent.
func (f *pins) follow(s *primal) bool {
	if f.stale || f.age > lasting || !slices.Equal(f.columns, s.active) {
		return f.build(s)
	}
	for c := len(f.list) - 1; c >= 0; c-- {
		if _, still := slices.BinarySearch(s.multipliers, f.list[c]); !still {
			f.remove(s, c)
		}
	}
	return f.extend(s, true)
}

// build makes Q and R anew.
func (f *pins) build(s *primal) bool {
	f.columns = append(f.columns[:0], s.active...)
	f.k, f.z, f.list = len(s.active), 0, f.list[:0]
	q := f.q[:f.k*f.k]
	clear(q)
	for r := range f.k {
		q[r*f.k+r] = 1
	}
	f.stale = false
	if !f.extend(s, false) {
		return false
	}
	f.age = 0
	if s.margins != nil && s.margins.second != nil && f.z < f.k {
		dst := general(f.k-f.z, f.k-f.z, f.sum[f.z*f.k+f.z:])
		dst.Stride = f.k
		f.sandwich(dst, s.margins.products(s.active))
	}
	return true
}

// extend adds the pinned samples that are not in R yet; with keep it follows
// with the sum of products.
func (f *pins) extend(s *primal, keep bool) bool {
	if f.z < len(s.multipliers) {
		for c, i := range s.multipliers {
			if !slices.Contains(f.list, i) && !f.add(s, c, i, keep) {
				f.stale = true
				return false
			}
		}
	}
	f.at = f.at[:0]
	for _, i := range f.list {
		c, _ := slices.BinarySearch(s.multipliers, i)
		f.at = append(f.at, c)
	}
	return true
}

// add appends the pinned sample i, whose row of G is the c-th, to R: the
// reflection that turns its part in the null space to N's first column. It
// reports false where that part is none.
func (f *pins) add(s *primal, c, i int, keep bool) bool {
	k, z := f.k, f.z
	if z == k {
		return false
	}
	g := vector(f.g[c*k : (c+1)*k])
	w := f.w[:k]
	blas64.Gemv(blas.NoTrans, 1, general(k, k, f.q[:k*k]), g, 0, vector(w))
	v := w[z:]
	norm := blas64.Nrm2(vector(v))
	if !(norm > dependent*blas64.Nrm2(g)) {
		return false
	}
	if v[0] > 0 {
		norm = -norm
	}
	column := f.r[z*len(f.t1):]
	copy(column, w[:z])
	column[z] = norm
	v[0] -= norm
	beta := -1 / (norm * v[0]) // 2/vᵀv
	null := general(k-z, k, f.q[z*k:k*k])
	image := vector(f.x[:k])
	blas64.Gemv(blas.Trans, 1, null, vector(v), 0, image)
	blas64.Ger(-beta, vector(v), image, null)
	if keep && s.margins != nil && s.margins.second != nil {
		f.reflect(v, beta)
	}
	f.list = append(f.list, i)
	f.z++
	f.age++
	return true
}

// reflect applies the reflection 1 - beta v vᵀ to both sides of the sum on the
// null space.
func (f *pins) reflect(v []float64, beta float64) {
	free := len(v)
	z := f.k - free
	sum := general(free, free, f.sum[z*f.k+z:])
	sum.Stride = f.k
	p := f.t2[:free]
	blas64.Gemv(blas.NoTrans, beta, sum, vector(v), 0, vector(p))
	blas64.Axpy(-0.5*beta*blas64.Dot(vector(p), vector(v)), vector(v), vector(p))
	blas64.Ger(-1, vector(v), vector(p), sum)
	blas64.Ger(-1, vector(p), vector(v), sum)
}

// remove takes column c out of R: rotations of Y's columns bring what is left
// back to triangular form and turn Y's last column into one of N.
func (f *pins) remove(s *primal, c int) {
	k, p := f.k, len(f.t1)
	f.list = slices.Delete(f.list, c, c+1)
	for j := c; j < f.z-1; j++ {
		copy(f.r[j*p:j*p+j+2], f.r[(j+1)*p:(j+1)*p+j+2])
	}
	f.z--
	for j := c; j < f.z; j++ {
		x, y := f.r[j*p+j], f.r[j*p+j+1]
		norm := math.Hypot(x, y)
		cos, sin := x/norm, y/norm
		f.r[j*p+j] = norm
		for l := j + 1; l < f.z; l++ {
			column := f.r[l*p:]
			column[j], column[j+1] = cos*column[j]+sin*column[j+1], cos*column[j+1]-sin*column[j]
		}
		blas64.Rot(vector(f.q[j*k:(j+1)*k]), vector(f.q[(j+1)*k:(j+2)*k]), cos, sin)
	}
	f.age++
	if s.margins == nil || s.margins.second == nil {
		return
	}
	// The sum's new row and column.
	image := vector(f.x[:k])
	blas64.Gemv(blas.NoTrans, 1, s.margins.products(s.active), vector(f.q[f.z*k:(f.z+1)*k]), 0, image)
	row := f.sum[f.z*k+f.z : (f.z+1)*k]
	blas64.Gemv(blas.NoTrans, 1, general(k-f.z, k, f.q[f.z*k:k*k]), image, 0, vector(row))
	for r := 1; r < len(row); r++ {
		f.sum[(f.z+r)*k+f.z] = row[r]
	}
}

// moved adds c times the product of sample i to the sum on the null space.
func (f *pins) moved(s *primal, i int, c float64) {
	if f.stale {
		return
	}
	k, z := f.k, f.z
	x := f.x[:k]
	row := s.sample(i)
	for r, j := range f.columns {
		x[r] = row[j]
	}
	if z == k {
		return
	}
	v := vector(f.w[:k-z])
	blas64.Gemv(blas.NoTrans, 1, general(k-z, k, f.q[z*k:k*k]), vector(x), 0, v)
	sum := general(k-z, k-z, f.sum[z*k+z:])
	sum.Stride = k
	blas64.Ger(c, v, v, sum)
	f.age++
}
