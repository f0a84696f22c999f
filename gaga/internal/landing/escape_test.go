package landing

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/agepath/agepath/gaga/internal/condition"
	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/newton"
	"github.com/agepath/agepath/gaga/internal/window"
	"github.com/agepath/agepath/internal/convex"
	"github.com/agepath/agepath/internal/kernel"
)

// The direction of least curvature in which a sample's predictor changes is the same in the
// features and in the multipliers, keeps pinned samples pinned, and goes where the sample does.
func TestWeakest(t *testing.T) {
	t.Parallel()
	compared := 0
	for seed := range uint64(12) {
		random := rand.New(rand.NewPCG(seed, 41))
		p := overlapping(random, 60, 12).problem(hinge{1}, linearly, 0, 1, seed%2 == 0)
		dual := *p
		dual.Kernel, dual.P, dual.Rows = convex.Linear{}, p.N+1, nil
		dual.L1, dual.L2 = make([]float64, dual.P), ones(dual.P)
		if p.Intercept {
			dual.L2[p.N] = 0
		}
		features, _ := landerOf(p, Options{})
		pt, age := model.NewPoint(p), 1+random.Float64()
		if err := features.solver.search.FitAll(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := features.At(t.Context(), pt, age, "test"); err != nil {
			t.Fatal(err)
		}
		multipliers, of := inMultipliers(t, features.site, &dual, pt)
		sites, points := []*site{features.site, multipliers}, []*model.Point{pt, of}
		for i, zone := range features.state.Zone {
			if zone != model.Pinned && features.state.Curved[zone] || zone == model.Satisfied {
				continue
			}
			if zone != model.Pinned && !(features.condition.Leverage(i) > 1e-9) {
				continue // pinned by the others
			}
			x := model.Crossing{Cause: model.SampleDown, Index: i, Slot: i}
			var du [2][]float64
			for side, l := range sites {
				du[side] = make([]float64, p.N)
				l.condition.PredictAll(du[side], l.weakest(points[side], x))
				if !(p.Y[i]*du[side][i] > 0) {
					t.Errorf("seed %d: sample %d goes by %v, want it towards a lower loss", seed, i, p.Y[i]*du[side][i])
				}
				for j, at := range features.state.Zone {
					if at == model.Pinned && j != i && math.Abs(du[side][j]) > 1e-8*math.Abs(du[side][i]) {
						t.Errorf("seed %d: pinned sample %d moves by %v", seed, j, du[side][j])
					}
				}
				kernel.ScaleTo(du[side], 1/math.Abs(du[side][i]), du[side])
			}
			if off := far(du[0], du[1]); off > 1e-7 {
				t.Errorf("seed %d: directions of sample %d in zone %d are %v apart", seed, i, zone, off)
			}
			compared++
		}
	}
	if compared < 40 {
		t.Errorf("only %d directions compared", compared)
	}
}

// Along the direction of a coordinate that becomes active the gradient of the active ones stays.
func TestEntering(t *testing.T) {
	t.Parallel()
	compared := 0
	for seed := range uint64(12) {
		p := twoPopulations(rand.New(rand.NewPCG(seed, 43)), 40, 8).problem(squared{}, linearly, 12, 0, false)
		l, _ := landerOf(p, Options{})
		pt, age := model.NewPoint(p), 2+float64(seed)
		if err := l.solver.search.FitAll(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := l.At(t.Context(), pt, age, "test"); err != nil {
			t.Fatal(err)
		}
		u, du, change := make([]float64, p.N), make([]float64, p.N), make([]float64, p.P)
		for j, w := range pt.Theta {
			if w != 0 {
				continue
			}
			direction := l.entering(model.Crossing{Cause: model.Activated, Index: j, Sign: -1})
			l.condition.PredictAll(u, pt.Theta)
			l.condition.PredictAll(du, direction)
			clear(change)
			var size float64
			for i := range p.N {
				if square := (u[i] - p.Y[i]) * (u[i] - p.Y[i]); square < age {
					kernel.Axpy(p.M[i]*(2-6*square/age)*du[i], p.Row(i), change)
					size += p.M[i] * math.Abs(du[i])
				}
			}
			for k, w := range pt.Theta {
				if w != 0 && math.Abs(change[k]) > 1e-9*size || w == 0 && k != j && direction[k] != 0 {
					t.Errorf("seed %d: coordinate %d enters: %d by %v, its gradient by %v", seed, j, k, direction[k], change[k])
				}
			}
			if compared++; direction[j] != -1 {
				t.Errorf("seed %d: coordinate %d enters by %v", seed, j, direction[j])
			}
		}
	}
	if compared < 12 {
		t.Errorf("only %d directions compared", compared)
	}
}

// inMultipliers returns the site of a problem with a linear kernel, at a point that is given in
// the features.
func inMultipliers(t *testing.T, s *site, dual *model.Problem, pt *model.Point) (*site, *model.Point) {
	t.Helper()
	k := condition.NewKernel(dual, convex.NewKernelRows(dual.X, dual.Kernel, 0))
	n, out := newton.New(k), model.NewPoint(dual)
	out.Age = pt.Age
	for i, zone := range s.state.Zone {
		v, _, _ := dual.Weight(zone, pt.Loss[i], pt.Age)
		out.Theta[i] = dual.Cost * dual.M[i] * v
		if zone == model.Pinned {
			out.Theta[i] = pt.Dual[i]
		}
	}
	if dual.Intercept {
		out.Theta[dual.N] = pt.Theta[s.state.P-1]
	}
	k.Place(s.state.Zone, pt.U, out.Theta)
	k.Choose()
	k.Predict(out.U, out.Theta)
	if !n.Correct(out) {
		t.Fatal("no solution in the multipliers")
	}
	return newSite(k, n, window.Everything{}, Options{}), out
}
