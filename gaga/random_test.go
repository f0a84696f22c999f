package gaga

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/internal/kernel"
)

// randomProblem draws a small regression problem with gaussian or integer
// data, repeated rows, collinear and constant columns.
func randomProblem(rng *rand.Rand) *Problem {
	n, d := 1+rng.IntN(14), 1+rng.IntN(4)
	integer := rng.IntN(3) == 0
	draw := func() float64 {
		if integer {
			return float64(rng.IntN(5) - 2)
		}
		return rng.NormFloat64()
	}
	x, y := make([]float64, n*d), make([]float64, n)
	for i := range x {
		x[i] = draw()
	}
	for i := range y {
		y[i] = draw()
		for _, v := range x[i*d : (i+1)*d] {
			if !integer {
				y[i] += 0.5 * v
			}
		}
	}
	switch rng.IntN(8) {
	case 0: // repeated rows
		for i := n / 2; i < n; i++ {
			copy(x[i*d:(i+1)*d], x[(i-n/2)*d:])
			y[i] = y[i-n/2]
		}
	case 1: // collinear columns
		for i := range n {
			x[i*d+d-1] = 2 * x[i*d]
		}
	case 2: // a constant column
		for i := range n {
			x[i*d] = 1
		}
	case 3: // binary targets
		for i := range y {
			y[i] = float64(rng.IntN(2))
		}
	}
	p := Lasso(blas64.General{Rows: n, Cols: d, Stride: d, Data: x}, y, nil, 0)
	if rng.IntN(4) == 0 {
		p.Multiplicity = make([]float64, n)
		for i := range n {
			p.Multiplicity[i] = float64(1 + rng.IntN(3))
		}
	}
	alpha := []float64{1e-3, 0.006, 0.05, 0.3}[rng.IntN(4)]
	p.Penalty.L1 = 2 * p.total() * alpha
	p.Intercept = rng.IntN(2) == 0
	p.Regularizer = randomRegularizer(rng)
	return p
}

func randomRegularizer(rng *rand.Rand) Regularizer {
	switch rng.IntN(6) {
	case 0:
		return Hard{}
	case 1, 2:
		return Linear{}
	case 3:
		return Polynomial{[]float64{1.2, 1.3, 1.5, 1.8, 2.5}[rng.IntN(5)]}
	case 4:
		return Mixture{[]float64{0.2, 0.5, 2}[rng.IntN(3)]}
	}
	return LOG{[]float64{0.3, 1, 4}[rng.IntN(3)]}
}

// randomSVM draws a small support vector machine, of the linear or the RBF
// kernel, with gaussian or integer data, repeated rows, collinear and constant
// columns, and a cost from 1e-4 to 1e4.
func randomSVM(rng *rand.Rand) *Problem {
	n, d := 1+rng.IntN(14), 1+rng.IntN(4)
	integer := rng.IntN(4) == 0
	x, y := make([]float64, n*d), make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
		if integer {
			x[i] = float64(rng.IntN(5) - 2)
		}
	}
	separation := 2 * rng.Float64()
	for i := range y {
		y[i] = float64(1 - 2*rng.IntN(2))
		if !integer {
			x[i*d] += separation * y[i]
		}
	}
	switch rng.IntN(10) {
	case 0: // repeated rows
		for i := n / 2; i < n; i++ {
			copy(x[i*d:(i+1)*d], x[(i-n/2)*d:])
			if integer { // else with other labels, too
				y[i] = y[i-n/2]
			}
		}
	case 1: // collinear columns
		for i := range n {
			x[i*d+d-1] = 2 * x[i*d]
		}
	case 2: // a constant column
		for i := range n {
			x[i*d] = 1
		}
	case 3: // one class
		for i := range y {
			y[i] = y[0]
		}
	}
	c := []float64{0.1, 0.47, 1, 1.3, 3.1, 9.7}[rng.IntN(6)]
	if rng.IntN(8) == 0 {
		c = kernel.Pow(10, 8*rng.Float64()-4)
	}
	p := SVM(blas64.General{Rows: n, Cols: d, Stride: d, Data: x}, y, nil, c, nil)
	if rng.IntN(2) == 0 {
		p.Kernel = RBF{Gamma: []float64{0.1, 0.5, 2}[rng.IntN(3)]}
	}
	if rng.IntN(4) == 0 {
		p.Multiplicity = make([]float64, n)
		for i := range n {
			p.Multiplicity[i] = float64(1 + rng.IntN(3))
		}
	}
	p.Intercept = rng.IntN(3) > 0
	p.Regularizer = randomRegularizer(rng)
	return p
}

// families are the kinds of random problems.
var families = []struct {
	name string
	draw func(rng *rand.Rand) *Problem
}{{"regression", randomProblem}, {"svm", randomSVM}}

// describeProblem names a problem in failure messages.
func describeProblem(p *Problem) string {
	return fmt.Sprintf("%d x %d, %#v loss, kernel %v, %#v, L1 %v, L2 %v, intercept %v, multiplicities %v", p.X.Rows, p.X.Cols, p.Loss, p.Kernel, p.Regularizer, p.Penalty.L1, p.Penalty.L2, p.Intercept, p.Multiplicity)
}

// randomLogistic draws a small problem of logistic regression.
func randomLogistic(rng *rand.Rand) *Problem {
	n, d := 10+rng.IntN(60), 1+rng.IntN(4)
	if rng.IntN(10) == 0 {
		n, d = n+40, 32+rng.IntN(8)
	}
	x, y := make([]float64, n*d), make([]float64, n)
	for i := range y {
		sum := 0.3 * rng.NormFloat64()
		for j := range d {
			x[i*d+j] = rng.NormFloat64()
			sum += x[i*d+j]
		}
		y[i] = math.Copysign(1, sum)
		if rng.IntN(6) == 0 {
			y[i] = -y[i]
		}
	}
	y[0], y[1] = 1, -1
	p := LogisticRegression(blas64.General{Rows: n, Cols: d, Stride: d, Data: x}, y, nil, kernel.Pow(10, rng.Float64()-0.5))
	p.Intercept = rng.IntN(3) > 0
	p.Regularizer = randomRegularizer(rng)
	return p
}
