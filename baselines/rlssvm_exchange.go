package baselines

import (
	"context"
	"slices"

	"github.com/agepath/agepath/internal/dense"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

const (
	exchangeAmong = 10    // rows of a group considered for leaving, and for entering
	exchangeLeast = 1e-10 // minimum gain of an exchange, relative to the objective
	fullLeverage  = 1e-10 // 1 - a h of a row without which there is no fit
)

// leverages is the n x n matrix H = C X̃ (P + C Σ a_i x̃_i x̃_iᵀ)⁻¹ X̃ᵀ: x̃ is φ(x) with a 1 for
// the intercept, and P the identity except for a 0 there. It is kept as R B Rᵀ.
type leverages struct {
	rows   blas64.General   // R, n x k; the identity if Data is nil
	middle blas64.Symmetric // B, k x k
	aimed  []float64        // B r_j
}

func newLeverages(k int) *leverages {
	return &leverages{middle: blas64.Symmetric{Uplo: blas.Lower, N: k, Stride: k, Data: make([]float64, k*k)}, aimed: make([]float64, k)}
}

func (h *leverages) row(i int) blas64.Vector {
	return dense.Vector(h.rows.Data[i*h.rows.Stride:][:h.rows.Cols])
}

// aim selects the column j for at and shift.
func (h *leverages) aim(j int) {
	if h.rows.Data != nil {
		blas64.Symv(1, h.middle, h.row(j), 0, dense.Vector(h.aimed))
		return
	}
	n := h.middle.N
	copy(h.aimed, h.middle.Data[j*n:][:j+1])
	for i := j + 1; i < n; i++ {
		h.aimed[i] = h.middle.Data[i*n+j]
	}
}

func (h *leverages) at(i int) float64 {
	if h.rows.Data != nil {
		return blas64.Dot(h.row(i), dense.Vector(h.aimed))
	}
	return h.aimed[i]
}

func (h *leverages) shift(f float64) { blas64.Syr(-f, dense.Vector(h.aimed), h.middle) }

// exchange is a set of samples that changes by one at a time, with quantities of its fit: adding δ
// to the weight of row j subtracts f h_ij e_j from each residual e_i and f h_ij h_kj from each
// h_ik, and adds (C/2) f e_j² to the objective, where f = δ/(1 + δ h_jj).
type exchange struct {
	*leverages
	weights  []float64
	residual []float64
	own      []float64 // h_ii
	leaving  shortlist
	coming   shortlist
}

func (x *exchange) change(j int, by float64) {
	x.aim(j)
	f := by / (1 + by*x.own[j])
	pull := f * x.residual[j]
	for i := range x.residual {
		h := x.at(i)
		x.residual[i] -= pull * h
		x.own[i] -= f * h * h
	}
	x.shift(f)
	x.weights[j] += by
}

type swap struct {
	from, to int
	by       float64
	gain     float64 // decrease of ‖w‖²/C + Σ a e²
}

// best returns the swap with the best exact gain among the individually most promising rows.
func (x *exchange) best(rows []int, multiplicity []float64) (best swap) {
	x.leaving.clear()
	x.coming.clear()
	for _, i := range rows {
		a, e := x.weights[i], x.residual[i]
		if left := 1 - a*x.own[i]; a > 0 && left > fullLeverage {
			x.leaving.offer(i, e*e/left)
		}
		if room := multiplicity[i] - a; room > 0 {
			x.coming.offer(i, -e*e/(1+room*x.own[i]))
		}
	}
	for _, j := range x.leaving.rows {
		x.aim(j)
		for _, i := range x.coming.rows {
			by := min(x.weights[j], multiplicity[i]-x.weights[i])
			f := by / (1 - by*x.own[j])
			h := x.at(i)
			e, own := x.residual[i]+f*h*x.residual[j], x.own[i]+f*h*h
			gain := f*x.residual[j]*x.residual[j] - by*e*e/(1+by*own)
			if i != j && gain > best.gain {
				best = swap{j, i, by, gain}
			}
		}
	}
	return best
}

type shortlist struct {
	rows []int
	keys []float64
}

func (s *shortlist) clear() { s.rows, s.keys = s.rows[:0], s.keys[:0] }

func (s *shortlist) offer(row int, key float64) {
	k := len(s.rows)
	for k > 0 && s.keys[k-1] < key {
		k--
	}
	if k == exchangeAmong {
		return
	}
	s.rows, s.keys = slices.Insert(s.rows, k, row), slices.Insert(s.keys, k, key)
	if len(s.rows) > exchangeAmong {
		s.rows, s.keys = s.rows[:exchangeAmong], s.keys[:exchangeAmong]
	}
}

func (t *trimming) exchange(ctx context.Context, s *trimmed) error {
	m, x := t.machine, t.exchanged
	if _, err := m.solve(ctx, s.weights); err != nil {
		return err
	}
	s.objective = m.weighted(s.weights)
	if slices.Equal(s.weights, m.multiplicity) {
		return nil
	}
	copy(x.weights, s.weights)
	copy(x.residual, m.residual)
	if err := m.leverages(ctx, x.leverages); err != nil {
		return err
	}
	for i := range x.own {
		x.aim(i)
		x.own[i] = x.at(i)
	}
	objective := s.objective
	for range len(m.y) {
		if err := ctx.Err(); err != nil {
			return err
		}
		var best swap
		for _, g := range t.groups {
			if b := x.best(g.rows, m.multiplicity); b.gain > best.gain {
				best = b
			}
		}
		fall := m.c / 2 * best.gain
		if !(fall > exchangeLeast*objective) {
			break
		}
		objective -= fall
		x.change(best.from, -best.by)
		x.change(best.to, best.by)
	}
	if slices.Equal(x.weights, s.weights) {
		return nil
	}
	if _, err := m.solve(ctx, x.weights); err != nil {
		return err
	}
	if lower := m.weighted(x.weights); lower < s.objective {
		s.objective = lower
		copy(s.weights, x.weights)
	}
	return nil
}
