package gaga

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/agepath/agepath/gaga/internal/model"
)

// bruteSVM is brute for support vector machines. Whatever the kernel, it works
// in w and b: a kernel matrix K = VDVᵀ has the features VD^½. It knows nothing
// of the path but the point and the zones.
type bruteSVM struct {
	*eventZones
	features *mat.Dense // n x r, the intercept's column of ones last
	u        []float64  // predictors at the point
}

func newBruteSVM(p *Problem, path *Path, k *Knot) *bruteSVM {
	b := &bruteSVM{eventZones: newEventZones(p, path, k)}
	b.features, b.u = machineFeatures(b.p, k.Theta)
	return b
}

// eventZones are the zones of a support vector machine's samples at an event.
type eventZones struct {
	p    *Problem
	k    *Knot
	zone [2][]int // before and behind: 0 satisfied, 1 pinned, then the regularizer's
	up   bool     // the sample crosses upwards
}

func newEventZones(p *Problem, path *Path, k *Knot) *eventZones {
	b := &eventZones{p: p, k: k, up: k.Cause == SampleUp}
	pc := path.pieces[k.piece]
	for side := range b.zone {
		b.zone[side] = make([]int, len(pc.zone))
		for i, z := range pc.zone {
			b.zone[side][i] = int(z)
		}
	}
	before := k.change
	if k.Kind == Turning {
		before--
	}
	for _, c := range pc.changes[:before] {
		b.move(0, c.index, c.cause == model.SampleUp)
		b.move(1, c.index, c.cause == model.SampleUp)
	}
	b.move(1, k.Index, b.up)
	return b
}

func (b *eventZones) move(side, i int, up bool) {
	if up {
		b.zone[side][i]++
	} else {
		b.zone[side][i]--
	}
}

// machineFeatures returns the features of a support vector machine, a column
// of ones last where it has an intercept, and the predictors at θ.
func machineFeatures(p *Problem, theta []float64) (features *mat.Dense, u []float64) {
	n, d := p.X.Rows, p.X.Cols
	u = make([]float64, n)
	var columns [][]float64
	if p.Kernel == nil {
		for j := range d {
			column := make([]float64, n)
			for i := range column {
				column[i] = p.X.Data[i*p.X.Stride+j]
				u[i] += column[i] * theta[j]
			}
			columns = append(columns, column)
		}
	} else {
		data := gram(p)
		for i := range n {
			for j := range n {
				u[i] += data[i*n+j] * p.Y[j] * theta[j]
			}
		}
		var eigen mat.EigenSym
		if !eigen.Factorize(mat.NewSymDense(n, data), true) {
			panic("the eigenvalues of the kernel matrix do not converge")
		}
		var vectors mat.Dense
		eigen.VectorsTo(&vectors)
		values := eigen.Values(nil)
		for c, value := range values {
			if value > 1e-13*values[n-1] {
				column := mat.Col(nil, c, &vectors)
				for i := range column {
					column[i] *= math.Sqrt(value)
				}
				columns = append(columns, column)
			}
		}
	}
	if p.Intercept {
		ones := make([]float64, n)
		for i := range ones {
			ones[i] = 1
			u[i] += theta[len(theta)-1]
		}
		columns = append(columns, ones)
	}
	features = mat.NewDense(n, len(columns), nil)
	for c, column := range columns {
		features.SetCol(c, column)
	}
	return features, u
}

// Below this, relative to its terms, a figure of the brute force is rounding.
const bruteNoise = 1e-8

