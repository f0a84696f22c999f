package rehline

import (
	"cmp"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// Fairness bounds the covariance of the score with each of p sensitive
// attributes,
//
//	|Σ_i (z_is - mean z_s) x_i·β| / n <= tolerance_s
//
// (Zafar et al., Fairness constraints, AISTATS 2017), by two rows each:
// that the covariance is at least -tolerance_s, then that it is at most tolerance_s.
// Where the tolerance is 0, one equality says that it vanishes. As the attributes are
// centred here, an intercept does not matter.
//
// X is n x d and sensitive n x p, both row-major. The attribute may be a
// feature: column j of x is the view
//
//	blas64.General{Rows: x.Rows, Cols: 1, Stride: x.Stride, Data: x.Data[j:]}
//
// The tolerances are >= 0, one for all or one per attribute. A constant
// attribute has no covariance with anything and leaves redundant rows of zeros.
func Fairness[P Parameter](x, sensitive blas64.General, tolerance P) Constraints {
	if err := checkNumbers("Fairness: x", x, x.Cols); err != nil {
		return Constraints{err: err}
	}
	return fairness(x.Rows, x.Cols, sensitive, tolerance, func(dst, z []float64) {
		blas64.Gemv(blas.Trans, 1, x, blas64.Vector{N: len(z), Inc: 1, Data: z},
			0, blas64.Vector{N: len(dst), Inc: 1, Data: dst})
	})
}

// FairnessSparse is Fairness of sparse features.
func FairnessSparse[P Parameter](x *CSR, sensitive blas64.General, tolerance P) Constraints {
	if x == nil {
		return Constraints{err: shapeError("FairnessSparse: x", "nil")}
	}
	if err := x.Check(); err != nil {
		return Constraints{err: err}
	}
	return fairness(x.Rows, x.Cols, sensitive, tolerance, func(dst, z []float64) {
		clear(dst)
		for i, zi := range z {
			for k := x.Start[i]; k < x.Start[i+1]; k++ {
				dst[x.Index[k]] += zi * x.Data[k]
			}
		}
	})
}

// fairness is Fairness of n x d features known by their product Xᵀz.
func fairness[P Parameter](n, d int, sensitive blas64.General, tolerance P, product func(dst, z []float64)) Constraints {
	p := sensitive.Cols
	if n < 1 || sensitive.Rows != n {
		return Constraints{err: shapeError("Fairness: sensitive", "%d samples, but x has %d; there is at least one", sensitive.Rows, n)}
	}
	bound, err := newParameter("Fairness: tolerance", tolerance, p, isTolerance, toleranceRule)
	if err := cmp.Or(coefficients("Fairness", d), checkNumbers("Fairness: sensitive", sensitive, p), err); err != nil {
		return Constraints{err: err}
	}

	exact := 0
	for s := range p {
		if bound.at(s) == 0 {
			exact++
		}
	}
	c := newConstraints(2*p-exact, d)
	if exact > 0 {
		c.Equality = make([]bool, c.A.Rows)
	}
	attribute := make([]float64, n)
	k := 0
	for s := range p {
		for i := range attribute {
			attribute[i] = sensitive.Data[i*sensitive.Stride+s]
		}
		centre(attribute)
		covariance := row(c.A, k)
		product(covariance, attribute)
		for j := range covariance {
			covariance[j] /= float64(n)
		}
		c.B[k] = bound.at(s)
		if bound.at(s) == 0 {
			c.Equality[k] = true
			k++
			continue
		}
		for j, v := range covariance {
			row(c.A, k+1)[j] = -v
		}
		c.B[k+1] = bound.at(s)
		k += 2
	}
	return c
}

// centre subtracts the mean. Values that differ by no more than roundoff become
// zero, as a row of roundoff would be a constraint of its own.
func centre(values []float64) {
	size := maxAbs(values)
	// The mean of what the first mean left corrects its rounding.
	for range 2 {
		mean := 0.0
		for _, v := range values {
			mean += v / float64(len(values))
		}
		for i := range values {
			values[i] -= mean
		}
	}
	if maxAbs(values) <= roundoff*size {
		clear(values)
	}
}

// maxAbs returns the largest size of the values.
func maxAbs(values []float64) float64 {
	var size float64
	for _, v := range values {
		size = max(size, math.Abs(v))
	}
	return size
}
