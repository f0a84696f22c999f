package coarse

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/agepath/agepath/gaga/internal/audit"
	"github.com/agepath/agepath/gaga/internal/branch"
	"github.com/agepath/agepath/gaga/internal/condition"
	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/newton"
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/gaga/internal/window"
)

type squares struct{}

func (squares) Eval(u, y float64) (loss, slope, curvature float64) {
	return (u - y) * (u - y), 2 * (u - y), 2
}

type logistic struct{}

func (logistic) Eval(u, y float64) (loss, slope, curvature float64) {
	p := 1 / (1 + math.Exp(y*u))
	return math.Log1p(math.Exp(-y * u)), -y * p, p * (1 - p)
}

// linear has the weights max(0, 1 - l/λ).
type linear struct{}

func (linear) Threshold(_ int, age float64) (loss, slope float64) { return age, 1 }

func (linear) Weight(k int, loss, age float64) (v, dloss, dage float64) {
	if k == 0 {
		return 1 - loss/age, -1 / age, loss / (age * age)
	}
	return 0, 0, 0
}

func (linear) Integral(loss, age float64) float64 {
	loss = math.Min(loss, age)
	return loss - loss*loss/(2*age)
}

// mixture has the weights 1, γ(1/√l - 1/λ) and 0 for γ = 1.
type mixture struct{}

func (mixture) Threshold(k int, age float64) (loss, slope float64) {
	if k == 1 {
		return age * age, 2 * age
	}
	root := age / (age + 1)
	return root * root, 2 * root / ((age + 1) * (age + 1))
}

func (mixture) Weight(k int, loss, age float64) (v, dloss, dage float64) {
	switch k {
	case 0:
		return 1, 0, 0
	case 1:
		return 1/math.Sqrt(loss) - 1/age, -0.5 / (loss * math.Sqrt(loss)), 1 / (age * age)
	}
	return 0, 0, 0
}

func (mixture) Integral(float64, float64) float64 { panic("not needed") }

// random draws a problem of logistic regression, or of the squared loss with an L1 weight.
func random(rng *rand.Rand, sparse bool) *model.Problem {
	n, d := 50+rng.IntN(250), 2+rng.IntN(4)
	if rng.IntN(10) == 0 {
		n, d = 120, tolerance.FewColumns+rng.IntN(8)
	}
	p := d + 1
	s := model.Samples{N: n, P: p, Rows: make([]float64, n*p), Y: make([]float64, n), M: make([]float64, n), Intercept: true}
	for i := range n {
		sum := 0.3 * rng.NormFloat64()
		for j := range d {
			s.Rows[i*p+j] = rng.NormFloat64()
			sum += s.Rows[i*p+j] / float64(j+1)
		}
		s.Rows[i*p+d] = 1
		s.M[i] = float64(1 + rng.IntN(2))
		s.Total += s.M[i]
		s.Y[i] = sum
		if rng.IntN(6) == 0 {
			s.Y[i] = -2 * sum
		}
		if !sparse {
			s.Y[i] = math.Copysign(1, s.Y[i])
		}
	}
	s.X = blas64.General{Rows: n, Cols: d, Stride: p, Data: s.Rows}
	penalty := model.Penalty{L1: make([]float64, p), L2: make([]float64, p)}
	weights, criterion := penalty.L2, model.Criterion{Loss: logistic{}, OneSided: true}
	if sparse {
		weights, criterion = penalty.L1, model.Criterion{Loss: squares{}, Squared: true}
	}
	for j := range d {
		weights[j] = math.Pow(10, rng.Float64()-0.5)
	}
	zoning := model.NewZoning(linear{}, []model.Zone{{Name: "easy"}, {Name: "discarded"}}, nil, false)
	if rng.IntN(2) == 0 {
		zoning = model.NewZoning(mixture{}, []model.Zone{{Name: "easy", Closed: true}, {Name: "mixed"}, {Name: "discarded"}}, nil, false)
	}
	return &model.Problem{Samples: s, Penalty: penalty, Criterion: criterion, Zoning: zoning}
}

