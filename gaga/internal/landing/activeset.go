package landing

import (
	"context"
	"math"

	"github.com/agepath/agepath/gaga/internal/model"
	"github.com/agepath/agepath/gaga/internal/tolerance"
	"github.com/agepath/agepath/internal/activeset"
	"github.com/agepath/agepath/internal/kernel"
)

type machine struct {
	*model.State
	d     int
	price float64
	norms []float64
}

func newMachine(s *model.State) (*machine, bool) {
	m := &machine{State: s, d: s.P, norms: make([]float64, s.N)}
	for m.d > 0 && s.L2[m.d-1] == 0 {
		m.d--
	}
	if !s.Kinked() || s.Sparse() || m.d == 0 || m.d < s.P-1 {
		return nil, false
	}
	m.price = s.L2[0]
	for i := range m.norms {
		m.norms[i] = math.Sqrt(m.Diagonal(i) * m.price)
	}
	return m, true
}

func (m *machine) biased() bool { return m.d < m.P }

func (m *machine) features(i int) []float64 { return m.Row(i)[:m.d] }

// Diagonal and Gather are those of the features' Gram matrix over the price.
func (m *machine) Diagonal(i int) float64 {
	return kernel.Dot(m.features(i), m.features(i)) / m.price
}

func (m *machine) Gather(dst []float64, i int, list []int) {
	for k, j := range list {
		dst[k] = kernel.Dot(m.features(i), m.features(j)) / m.price
	}
}

// near is the Gram matrix over the near samples; its products go through the coefficients.
type near struct {
	*machine
	set     *activeset.Set
	c       []float64 // gradient of all loss terms at their bounds
	theta   []float64
	samples []int
	rows    []float64
	u       []float64
	stale   bool
	size    float64
}

func (n *near) Accumulate(_ []float64, list []int, coefficient []float64) {
	for k, i := range list {
		kernel.Axpy(coefficient[k]/n.price, n.features(i), n.theta[:n.d])
	}
	n.stale = true
}

func (n *near) Evaluate(_, beta []float64) {
	kernel.ScaleTo(n.theta[:n.d], -1/n.price, n.c[:n.d])
	for _, i := range n.set.Moved() {
		if by := beta[i] - n.set.Held[i]; by != 0 {
			kernel.Axpy(by/n.price, n.features(i), n.theta[:n.d])
		}
	}
	n.stale = true
}

func (n *near) Current(f []float64, at []int) {
	if !n.stale {
		return
	}
	n.size = math.Sqrt(kernel.Dot(n.theta[:n.d], n.theta[:n.d]))
	if at != nil {
		for _, i := range at {
			f[i] = kernel.Dot(n.features(i), n.theta[:n.d])
		}
		return
	}
	n.stale = false
	kernel.MulVec(n.u[:len(n.samples)], n.rows, n.P, n.theta[:n.d])
	for slot, i := range n.samples {
		f[i] = n.u[slot]
	}
}

// rounding bounds the rounding of a sample's predictor, for an outlier a sum of large terms.
func (n *near) rounding(i int) float64 {
	return tolerance.PredictorRounding * n.norms[i] * n.size
}

// activeSet fits a linear support vector machine to weights that differ little from those of the
// fit before. It uses the gradient c of all samples below the margin and otherwise only the near
// samples, which include all that can reach the margin. The factor of the free support vectors'
// Gram matrix is kept.
type activeSet struct {
	*near
	*activeset.Set
	among []bool
	scale float64 // largest predictor of the last fit, at least 1
}

func newActiveSet(m *machine) *activeSet {
	f := func(k int) []float64 { return make([]float64, k) }
	a := &activeSet{
		near:  &near{machine: m, c: f(m.P), theta: f(m.P), u: f(m.N)},
		among: make([]bool, m.N), scale: 1,
	}
	o := activeset.Options{Equality: m.biased(), Dependence: tolerance.TightSum}
	for i := range m.N {
		o.Shift += m.Diagonal(i) / float64(m.N)
	}
	if o.Shift == 0 {
		o.Shift = 1
	}
	a.Set = activeset.New(a.near, m.State.Y, o)
	a.set, a.Noise = a.Set, a.rounding
	return a
}

func (a *activeSet) look(samples []int, rows []float64) {
	for _, i := range a.samples {
		a.among[i] = false
	}
	a.samples, a.Watch, a.rows = samples, samples, rows
	for _, i := range samples {
		a.among[i] = true
	}
}

func (a *activeSet) free(is func(i int) bool) {
	for i, at := range a.Place {
		switch {
		case !is(i):
			if at == activeset.Inside {
				a.Place[i] = a.Zero(i)
			}
		case at != activeset.Inside:
			a.Place[i], a.Beta[i] = activeset.Inside, 0
		}
	}
}

func (a *activeSet) below(i int) bool { return a.Place[i] == a.Full(i) }

// fits computes the weighted fit theta and its predictors u, with box the bounds of multipliers. If
// it reports false, the samples' sides are undefined.
func (a *activeSet) fits(box func(i int) float64) bool {
	rest := 0.0
	if a.biased() {
		rest = -a.c[a.d]
	}
	a.Lazily(box, rest)
	a.Set.Evaluate()
	_, found, _ := a.Solve(context.Background(), activeset.Limits{
		Exchanges: tolerance.FewExchanges + len(a.samples), Single: true,
		Bounded: tolerance.SumRounding * a.scale, Free: tolerance.TightSum * a.scale,
	})
	if !found {
		a.Renew()
		return false
	}
	if a.biased() {
		if a.Loose() {
			if len(a.samples) < a.N { // others may bound the intercept
				return false
			}
			a.Multiplier()
		}
		a.theta[a.d] = a.B
	}
	a.Current(a.F, nil)
	a.scale = 1
	for slot, u := range a.u[:len(a.samples)] {
		u += a.B
		if size := math.Abs(u); size > a.scale {
			a.scale = size
		}
		a.u[slot] = u
	}
	return true
}
