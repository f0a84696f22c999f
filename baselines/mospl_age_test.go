package baselines

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/agepath/agepath/gaga"
)

// frees are the age-free parts by their regularizers.
var frees = []gaga.Regularizer{gaga.Hard{}, gaga.Linear{}, gaga.Polynomial{Order: 1.2}, gaga.Polynomial{Order: 3}}

// TestAgeFree wants the weights of package gaga to minimize v l + λ f(v), and
// the implied age of such weights to be λ.
func TestAgeFree(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	losses, multiplicity := make([]float64, 400), make([]float64, 400)
	for i := range losses {
		losses[i] = rng.ExpFloat64()
		multiplicity[i] = float64(1 + rng.IntN(3))
	}
	for _, r := range frees {
		free := newAgeFree(&gaga.Problem{Regularizer: r})
		for _, age := range []float64{0.05, 0.7, 3, 20} {
			v := make([]float64, len(losses))
			for i, loss := range losses {
				zone := 0
				if threshold, _ := r.Threshold(0, age); loss >= threshold {
					zone = 1
				}
				v[i], _, _ = r.Weight(zone, loss, age)
				best := v[i]*loss + age*free.sum(v[i:i+1])
				for k := range 101 {
					w := float64(k) / 100
					if other := w*loss + age*free.sum([]float64{w}); other < best-1e-12 {
						t.Fatalf("%s at age %v, loss %v: weight %v has %v, weight %v has %v", r.Name(), age, loss, v[i], best, w, other)
					}
				}
				if w := free.weight(loss, age); math.Abs(w-v[i]) > 1e-14 {
					t.Errorf("%s at age %v, loss %v: weight %v, want %v", r.Name(), age, loss, w, v[i])
				}
			}
			free.multiplicity = multiplicity
			got := free.impliedAge(v, losses)
			if _, hard := r.(gaga.Hard); hard { // any age between two losses gives its weights
				if free.miss(v, losses, math.Log(got)) > 0 {
					t.Errorf("the implied age of hard weights of age %v is %v, which has others", age, got)
				}
			} else if math.Abs(math.Log(got/age)) > 2*impliedPrecision {
				t.Errorf("%s: the implied age of weights of age %v is %v", r.Name(), age, got)
			}
			free.multiplicity = nil
		}
	}
	linear := newAgeFree(&gaga.Problem{Regularizer: gaga.Linear{}})
	if age := linear.impliedAge([]float64{1, 0.5}, []float64{0, 0}); age != 1 {
		t.Errorf("the implied age without losses is %v, want 1", age)
	}
	if age := linear.impliedAge([]float64{1, 1}, []float64{1, 2}); !(age > 1000 && age <= 2*impliedReach) {
		t.Errorf("the implied age of full weights is %v, want one near the end of the range", age)
	}
}

// TestImpliedAge wants no age to have weights nearer than the implied one: none between
// any two losses for hard weights, none of a fine grid for others.
func TestImpliedAge(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	for trial := range 60 {
		n := 2 + rng.IntN(120)
		v, losses, multiplicity := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range losses {
			losses[i] = math.Pow(rng.ExpFloat64(), float64(1+trial%4))
			switch rng.IntN(8) {
			case 0:
				losses[i] = 0
			case 1:
				losses[i] = losses[0]
			case 2:
				losses[i] *= 1e-12
			}
			multiplicity[i] = float64(1 + rng.IntN(3))
		}
		losses[n-1] = 1
		for _, r := range frees {
			free := newAgeFree(&gaga.Problem{Regularizer: r, Multiplicity: multiplicity})
			age := math.Pow(10, 4*rng.Float64()-3)
			for i, loss := range losses {
				switch v[i] = free.weight(loss, age); trial % 3 {
				case 0: // those of the age
				case 1:
					v[i] = math.Min(1, math.Max(0, v[i]+0.3*rng.NormFloat64()))
				default:
					v[i] = rng.Float64()
				}
			}
			miss := func(age float64) (sum float64) {
				for i, loss := range losses {
					off := v[i] - free.weight(loss, age)
					sum += multiplicity[i] * off * off
				}
				return sum
			}
			got, best, where := free.impliedAge(v, losses), math.Inf(1), 0.0
			try := func(age float64) {
				if sum := miss(age); sum < best {
					best, where = sum, age
				}
			}
			highest := 0.0
			for _, loss := range losses {
				highest = math.Max(highest, loss)
				if loss > 0 {
					try(loss)
					try(loss * (1 + 1e-14))
				}
			}
			for k := range 1001 {
				if age := highest * math.Pow(10, 3-16*float64(k)/1000); free.order > 0 {
					try(age)
				}
			}
			if off := miss(got); !(off <= best*(1+1e-2)+1e-6) {
				t.Errorf("trial %d, %s %v: the implied age %v misses by %v, age %v by %v", trial, r.Name(), free.order, got, off, where, best)
			}
		}
	}
}

func TestSpread(t *testing.T) {
	t.Parallel()
	sorted := []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 100}
	tests := []struct{ share, want float64 }{
		{0.001, 0}, {spreadInside / 2, 4}, {spreadInside, 100}, {1, spreadReach * 100},
	}
	for _, test := range tests {
		if got := spread(sorted, test.share); math.Abs(got-test.want) > 1e-9*test.want {
			t.Errorf("age %v for the share %v, want %v", got, test.share, test.want)
		}
	}
	if got := spread([]float64{0, 0}, 1); got != 0 {
		t.Errorf("age %v without losses", got)
	}
}

func TestAscend(t *testing.T) {
	t.Parallel()
	tests := []struct{ ages, want []float64 }{
		{nil, nil},
		{[]float64{1, 2, 3}, []float64{1, 2, 3}},
		{[]float64{1, 8, 2, 5}, []float64{1, 4, 4, 5}},
		{[]float64{9, 3, 1}, []float64{3, 3, 3}},
		{[]float64{4, 4, 1, 16, 1}, []float64{math.Pow(16, 1.0/3), math.Pow(16, 1.0/3), math.Pow(16, 1.0/3), 4, 4}},
	}
	for _, test := range tests {
		got := append([]float64(nil), test.ages...)
		ascend(got)
		if !floats.EqualApprox(got, test.want, 1e-12) {
			t.Errorf("%v becomes %v, want %v", test.ages, got, test.want)
		}
	}
}
