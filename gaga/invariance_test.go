package gaga

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/agepath/agepath/internal/testing/needs"
)

// A path must not depend on the order of samples and features, on the signs
// and scales that can be taken back, on whether equal rows are merged, or,
// with an intercept, on how far from 0 the features are.
func TestInvariance(t *testing.T) {
	needs.Patience(t, "3 s")
	t.Parallel()
	ages := Range{0.05, 20}
	for _, name := range []string{"samples permuted", "features permuted", "feature signs", "target sign", "loss scale", "multiplicities", "shifted"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			compared := 0
			for seed := range 300 {
				rng := rand.New(rand.NewPCG(uint64(seed), 17))
				p := distinctProblem(rng)
				if name == "shifted" { // ridge regression, the elastic net, the Lasso
					p.Penalty = []Penalty{{L2: 0.1}, {p.Penalty.L1, 0.5}, p.Penalty}[seed%3]
				}
				q, back, scale := transform(name, p, rng)
				a := mustTrack(t, p, ages)
				b := mustTrack(t, q, Range{ages.Min * scale, ages.Max * scale})
				if a == nil || b == nil {
					continue
				}
				compared++
				if name != "multiplicities" && len(a.Events()) != len(b.Events()) {
					t.Errorf("seed %d: %d events, and %d; %s", seed, len(a.Events()), len(b.Events()), describeProblem(p))
					continue
				}
				if name == "shifted" {
					compareEvents(t, seed, a, b)
				}
				for x := 0.0; x <= 1; x += 0.05 {
					age := ages.Min * math.Pow(ages.Max/ages.Min, x)
					if age < a.Range().Min*(1+1e-5) || age > ages.Max {
						continue
					}
					if off := far(mustAt(t, a, age), back(mustAt(t, b, math.Min(age*scale, ages.Max*scale)))); off > 1e-6 {
						t.Errorf("seed %d, age %v: %.2g apart; %s", seed, age, off, describeProblem(p))
						break
					}
				}
			}
			t.Logf("%d pairs compared", compared)
			if compared < 250 {
				t.Errorf("only %d pairs were compared", compared)
			}
		})
	}
}

// distinctProblem draws a problem in general position: no ties.
func distinctProblem(rng *rand.Rand) *Problem {
	for {
		p := randomProblem(rng)
		if !integers(p.Y) && !integers(p.X.Data[:1]) && p.X.Rows > 2 && distinct(p.Y) {
			return p
		}
	}
}

// compareEvents requires the same critical points of the same samples and coefficients.
func compareEvents(t *testing.T, seed int, a, b *Path) {
	t.Helper()
	want, got := a.Events(), b.Events()
	if len(want) != len(got) {
		t.Errorf("seed %d: %d events, and %d; %s", seed, len(want), len(got), b.Reason())
		return
	}
	for k, e := range want {
		if f := got[k]; e.Kind != f.Kind || e.Cause != f.Cause || e.Index != f.Index || !(math.Abs(e.Age-f.Age) <= 1e-6*e.Age) {
			t.Errorf("seed %d: event %d is %+v, and %+v", seed, k, e, f)
			return
		}
	}
}

func distinct(x []float64) bool {
	seen := map[float64]bool{}
	for _, v := range x {
		if seen[v] {
			return false
		}
		seen[v] = true
	}
	return true
}

// withoutScale replaces regularizers whose parameter has a scale.
func withoutScale(r Regularizer) Regularizer {
	switch r.(type) {
	case Mixture:
		return Linear{}
	case LOG:
		return Hard{}
	}
	return r
}