// predictors returns those of all samples.
func predictors(p *model.Problem, theta []float64) []float64 {
	u := make([]float64, p.N)
	for i := range u {
		for j, x := range p.Row(i) {
			u[i] += x * theta[j]
		}
	}
	return u
}

// alternate returns what alternate convex search leads to at an age, by steps of
// coordinates on a majorizer of each loss.
func alternate(p *model.Problem, age float64) []float64 {
	theta := make([]float64, p.P)
	u, v := make([]float64, p.N), make([]float64, p.N)
	for i := range v {
		v[i] = p.M[i]
	}
	for range 300 {
		for j := range theta {
			gradient, bend := p.L2[j]*theta[j], p.L2[j]
			for i, ui := range u {
				_, slope, curvature := p.Loss.Eval(ui, p.Y[i])
				if p.OneSided {
					curvature = 0.25
				}
				x := p.Row(i)[j]
				gradient += v[i] * slope * x
				bend += v[i] * curvature * x * x
			}
			if bend == 0 {
				continue
			}
			to := theta[j] - gradient/bend
			if l1 := p.L1[j] / bend; math.Abs(to) <= l1 {
				to = 0
			} else {
				to -= math.Copysign(l1, to)
			}
			for i := range u {
				u[i] += (to - theta[j]) * p.Row(i)[j]
			}
			theta[j] = to
		}
		for i, ui := range u {
			loss, _, _ := p.Loss.Eval(ui, p.Y[i])
			weight, _, _ := p.Regularizer.Weight(p.Of(loss, age), loss, age)
			v[i] = p.M[i] * weight
		}
	}
	return theta
}

// path is a branch at a partial optimum.
type path struct {
	*condition.Primal
	b *branch.Branch
	c *Continuation
}

// begin returns the branch through the partial optimum near theta at an age, false where
// there is no strict one.
func begin(p *model.Problem, theta []float64, age, last float64) (path, bool) {
	c := condition.NewPlain(p)
	n := newton.New(c)
	b := branch.New(c, n, window.New(c, last), branch.Options{Last: last})
	f := path{c, b, New(c, b)}
	pt := b.Left()
	pt.Age = age
	copy(pt.Theta, theta)
	for j, w := range theta {
		c.State().Sign[j] = c.State().SignOf(j, w)
	}
	u := predictors(p, theta)
	zones := make([]uint8, p.N)
	for i, ui := range u {
		loss, _, _ := p.Loss.Eval(ui, p.Y[i])
		zones[i] = uint8(p.Of(loss, age))
	}
	c.Place(zones, u, pt.Theta)
	c.Choose()
	if !n.Correct(pt) || !b.Stand() {
		return f, false
	}
	b.Begin(last - age)
	return f, audit.New(p).Check(c.State(), pt, c.Scope().Floor, model.Crossing{}) == ""
}

// sparse says which of the random problems are.
var sparse = map[string]bool{"logistic": false, "lasso": true}

