package dataset

import (
	"errors"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/agepath/agepath/internal/dense"
)

// ridge is added to diagonals, as in the authors' code.
const ridge = 0.01

// poisoner draws points of the statistical attack (StatP) of Jagielski, Oprea, Biggio, Liu,
// Nita-Rotaru and Li, "Manipulating Machine Learning", IEEE S&P 2018, section IV-D. The attack
// knows mean and covariance of the training data and can query a fitted model.
//
// It works in the unit cube of the columns' ranges, independent of the scaling:
//   - a point is drawn from the normal distribution with the data's mean and covariance (divisor n)
//     plus 0.01 on the diagonal,
//   - each feature moves to the nearer end of its range, in a tie the upper: corners do most harm,
//   - the target moves to the end farther from the prediction of a ridge regression (penalty 0.01,
//     free intercept) on clean data, in a tie the upper.
type poisoner struct {
	d         int
	low, high []float64 // of features, then target
	mean      []float64 // in the cube
	factor    mat.TriDense
	weights   []float64
	intercept float64
	sample    []float64
}

func newPoisoner(t scaled, rows []int) (*poisoner, error) {
	n, d := len(rows), t.d
	p := &poisoner{d: d, weights: make([]float64, d), sample: make([]float64, d)}
	u := make([]float64, n*d)
	v := make([]float64, n)
	for i, row := range rows {
		copy(u[i*d:], t.row(row))
		v[i] = t.y[row]
	}
	p.low, p.high = toCube(u, d)
	low, high := toCube(v, 1)
	p.low, p.high = append(p.low, low...), append(p.high, high...)
	meanV := center(v, 1)[0]
	p.mean = center(u, d)

	// gram = uᵀu, moments = uᵀv for the centered u and v.
	gram := blas64.Symmetric{N: d, Stride: d, Uplo: blas.Upper, Data: make([]float64, d*d)}
	centred := blas64.General{Rows: n, Cols: d, Stride: d, Data: u}
	blas64.Syrk(blas.Trans, 1, centred, 0, gram)
	moments := make([]float64, d)
	blas64.Gemv(blas.Trans, 1, centred, dense.Vector(v), 0, dense.Vector(moments))

	var cholesky mat.Cholesky
	if !cholesky.Factorize(shifted(gram, 1)) {
		return nil, errors.New("noise: the regression of the statp attack is singular")
	}
	if err := cholesky.SolveVecTo(mat.NewVecDense(d, p.weights), mat.NewVecDense(d, moments)); err != nil {
		return nil, errors.New("noise: the regression of the statp attack is ill-conditioned")
	}
	p.intercept = meanV - dense.Dot(p.weights, p.mean)
	if !cholesky.Factorize(shifted(gram, float64(n))) {
		return nil, errors.New("noise: the covariance of the statp attack is singular")
	}
	cholesky.LTo(&p.factor)
	return p, nil
}

func (p *poisoner) point(x []float64, random *rand.Rand) float64 {
	for j := range p.sample {
		p.sample[j] = random.NormFloat64()
	}
	blas64.Trmv(blas.NoTrans, p.factor.RawTriangular(), dense.Vector(p.sample))
	prediction := p.intercept
	for j, value := range p.sample {
		x[j] = p.low[j]
		if value+p.mean[j] >= 0.5 {
			x[j] = p.high[j]
			prediction += p.weights[j] // 0 for a constant column
		}
	}
	if prediction > 0.5 {
		return p.low[p.d]
	}
	return p.high[p.d]
}

// toCube maps columns to [0, 1] in place and returns their ranges.
func toCube(x []float64, d int) (low, high []float64) {
	low, high = spans(x, d, Indices(len(x)/d))
	scale := make([]float64, d)
	for j := range scale {
		if scale[j] = high[j] - low[j]; scale[j] == 0 {
			scale[j] = 1
		}
	}
	Affine{low, scale}.apply(x)
	return low, high
}

func center(x []float64, d int) []float64 {
	mean := make([]float64, d)
	n := float64(len(x) / d)
	for row := range slices.Chunk(x, d) {
		for j, value := range row {
			mean[j] += value / n
		}
	}
	for row := range slices.Chunk(x, d) {
		for j := range row {
			row[j] -= mean[j]
		}
	}
	return mean
}

func shifted(gram blas64.Symmetric, n float64) *mat.SymDense {
	m := mat.NewSymDense(gram.N, nil)
	for i := range gram.N {
		for j := i; j < gram.N; j++ {
			m.SetSym(i, j, gram.Data[i*gram.Stride+j]/n)
		}
		m.SetSym(i, i, m.At(i, i)+ridge)
	}
	return m
}
