package condition

import (
	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/internal/convex"
	"github.com/agepath/agepath/internal/cubic"
)

// kernelPredictor predicts u_i = Σ_j α_j y_j k(x_i, x_j) + b, from known predictors if cheaper.
type kernelPredictor struct {
	*model.State
	matrix   *convex.KernelRows
	diagonal []float64

	base         []float64
	predictors   []float64
	moves        int // since the predictors were summed
	samples      []int
	coefficients []float64
	others       []float64
}

func newGram(s *model.State, matrix *convex.KernelRows) *kernelPredictor {
	return &kernelPredictor{
		State: s, matrix: matrix, diagonal: matrix.Diagonal(), base: make([]float64, s.P), predictors: make([]float64, s.N),
		samples: make([]int, 0, s.N), coefficients: make([]float64, 0, s.N), others: make([]float64, 0, s.N),
	}
}

func (g *kernelPredictor) know(theta, u []float64) {
	copy(g.base, theta)
	copy(g.predictors, u)
}

func (g *kernelPredictor) Predict(dst, theta []float64) {
	g.PredictAll(dst, theta)
	g.know(theta, dst)
}

func (g *kernelPredictor) PredictAll(dst, theta []float64) { g.predict(dst, theta, nil, nil) }

func (g *kernelPredictor) predict(dst, theta, du, rate []float64) {
	alpha, b := theta[:g.N], theta[g.N]
	whole, apart := 0, 0
	for j, a := range alpha {
		if a != 0 {
			whole++
		}
		if a != g.base[j] {
			apart++
		}
	}
	fresh := whole <= apart || g.moves > tolerance.Accumulated
	if fresh {
		for i := range dst {
			dst[i] = b
		}
	} else {
		db := b - g.base[g.N]
		for i, u := range g.predictors {
			dst[i] = u + db
		}
	}
	g.samples, g.coefficients, g.others = g.samples[:0], g.coefficients[:0], g.others[:0]
	for j, a := range alpha {
		if !fresh {
			a -= g.base[j]
		}
		var c float64
		if rate != nil {
			c = rate[j]
		}
		if a != 0 || c != 0 {
			g.samples, g.coefficients, g.others = append(g.samples, j), append(g.coefficients, a*g.Y[j]), append(g.others, c*g.Y[j])
		}
	}
	g.matrix.Add(dst, g.samples, g.coefficients)
	if rate != nil {
		for i := range du {
			du[i] = rate[g.N]
		}
		g.matrix.Add(du, g.samples, g.others)
	}
	if !fresh {
		g.moves++
	} else if whole > apart {
		g.moves = 0
	}
}

func (g *kernelPredictor) PredictOne(i int, theta []float64) float64 {
	row := g.matrix.Row(i)
	u := theta[g.N]
	for j, a := range theta[:g.N] {
		u += a * g.Y[j] * row[j]
	}
	return u
}

func (g *kernelPredictor) Extrapolate(pt, from *model.Point, h float64) {
	for j, w := range from.Theta {
		pt.Theta[j] = w + h*from.Rate[j]
	}
	for i, u := range from.U {
		pt.U[i] = u + h*from.DU[i]
	}
	g.know(pt.Theta, pt.U)
}

func (g *kernelPredictor) Interpolate(pt, a, b *model.Point, x float64) {
	h := b.Age - a.Age
	cubic.Interpolate(pt.Theta, a.Theta, a.Rate, b.Theta, b.Rate, h, x)
	cubic.Interpolate(pt.U, a.U, a.DU, b.U, b.DU, h, x)
	g.know(pt.Theta, pt.U)
}