// transform returns another form of p, the map of its coefficients back to
// p's, and by how much its ages are longer.
func transform(name string, p *Problem, rng *rand.Rand) (q *Problem, back func([]float64) []float64, scale float64) {
	n, d := p.X.Rows, p.X.Cols
	q = clone(p)
	rows, columns, signs := identity(n), identity(d), make([]float64, d+1)
	for j := range signs {
		signs[j] = 1
	}
	scale = 1
	target := 1.0
	switch name {
	case "samples permuted":
		rows = rng.Perm(n)
	case "features permuted":
		columns = rng.Perm(d)
	case "feature signs":
		for j := range d {
			signs[j] = float64(1 - 2*rng.IntN(2))
		}
	case "target sign":
		target = -1
	case "loss scale": // losses, penalty and ages four times as large
		p.Regularizer = withoutScale(p.Regularizer)
		q.Regularizer = p.Regularizer
		for i := range q.X.Data {
			q.X.Data[i] *= 2
		}
		target, scale = 2, 4
		q.Penalty.L1 *= 4
	case "shifted":
		return shift(p, rng)
	case "multiplicities":
		return repeat(p), func(theta []float64) []float64 { return theta }, 1
	}
	x, y := append([]float64(nil), q.X.Data...), append([]float64(nil), q.Y...)
	for i, from := range rows {
		for j, column := range columns {
			q.X.Data[i*d+j] = signs[j] * x[from*d+column]
		}
		q.Y[i] = target * y[from]
		if p.Multiplicity != nil {
			q.Multiplicity[i] = p.Multiplicity[from]
		}
	}
	return q, func(theta []float64) []float64 {
		out := make([]float64, len(theta))
		for j, column := range columns {
			out[column] = signs[j] * theta[j]
		}
		out[d] = theta[d]
		if name == "target sign" {
			for j := range out {
				out[j] = -out[j]
			}
		}
		if name == "loss scale" {
			out[d] /= 2
		}
		return out
	}, scale
}

// shift gives p an intercept, rounds its features so that shifts of 1e3 to 9e8 lose no digit, and
// returns it shifted.
func shift(p *Problem, rng *rand.Rand) (q *Problem, back func([]float64) []float64, scale float64) {
	n, d := p.X.Rows, p.X.Cols
	p.Intercept = true
	for i := range n {
		row := p.X.Data[i*d : (i+1)*d]
		collinear := row[d-1] == 2*row[0]
		for j, x := range row {
			row[j] = math.Round(x*(1<<20)) / (1 << 20)
		}
		if collinear {
			row[d-1] = 2 * row[0]
		}
	}
	q = clone(p)
	shifts := make([]float64, d)
	for j := range shifts {
		shifts[j] = float64(1+rng.IntN(9)) * math.Pow(10, float64(3+rng.IntN(6))) * float64(1-2*rng.IntN(2))
		for i := range n {
			q.X.Data[i*d+j] += shifts[j]
		}
	}
	return q, func(theta []float64) []float64 {
		for j, by := range shifts {
			if p.Kernel == nil {
				theta[d] += by * theta[j]
			}
		}
		return theta
	}, 1
}

func identity(n int) []int {
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	return p
}

func clone(p *Problem) *Problem {
	q := *p
	q.X.Data = append([]float64(nil), p.X.Data...)
	q.Y = append([]float64(nil), p.Y...)
	if p.Multiplicity != nil {
		q.Multiplicity = append([]float64(nil), p.Multiplicity...)
	}
	return &q
}

// repeat gives each row a multiplicity from 1 to 3, and returns the problem
// with the rows repeated instead.
func repeat(p *Problem) *Problem {
	d := p.X.Cols
	q := clone(p)
	q.X.Data, q.Y, q.Multiplicity = nil, nil, nil
	p.Multiplicity = make([]float64, p.X.Rows)
	for i := range p.Y {
		m := 1 + i%3
		p.Multiplicity[i] = float64(m)
		for range m {
			q.X.Data = append(q.X.Data, p.X.Data[i*d:(i+1)*d]...)
			q.Y = append(q.Y, p.Y[i])
		}
	}
	q.X.Rows = len(q.Y)
	return q
}

// mustTrack returns nil where alternation is too slow for a test.
func mustTrack(t *testing.T, p *Problem, ages Range) *Path {
	t.Helper()
	path, err := Track(context.Background(), p, Options{Age: ages, MaxAlternations: 20_000})
	if err != nil {
		t.Fatal(fmt.Errorf("%w; %s", err, describeProblem(p)))
	}
	if path.Status() != Complete {
		return nil
	}
	return path
}

func mustAt(t *testing.T, p *Path, age float64) []float64 {
	t.Helper()
	theta, err := p.At(age)
	if err != nil {
		t.Fatal(err)
	}
	return theta
}