// A coarse path must come to the points of the exact one, and to its first jump.
func TestNextAgreesWithExactPath(t *testing.T) {
	t.Parallel()
	for name, sparse := range sparse {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(9, 3))
			passed, jumps, steps := 0, 0, 0
			for k := range 32 {
				p := random(rng, sparse)
				from := math.Pow(10, rng.Float64()-0.5)
				target := 4 * from
				theta := alternate(p, from)
				exact, ok := begin(p, theta, from, target)
				if !ok {
					continue
				}
				coarse, _ := begin(p, theta, from, target)
				zones, signs := slices.Clone(coarse.State().Zone), slices.Clone(coarse.State().Sign)
				want := exact.b.Next(target, false)
				for ; want.Kind != branch.Left && !want.Arrived; want = exact.b.Next(target, false) {
				}
				replay := condition.NewPlain(p)
				replay.Place(zones, nil, nil)
				copy(replay.State().Sign, signs)
				replay.Choose()
				scratch := make([]float64, p.P)
				got, changes, over := coarse.c.Next(target, false)
				for {
					for _, x := range changes {
						branch.Apply(replay, x, scratch)
					}
					if got.Kind == branch.Turned {
						branch.Apply(replay, got.Crossing, scratch)
					}
					if !slices.Equal(replay.State().Zone, coarse.State().Zone) || !slices.Equal(replay.State().Sign, coarse.State().Sign) || !slices.Equal(replay.State().Active, coarse.State().Active) {
						t.Fatalf("problem %d: the changes of a step lead to another partition at age %v", k, coarse.b.Left().Age)
					}
					if over {
						steps++
						passed += len(changes)
						if broken := audit.New(p).Check(coarse.State(), coarse.b.Left(), coarse.Scope().Floor, model.Crossing{}); broken != "" {
							t.Fatalf("problem %d, age %v: %s", k, coarse.b.Left().Age, broken)
						}
					}
					if got.Kind == branch.Left || got.Arrived {
						break
					}
					got, changes, over = coarse.c.Next(target, false)
				}
				a, b := exact.b.Left(), coarse.b.Left()
				if want.Kind != got.Kind || math.Abs(a.Age-b.Age) > 1e-7*a.Age {
					t.Errorf("problem %d: ends with %v at age %v, exact %v at %v", k, got, b.Age, want, a.Age)
					continue
				}
				if want.Kind == branch.Left {
					jumps++
					if want.Crossing.Cause != got.Crossing.Cause || want.Crossing.Index != got.Crossing.Index {
						t.Errorf("problem %d: jumps with %v, exact %v", k, got.Crossing, want.Crossing)
					}
					continue
				}
				for j, w := range a.Theta {
					if math.Abs(w-b.Theta[j]) > 1e-9*math.Max(1, math.Abs(w)) {
						t.Errorf("problem %d: θ %v, exact %v", k, b.Theta, a.Theta)
						break
					}
				}
			}
			t.Logf("%d jumps, %d steps over %d changes", jumps, steps, passed)
			if jumps < 3 || passed < 100 {
				t.Error("too few of them to tell anything")
			}
		})
	}
}

// With spent nothing moves.
func TestNextSpent(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(2, 2))
	p := random(rng, true)
	f, ok := begin(p, alternate(p, 2), 2, 4)
	if !ok {
		t.Fatal("no partial optimum")
	}
	o, changes, over := f.c.Next(4, true)
	if !o.Spent || o.Kind != branch.Moved || changes != nil || over || f.b.Left().Age != 2 {
		t.Errorf("Next returns %v, %v, %v at age %v", o, changes, over, f.b.Left().Age)
	}
}

// A step that fails must leave the partition, the factor and the point as they were.
func TestFailedStepRestores(t *testing.T) {
	t.Parallel()
	for name, sparse := range sparse {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(5, 8))
			failed := 0
			for k := range 32 {
				p := random(rng, sparse)
				from := math.Pow(10, rng.Float64()-0.5)
				f, ok := begin(p, alternate(p, from), from, 1e3*from)
				if !ok {
					continue
				}
				s, pt := f.State(), f.b.Left()
				zones, signs, active, theta := slices.Clone(s.Zone), slices.Clone(s.Sign), slices.Clone(s.Active), slices.Clone(pt.Theta)
				if f.c.over(30 * from) {
					continue
				}
				failed++
				if f.b.Left() != pt || pt.Age != from || !slices.Equal(pt.Theta, theta) ||
					!slices.Equal(s.Zone, zones) || !slices.Equal(s.Sign, signs) || !slices.Equal(s.Active, active) {
					t.Errorf("problem %d: another point or partition", k)
				}
				want := make([]int, len(p.Zones))
				for _, z := range zones {
					want[z]++
				}
				if !slices.Equal(s.Members, want) {
					t.Errorf("problem %d: members %v, want %v", k, s.Members, want)
				}
				held := make([]float64, len(active))
				for r := range held {
					held[r] = 1
				}
				fresh := slices.Clone(held)
				f.Solve(held)
				f.Assemble(pt)
				if !f.Factorize() {
					t.Fatalf("problem %d: not definite any more", k)
				}
				f.Solve(fresh)
				for r := range held {
					if math.Abs(held[r]-fresh[r]) > 1e-8*math.Abs(fresh[r])+1e-12 {
						t.Errorf("problem %d: another factor", k)
						break
					}
				}
			}
			if failed < 5 {
				t.Errorf("only %d steps failed", failed)
			}
		})
	}
}

