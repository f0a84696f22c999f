package model_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/agepath/agepath/rehline"
	"github.com/agepath/agepath/rehline/model"
)

// planted returns a matrix of low rank with biases, some of its entries as
// observations, and which those are.
func planted(seed uint64, users, items, rank int, share float64) (whole [][]float64, list []model.Observation, known [][]bool) {
	r := rand.New(rand.NewPCG(seed, 2))
	p := general(users, rank+1, func(int, int) float64 { return r.NormFloat64() })
	q := general(items, rank+1, func(int, int) float64 { return r.NormFloat64() })
	for u := range users {
		whole, known = append(whole, make([]float64, items)), append(known, make([]bool, items))
		for i := range items {
			whole[u][i] = p.Data[u*(rank+1)+rank] + q.Data[i*(rank+1)+rank]
			for k := range rank {
				whole[u][i] += p.Data[u*(rank+1)+k] * q.Data[i*(rank+1)+k]
			}
			if r.Float64() < share {
				known[u][i] = true
				list = append(list, model.Observation{User: u, Item: i, Value: whole[u][i]})
			}
		}
	}
	return whole, list, known
}

func factorize(t *testing.T, p model.Factorization, o model.FactorizationOptions) model.Factors {
	t.Helper()
	f, err := model.Factorize(context.Background(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestFactorizeRecovers finds the entries that were not observed of a planted
// matrix; with the absolute loss also where some observations are spoiled.
func TestFactorizeRecovers(t *testing.T) {
	t.Parallel()
	whole, list, known := planted(1, 40, 30, 2, 0.6)
	r := rand.New(rand.NewPCG(5, 6))
	spoiled := append([]model.Observation(nil), list...)
	for k := range spoiled {
		if r.IntN(20) == 0 {
			spoiled[k].Value += 20
		}
	}
	fit := func(observations []model.Observation, loss func([]float64) rehline.Loss, c float64, start *model.Factors) model.Factors {
		return factorize(t, model.Factorization{Users: 40, Items: 30, Observations: observations, Loss: loss, Rank: 2, C: c},
			model.FactorizationOptions{Tol: 1e-4, Workers: 2, Start: start})
	}
	huber := func(y []float64) rehline.Loss { return rehline.Huber(y, 1.0) }
	smooth := fit(spoiled, huber, 1, nil)
	for _, test := range []struct {
		name    string
		factors model.Factors
		allowed float64
	}{
		{"squared", fit(list, rehline.Squared, 3, nil), 0.05},
		{"huber, spoiled", smooth, 0.4},
		{"absolute, spoiled", fit(spoiled, rehline.Absolute, 10, &smooth), 0.01},
	} {
		f := test.factors
		monotone(t, test.name, f)
		square, count := 0.0, 0.0
		for u := range whole {
			for i, want := range whole[u] {
				if !known[u][i] {
					d := f.At(u, i) - want
					square, count = square+d*d, count+1
				}
			}
		}
		if rmse := math.Sqrt(square / count); !(rmse < test.allowed) || f.Status != rehline.Solved {
			t.Errorf("%s: error %.3g of the unknown entries, %v after %d halves", test.name, rmse, f.Status, len(f.Objectives)-1)
		}
	}
}

func monotone(t *testing.T, name string, f model.Factors) {
	t.Helper()
	for k := 1; k < len(f.Objectives); k++ {
		if f.Objectives[k] > f.Objectives[k-1]*(1+1e-13) {
			t.Errorf("%s: half %d raises the objective from %.17g to %.17g", name, k, f.Objectives[k-1], f.Objectives[k])
		}
	}
}

// TestFactorizeNeverRises takes every loss, with constraints, weights and
// repeated entries, to a close tolerance.
func TestFactorizeNeverRises(t *testing.T) {
	t.Parallel()
	_, list, _ := planted(2, 9, 7, 2, 0.7)
	list = append(list, list[3], list[3])
	weights := vector(len(list), func(i int) float64 { return float64(i % 3) })
	for name := range losses([]float64{1}, []float64{1}) {
		for _, constraints := range []rehline.Constraints{{}, rehline.NonNegative(2)} {
			f := factorize(t, model.Factorization{Users: 9, Items: 7, Observations: list, Rank: 2, C: 2, Weights: weights,
				Loss: func(y []float64) rehline.Loss {
					return losses(vector(len(y), func(i int) float64 { return math.Copysign(1, y[i]) }), y)[name]
				}, UserConstraints: constraints, ItemConstraints: constraints},
				model.FactorizationOptions{MaxSweeps: 30, Tol: 1e-12})
			if constraints.N() > 0 {
				f.Objectives = f.Objectives[2:] // the start is not feasible
				for k, v := range append(f.User.Data, f.Item.Data...) {
					if v < -1e-6 {
						t.Errorf("%s: factor %d is %v", name, k, v)
					}
				}
			}
			monotone(t, name, f)
		}
	}
}

// TestFactorizeHalfStep compares the items after one sweep with ridge regression
// on the users' factors by normal equations, and the users' problem at the end
// with a solve.
func TestFactorizeHalfStep(t *testing.T) {
	t.Parallel()
	const rank, c, ridge = 2, 0.7, 0.3
	_, list, _ := planted(3, 12, 8, rank, 0.8)
	f := factorize(t, model.Factorization{Users: 12, Items: 9, Observations: list, Loss: rehline.Squared, Rank: rank, C: c, ItemRidge: ridge},
		model.FactorizationOptions{MaxSweeps: 1, Options: rehline.Options{Tol: 1e-13}})
	if f.Status != rehline.PassLimit || len(f.Objectives) != 3 {
		t.Errorf("%v after %d halves of one sweep", f.Status, len(f.Objectives)-1)
	}
	total := 0.0
	for item := range 9 {
		normal, right := mat.NewSymDense(rank+1, nil), mat.NewVecDense(rank+1, nil)
		for j := range rank + 1 {
			normal.SetSym(j, j, ridge)
		}
		for _, o := range list {
			if o.Item == item {
				row := mat.NewVecDense(rank+1, append(append([]float64(nil), f.User.Data[o.User*rank:(o.User+1)*rank]...), 1))
				normal.SymRankOne(normal, 2*c, row)
				right.AddScaledVec(right, 2*c*(o.Value-f.UserBias[o.User]), row)
			}
		}
		var want mat.VecDense
		if err := want.SolveVec(normal, right); err != nil {
			t.Fatal(err)
		}
		got := append(append([]float64(nil), f.Item.Data[item*rank:(item+1)*rank]...), f.ItemBias[item])
		for j, v := range got {
			if math.Abs(v-want.AtVec(j)) > 1e-6 {
				t.Errorf("item %d: factor %d is %v, not %v", item, j, v, want.AtVec(j))
			}
			total += ridge / 2 * v * v
		}
	}
	for _, v := range append(append([]float64(nil), f.User.Data...), f.UserBias...) {
		total += v * v / 2
	}
	loss := 0.0
	for _, o := range list {
		d := o.Value - f.At(o.User, o.Item)
		loss += c * d * d
	}
	if last := f.Objectives[2]; math.Abs(last-total-loss) > 1e-12*last || math.Abs(f.Loss-loss) > 1e-12*loss {
		t.Errorf("objective %v with loss %v, not %v with %v", last, f.Loss, total+loss, loss)
	}
}

// TestFactorizeEdges: without observations factors are zero or the smallest that
// are allowed, without biases there are none, and workers do not matter.
func TestFactorizeEdges(t *testing.T) {
	t.Parallel()
	p := model.Factorization{Users: 3, Items: 2, Observations: []model.Observation{{User: 0, Item: 1, Value: 2}, {User: 2, Item: 1, Value: -1}},
		Loss: rehline.Absolute, Rank: 2, Unbiased: true, C: 10, ItemConstraints: rehline.Sum(2, 3)}
	first := factorize(t, p, model.FactorizationOptions{Seed: 1})
	second := factorize(t, p, model.FactorizationOptions{Seed: 1, Workers: 5})
	if !reflect.DeepEqual(first, second) {
		t.Errorf("%+v with one worker, %+v with five", first, second)
	}
	for k, want := range []float64{1.5, 1.5} {
		if got := first.Item.Data[k]; math.Abs(got-want) > 1e-6 {
			t.Errorf("factor %d of an item without observations is %v, not %v", k, got, want)
		}
	}
	for k, v := range append(first.User.Data[2:4:4], append(first.UserBias, first.ItemBias...)...) {
		if v != 0 {
			t.Errorf("number %d of what has to be zero is %v", k, v)
		}
	}
}

func TestFactorizeErrors(t *testing.T) {
	t.Parallel()
	good := model.Factorization{Users: 2, Items: 2, Observations: []model.Observation{{User: 0, Item: 1, Value: 2}}, Loss: rehline.Squared, Rank: 1}
	for name, change := range map[string]func(p *model.Factorization, o *model.FactorizationOptions){
		"users": func(p *model.Factorization, _ *model.FactorizationOptions) { p.Users = 0 },
		"rank":  func(p *model.Factorization, _ *model.FactorizationOptions) { p.Rank = 0 },
		"none":  func(p *model.Factorization, _ *model.FactorizationOptions) { p.Observations = nil },
		"user": func(p *model.Factorization, _ *model.FactorizationOptions) {
			p.Observations = []model.Observation{{User: 2}}
		},
		"item": func(p *model.Factorization, _ *model.FactorizationOptions) {
			p.Observations = []model.Observation{{Item: -1}}
		},
		"NaN": func(p *model.Factorization, _ *model.FactorizationOptions) {
			p.Observations = []model.Observation{{Value: math.NaN()}}
		},
		"no loss": func(p *model.Factorization, _ *model.FactorizationOptions) { p.Loss = nil },
		"short loss": func(p *model.Factorization, _ *model.FactorizationOptions) {
			p.Loss = func([]float64) rehline.Loss { return rehline.Squared(nil) }
		},
		"bad loss": func(p *model.Factorization, _ *model.FactorizationOptions) {
			p.Loss = func(y []float64) rehline.Loss { return rehline.Huber(y, -1) }
		},
		"C":       func(p *model.Factorization, _ *model.FactorizationOptions) { p.C = -1 },
		"ridge":   func(p *model.Factorization, _ *model.FactorizationOptions) { p.UserRidge = math.Inf(1) },
		"weights": func(p *model.Factorization, _ *model.FactorizationOptions) { p.Weights = []float64{1, 2} },
		"constraints": func(p *model.Factorization, _ *model.FactorizationOptions) {
			p.ItemConstraints = rehline.NonNegative(2)
		},
		"tolerance": func(_ *model.Factorization, o *model.FactorizationOptions) { o.Tol = math.NaN() },
		"sweeps":    func(_ *model.Factorization, o *model.FactorizationOptions) { o.MaxSweeps = -1 },
		"start":     func(_ *model.Factorization, o *model.FactorizationOptions) { o.StartSize = -1 },
	} {
		p, o := good, model.FactorizationOptions{}
		change(&p, &o)
		var input *rehline.InputError
		if _, err := model.Factorize(context.Background(), p, o); !errors.As(err, &input) {
			t.Errorf("%s: %v", name, err)
		}
	}
	stop := errors.New("enough")
	f, err := model.Factorize(context.Background(), good, model.FactorizationOptions{Progress: func(model.Factors) error { return stop }})
	if !errors.Is(err, stop) || len(f.Objectives) != 3 {
		t.Errorf("stopped by its progress: %v after %d halves", err, len(f.Objectives)-1)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := model.Factorize(ctx, good, model.FactorizationOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