// side returns how strict the minimum is on the zones before or behind: the
// least eigenvalue of the Hessian on the directions that keep pinned samples
// pinned, relative to its largest term; and, where it is positive, how fast the
// sample moves on there, relative to the terms of its speed. Without such
// directions it is 1, and negative where the pinned samples are dependent.
func (b *bruteSVM) side(side int) (strict, speed float64) {
	zone := b.zone[side]
	n, r := b.features.Dims()
	c := b.p.Loss.(Hinge).C
	hessian, dage := mat.NewDense(r, r, nil), mat.NewVecDense(r, nil)
	largest := 0.0
	for j := range r {
		if !b.p.Intercept || j < r-1 {
			hessian.Set(j, j, b.p.Penalty.L2)
			largest = b.p.Penalty.L2
		}
	}
	var pins []int
	for i := range n {
		if zone[i] == model.Pinned {
			pins = append(pins, i)
		}
		if zone[i] <= model.Pinned {
			continue
		}
		_, dv, da := b.p.Regularizer.Weight(zone[i]-2, c*(1-b.p.Y[i]*b.u[i]), b.k.Age)
		row, m := b.features.RowView(i), b.p.multiplicity(i)
		hessian.RankOne(hessian, m*c*c*dv, row, row)
		dage.AddScaledVec(dage, -m*c*b.p.Y[i]*da, row)
		largest = math.Max(largest, m*c*c*math.Abs(dv)*mat.Dot(row, row))
	}
	z := len(pins)
	if strict = b.definite(hessian, pins, largest); strict <= 0 {
		return strict, math.NaN()
	}
	// The rates of w, b and the multipliers, from the whole KKT matrix.
	whole, rhs := mat.NewDense(r+z, r+z, nil), mat.NewVecDense(r+z, nil)
	whole.Slice(0, r, 0, r).(*mat.Dense).Copy(hessian)
	for j := range r {
		rhs.SetVec(j, -dage.AtVec(j))
	}
	for q, i := range pins {
		for j := range r {
			g := -b.p.Y[i] * b.features.At(i, j)
			whole.Set(j, r+q, g)
			whole.Set(r+q, j, g)
		}
	}
	var rate mat.VecDense
	if err := rate.SolveVec(whole, rhs); err != nil {
		if _, poor := errors.AsType[mat.Condition](err); !poor {
			return 0, math.NaN()
		}
	}
	return strict, b.speed(zone, pins, &rate)
}

// definite returns the least eigenvalue, relative to the largest term, of the
// Hessian on the null space of the pinned samples' rows.
func (b *bruteSVM) definite(hessian *mat.Dense, pins []int, largest float64) float64 {
	r, _ := hessian.Dims()
	null := mat.NewDense(r, r, nil)
	for j := range r {
		null.Set(j, j, 1)
	}
	if z := len(pins); z > 0 {
		rows := mat.NewDense(z, r, nil)
		for q, i := range pins {
			rows.SetRow(q, b.features.RawRowView(i))
		}
		var svd mat.SVD
		if !svd.Factorize(rows, mat.SVDFull) {
			panic("the singular values of the pinned samples do not converge")
		}
		values := svd.Values(nil)
		if z > r || values[z-1] <= bruteNoise*values[0] {
			return 0
		}
		if z == r {
			return 1
		}
		var v mat.Dense
		svd.VTo(&v)
		null = mat.DenseCopyOf(v.Slice(0, r, z, r))
	}
	_, free := null.Dims()
	var image, product mat.Dense
	image.Mul(hessian, null)
	product.Mul(null.T(), &image)
	reduced := mat.NewSymDense(free, nil)
	for i := range free {
		for j := i; j < free; j++ {
			reduced.SetSym(i, j, 0.5*(product.At(i, j)+product.At(j, i)))
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(reduced, false) {
		panic("the eigenvalues of the Hessian do not converge")
	}
	return eigen.Values(nil)[0] / largest
}

// speed returns how fast the crossing sample moves on in the direction of its
// crossing, given the rates of w, b and the pinned samples' multipliers: its
// multiplier where it is pinned, beside the kink the defect of its margin, else
// its loss against the threshold.
func (b *bruteSVM) speed(zone, pins []int, rate *mat.VecDense) float64 {
	i, age, c := b.k.Index, b.k.Age, b.p.Loss.(Hinge).C
	side := -1.0
	if b.up {
		side = 1
	}
	for q, pin := range pins {
		if pin == i {
			return side * rate.AtVec(rate.Len()-len(pins)+q) / (c * b.p.multiplicity(i) / age)
		}
	}
	_, r := b.features.Dims()
	defect := -b.p.Y[i] * mat.Dot(b.features.RowView(i), rate.SliceVec(0, r))
	lower := min(b.zone[0][i], b.zone[1][i])
	if lower <= model.Pinned {
		return side * defect * age
	}
	threshold, slope := b.p.Regularizer.Threshold(lower-2, age)
	return side * (c*defect - slope) / (threshold / age)
}

// flat reports whether a sign that decides is rounding.
func (b *bruteSVM) flat() bool {
	for side := range b.zone {
		strict, speed := b.side(side)
		if math.Abs(strict) <= bruteNoise || math.Abs(speed) <= bruteNoise {
			return true
		}
	}
	return false
}

// continues reports whether the point is a strict minimum on the zones before
// or behind the crossing and the sample moves there as the event says.
func (b *bruteSVM) continues(behind bool) bool {
	side := 0
	if behind {
		side = 1
	}
	strict, speed := b.side(side)
	return strict > 0 && speed >= 0
}
