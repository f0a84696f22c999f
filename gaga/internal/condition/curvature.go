package condition

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/tolerance"
)

// lowest returns the smallest eigenvalue of H on the directions z with Gz = 0, and its direction.
func lowest(h *mat.SymDense, g *mat.Dense) (least float64, z []float64, ok bool) {
	k := h.SymmetricDim()
	basis := mat.NewDense(k, k, nil)
	for j := range k {
		basis.Set(j, j, 1)
	}
	var null mat.Matrix = basis
	if g != nil {
		var svd mat.SVD
		if !svd.Factorize(g, mat.SVDFullV) {
			return 0, nil, false
		}
		rank, values := 0, svd.Values(nil)
		for rank < len(values) && values[rank] > tolerance.KKT*values[0] {
			rank++
		}
		if rank == k {
			return 0, nil, false
		}
		svd.VTo(basis)
		null = basis.Slice(0, k, rank, k)
	}
	var left, reduced mat.Dense
	left.Mul(null.T(), h)
	reduced.Mul(&left, null)
	n, _ := reduced.Dims()
	symmetric := mat.NewSymDense(n, nil)
	for r := range n {
		for q := r; q < n; q++ {
			symmetric.SetSym(r, q, 0.5*(reduced.At(r, q)+reduced.At(q, r)))
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(symmetric, true) {
		return 0, nil, false
	}
	var vectors, whole mat.Dense
	eigen.VectorsTo(&vectors)
	whole.Mul(null, vectors.Slice(0, n, 0, 1))
	return eigen.Values(nil)[0], whole.RawMatrix().Data, true
}

func (s *Primal) Products(samples []int) []float64 {
	return products(samples, func(i, j int) (sum float64) {
		a, b := s.Samples.Row(i), s.Samples.Row(j)
		for _, c := range s.Active {
			sum += s.Y[i] * a[c] * s.Y[j] * b[c]
		}
		return sum
	})
}

func (s *Kernel) Products(samples []int) []float64 {
	border := 0.0
	if s.bordered() {
		border = 1
	}
	return products(samples, func(i, j int) float64 { return s.Y[i] * s.Y[j] * (s.matrix.Row(i)[j] + border) })
}

func products(samples []int, of func(i, j int) float64) []float64 {
	k := len(samples)
	out := make([]float64, k*k)
	for r, i := range samples {
		for c, j := range samples[:r+1] {
			out[r*k+c] = of(i, j)
		}
	}
	return out
}

func (s *Primal) Lowest(direction []float64) (least float64, ok bool) {
	s.Curve()
	k := len(s.Active)
	if k == 0 {
		return 0, false
	}
	unit := s.one[:k]
	for r, d := range s.Diag[:k] {
		if unit[r] = 0; d > 0 {
			unit[r] = 1 / math.Sqrt(d)
		}
	}
	h := mat.NewSymDense(k, nil)
	for r := range k {
		for q := r; q < k; q++ {
			h.SetSym(r, q, s.Hess[r*k+q]*unit[r]*unit[q])
		}
	}
	var g *mat.Dense
	if s.Kinked() && s.Members[model.Pinned] > 0 {
		g = mat.NewDense(s.Members[model.Pinned], k, nil)
		row := 0
		for i, z := range s.Zone {
			if z == model.Pinned {
				for r, j := range s.Active {
					g.Set(row, r, s.Samples.Row(i)[j]*unit[r])
				}
				row++
			}
		}
	}
	least, z, ok := lowest(h, g)
	clear(direction)
	for r, j := range s.Active {
		if ok {
			direction[j] = z[r] * unit[r]
		}
	}
	return least, ok
}

// Lowest changes variables to features of the unknowns' samples: with Q_AA = VΛVᵀ and δα = VΛ^-½z
// the curvature is ‖z‖² minus the squares of the curved samples' y∘δu = VΛ^½z + yδb over δ.
func (s *Kernel) Lowest(direction []float64) (least float64, ok bool) {
	samples := make([]int, 0, len(s.Active))
	for _, i := range s.Active {
		if i < s.N {
			samples = append(samples, i)
		}
	}
	k := len(samples)
	if k == 0 {
		return 0, false
	}
	q := mat.NewSymDense(k, nil)
	for r, i := range samples {
		row := s.matrix.Row(i)
		for c, j := range samples[:r+1] {
			q.SetSym(r, c, s.Y[i]*s.Y[j]*row[j])
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(q, true) {
		return 0, false
	}
	var v mat.Dense
	eigen.VectorsTo(&v)
	roots := eigen.Values(nil)
	for c, x := range roots {
		roots[c] = math.Sqrt(math.Max(0, x))
	}
	p := k
	if s.bordered() {
		p++
	}
	feature := func(r int) *mat.VecDense {
		f := mat.NewVecDense(p, nil)
		for c, root := range roots {
			f.SetVec(c, v.At(r, c)*root)
		}
		if p > k {
			f.SetVec(k, s.Y[samples[r]])
		}
		return f
	}
	h := mat.NewSymDense(p, nil)
	for c := range k {
		h.SetSym(c, c, 1)
	}
	var g *mat.Dense
	if s.pinned > 0 {
		g = mat.NewDense(s.pinned, p, nil)
	}
	for r, i := range samples {
		if r < s.pinned {
			g.SetRow(r, feature(r).RawVector().Data)
		} else {
			h.SymRankOne(h, -1/s.delta[i], feature(r))
		}
	}
	least, z, ok := lowest(h, g)
	if !ok {
		return 0, false
	}
	clear(direction)
	for c, root := range roots {
		if root > dependentRoot*roots[k-1] {
			for r, i := range samples {
				direction[i] += v.At(r, c) * z[c] / root
			}
		}
	}
	if p > k {
		direction[s.N] = z[k]
	}
	return least, true
}

// dependentRoot is the root of an eigenvalue of Q_AA, relative to the largest, below which
// multipliers are so large that rounding of the penalty hides the curvature.
const dependentRoot = 1e-4