// Between must come to the exact branch's point, and not over a jump.
func TestBetween(t *testing.T) {
	t.Parallel()
	for name, sparse := range sparse {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(4, 1))
			reached := 0
			for k := range 14 {
				p := random(rng, sparse)
				from := math.Pow(10, rng.Float64()-0.5)
				theta := alternate(p, from)
				exact, ok := begin(p, theta, from, 2*from)
				if !ok {
					continue
				}
				coarse, _ := begin(p, theta, from, 2*from)
				want := exact.b.Next(2*from, false)
				for ; want.Kind != branch.Left && !want.Arrived; want = exact.b.Next(2*from, false) {
				}
				if ok := coarse.c.Between(2 * from); ok != want.Arrived {
					t.Errorf("problem %d: Between reports %v, the exact step ends with %v", k, ok, want)
				} else if ok {
					reached++
					if off := coarse.c.Residual(coarse.b.Left()); !(off <= tolerance.KKT) || !coarse.b.Keeps() {
						t.Errorf("problem %d: the residual is %v", k, off)
					}
					for j, w := range exact.b.Left().Theta {
						if got := coarse.b.Left().Theta[j]; math.Abs(w-got) > 1e-9*math.Max(1, math.Abs(w)) {
							t.Errorf("problem %d: coefficient %d is %v, exact %v", k, j, got, w)
						}
					}
				}
			}
			if reached < 5 {
				t.Errorf("only %d ages reached", reached)
			}
		})
	}
}

// The lowest slope must bound that of all points between, on a straight way.
func TestLowest(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(7, 7))
	for k := range 300 {
		p := random(rng, k%2 == 0)
		c := condition.NewPlain(p)
		v := newConvexity(system{c, c.Scope()})
		l, r := model.NewPoint(p), model.NewPoint(p)
		l.Age = math.Pow(10, rng.Float64()-0.5)
		r.Age = l.Age * (1 + 0.1*rng.Float64())
		for i := range p.N {
			l.U[i] = p.Y[i] + 3*rng.NormFloat64()
			r.U[i] = l.U[i] + rng.NormFloat64()
			slope := func(u, age float64) float64 {
				loss, slope, curvature := p.Loss.Eval(u, p.Y[i])
				w, dw, _ := p.Regularizer.Weight(p.Of(loss, age), loss, age)
				return p.M[i] * (dw*slope*slope + w*curvature)
			}
			for _, pt := range []*model.Point{l, r} {
				pt.Loss[i], pt.Slope[i], pt.Curvature[i] = p.Loss.Eval(pt.U[i], p.Y[i])
			}
			from, to := p.Of(l.Loss[i], l.Age), p.Of(r.Loss[i], r.Age)
			if from == to || (l.U[i]-p.Y[i])*(r.U[i]-p.Y[i]) < 0 && p.Squared {
				continue
			}
			low, ok := v.lowest(i, from, to, l, r)
			if !ok {
				t.Fatalf("problem %d, sample %d: no bound", k, i)
			}
			for q := range 101 {
				x := float64(q) / 100
				if got := slope(l.U[i]+x*(r.U[i]-l.U[i]), l.Age+x*(r.Age-l.Age)); got < low {
					t.Fatalf("problem %d, sample %d: the slope %v is below the bound %v at %v of the way", k, i, got, low, x)
				}
			}
		}
	}
	hard := random(rng, true)
	hard.Zones[0].Break = true
	c := condition.NewPlain(hard)
	v := newConvexity(system{c, c.Scope()})
	if _, ok := v.lowest(0, 0, 1, model.NewPoint(hard), model.NewPoint(hard)); ok {
		t.Error("a bound where the weight breaks")
	}
}
