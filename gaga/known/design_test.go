package known

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/agepath/agepath/gaga"
)

// design is a problem in coordinates in which the penalty is diagonal: predictors
// are rows · z, the penalty's curvature is l2, and a kernel's rows are its
// features by the eigenvectors of its matrix.
type design struct {
	model *gaga.Problem
	rows  *mat.Dense // n x p
	l2    []float64  // p
	l1    []float64  // p
}

func newDesign(m *gaga.Problem) *design {
	n := m.X.Rows
	features := mat.NewDense(n, m.X.Cols, m.X.Data)
	if m.Kernel != nil {
		features = kernelFeatures(m)
	}
	_, d := features.Dims()
	p := d
	if m.Intercept {
		p++
	}
	s := &design{model: m, rows: mat.NewDense(n, p, nil), l2: make([]float64, p), l1: make([]float64, p)}
	for i := range n {
		for j := range p {
			s.rows.Set(i, j, 1)
			if j < d {
				s.rows.Set(i, j, features.At(i, j))
				s.l2[j], s.l1[j] = m.Penalty.L2, m.Penalty.L1
			}
		}
	}
	return s
}

func kernelFeatures(m *gaga.Problem) *mat.Dense {
	n, gamma := m.X.Rows, m.Kernel.(gaga.RBF).Gamma
	gram := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range n {
			var square float64
			for k := range m.X.Cols {
				d := m.X.Data[i*m.X.Stride+k] - m.X.Data[j*m.X.Stride+k]
				square += d * d
			}
			gram.SetSym(i, j, math.Exp(-gamma*square))
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(gram, true) {
		panic("no eigenvalues")
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	values := eigen.Values(nil)
	features := mat.NewDense(n, n, nil)
	for j, value := range values {
		if value > 1e-12 {
			for i := range n {
				features.Set(i, j, vectors.At(i, j)*math.Sqrt(value))
			}
		}
	}
	return features
}

// coordinates returns z for a θ in the form of gaga.Path.At.
func (s *design) coordinates(theta []float64) []float64 {
	m := s.model
	_, p := s.rows.Dims()
	z := make([]float64, p)
	last := len(theta) - 1
	if m.Intercept {
		z[p-1] = theta[last]
		p--
	}
	for j := range p {
		if m.Kernel == nil {
			z[j] = theta[j]
			continue
		}
		for i, alpha := range theta[:last] {
			z[j] += m.Y[i] * alpha * s.rows.At(i, j)
		}
	}
	return z
}

func (s *design) multiplicity(i int) float64 {
	if s.model.Multiplicity == nil {
		return 1
	}
	return s.model.Multiplicity[i]
}

func (s *design) predictor(i int, z []float64) (u float64) {
	for j, v := range z {
		u += s.rows.At(i, j) * v
	}
	return u
}

// eval returns the loss of sample i and its derivatives in the predictor; at the
// hinge's kink and a rounding beyond, those of its rising side.
func (s *design) eval(i int, z []float64) (loss, slope, curvature float64) {
	u, y := s.predictor(i, z), s.model.Y[i]
	if hinge, ok := s.model.Loss.(gaga.Hinge); ok && math.Abs(1-y*u) < 1e-12 {
		return 0, -hinge.C * y, 0
	}
	return s.model.Loss.Eval(u, y)
}

// zone returns the number of the regularizer's zone that a letter stands for.
func (s *design) zone(letter byte) int {
	last := len(s.model.Regularizer.Zones()) - 1
	switch letter {
	case 'E', 'N', 'Z':
		return 0
	case 'M':
		return 1
	}
	return last
}

// residual returns the largest violation of the optimality condition relative to
// its terms, with the best multipliers of the pinned samples, which it returns too.
func (s *design) residual(age float64, theta []float64, zones string) (worst float64, multipliers map[int]float64) {
	z := s.coordinates(theta)
	p := len(z)
	g, size := make([]float64, p), make([]float64, p)
	for j := range p {
		g[j] = s.l2[j] * z[j]
		size[j] = math.Abs(g[j]) + s.l1[j]
	}
	var pinned []int
	for i := range len(zones) {
		if zones[i] == 'N' {
			continue
		}
		if zones[i] == 'Z' {
			pinned = append(pinned, i)
			continue
		}
		loss, slope, _ := s.eval(i, z)
		v, _, _ := s.model.Regularizer.Weight(s.zone(zones[i]), loss, age)
		for j := range p {
			x := s.multiplicity(i) * slope * s.rows.At(i, j)
			g[j] += v * x
			size[j] += math.Abs(v*x) + 1e-3*math.Abs(x)
		}
	}
	multipliers = map[int]float64{}
	if len(pinned) > 0 { // g = Σ α y x over the pinned samples
		a := mat.NewDense(p, len(pinned), nil)
		for k, i := range pinned {
			for j := range p {
				a.Set(j, k, s.model.Y[i]*s.rows.At(i, j))
			}
		}
		var alpha mat.VecDense
		if err := alpha.SolveVec(a, mat.NewVecDense(p, g)); err != nil {
			return math.Inf(1), nil
		}
		for k, i := range pinned {
			multipliers[i] = alpha.AtVec(k)
			for j := range p {
				g[j] -= alpha.AtVec(k) * a.At(j, k)
				size[j] += math.Abs(alpha.AtVec(k) * a.At(j, k))
			}
		}
	}
	for j, off := range g {
		switch {
		case s.l1[j] > 0 && z[j] == 0:
			off = math.Max(0, math.Abs(off)-s.l1[j])
		case s.l1[j] > 0:
			off += math.Copysign(s.l1[j], z[j])
		}
		worst = math.Max(worst, math.Abs(off)/(size[j]+1e-300))
	}
	return worst, multipliers
}

// curvature returns the least eigenvalue of the objective's second derivative over
// the active coordinates, within the pinned samples' null space, relative to its
// positive terms; +Inf where nothing is left to move.
func (s *design) curvature(age float64, theta []float64, zones string) float64 {
	z := s.coordinates(theta)
	var free []int
	for j, v := range z {
		if s.l1[j] == 0 || v != 0 {
			free = append(free, j)
		}
	}
	p := len(free)
	if p == 0 {
		return math.Inf(1)
	}
	h := mat.NewSymDense(p, nil)
	var size float64
	var pins [][]float64
	for r, j := range free {
		h.SetSym(r, r, s.l2[j])
		size = math.Max(size, s.l2[j])
	}
	weightless := true
	for i := range len(zones) {
		row := make([]float64, p)
		for r, j := range free {
			row[r] = s.rows.At(i, j)
		}
		if zones[i] == 'N' {
			continue
		}
		if zones[i] == 'Z' {
			pins, weightless = append(pins, row), false
			continue
		}
		loss, slope, bend := s.eval(i, z)
		v, dv, _ := s.model.Regularizer.Weight(s.zone(zones[i]), loss, age)
		c := s.multiplicity(i) * (dv*slope*slope + v*bend)
		if v != 0 || dv != 0 {
			weightless = false
		}
		h.SymRankOne(h, c, mat.NewVecDense(p, row))
		size += math.Abs(c) * mat.Dot(mat.NewVecDense(p, row), mat.NewVecDense(p, row))
	}
	if weightless && s.model.Intercept { // nothing determines the intercept
		return math.Inf(1)
	}
	basis := nullSpace(pins, p)
	if basis == nil {
		return math.Inf(1)
	}
	_, q := basis.Dims()
	var reduced mat.Dense
	reduced.Product(basis.T(), h, basis)
	sym := mat.NewSymDense(q, nil)
	for r := range q {
		for c := r; c < q; c++ {
			sym.SetSym(r, c, reduced.At(r, c))
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(sym, false) {
		return math.NaN()
	}
	return eigen.Values(nil)[0] / size
}

// nullSpace returns an orthonormal basis of the vectors that are orthogonal to all
// rows, nil where there is only 0.
func nullSpace(rows [][]float64, p int) *mat.Dense {
	square := mat.NewSymDense(p, nil)
	for _, row := range rows {
		square.SymRankOne(square, 1, mat.NewVecDense(p, row))
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(square, true) {
		return nil
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	q := 0
	for _, value := range eigen.Values(nil) {
		if value < 1e-12 {
			q++
		}
	}
	if q == 0 {
		return nil
	}
	return mat.DenseCopyOf(vectors.Slice(0, p, 0, q))
}
