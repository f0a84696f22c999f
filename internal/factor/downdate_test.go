package factor

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// Downdates that leave a share of the determinant: L J Lᵀ stays as close to M
// as at first however small the share is, as the mixed form promises, and the
// change is refused below the tolerance.
func TestNearlySingular(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(10, 1))
	for _, size := range [][2]int{{30, 0}, {0, 30}, {20, 25}} {
		worst := 0.0
		for _, share := range []float64{1e-1, 1e-3, 1e-5, 1e-7, 1e-9, 1e-10, 1e-13, -1e-9, -1e-3} {
			for range 20 {
				m := definite(t, random, size[0], size[1])
				s := computed(t, m, 64)
				v := vectorOf(random, s.Len())
				if size[1] > 0 {
					clear(v[:size[0]]) // the negative part alone: c > 0
				}
				c := (share - 1) / s.InverseForm(v)
				err := s.Update(c, v)
				if share < 1e-12 {
					if want := map[bool]error{true: ErrNegative, false: ErrPositive}[c > 0]; !errors.Is(err, want) {
						t.Errorf("%v, share %g: %v, want %v", size, share, err, want)
					}
					if off := m.off(t, s); off > 1e-13 {
						t.Errorf("%v, share %g: refused, but off by %g", size, share, off)
					}
					continue
				}
				if err != nil {
					t.Fatalf("%v, share %g: %v", size, share, err)
				}
				off := m.updated(c, v).off(t, s) / max(1, math.Abs(c)*dot(v, v)/m.norm())
				worst = max(worst, off)
			}
		}
		t.Logf("%v: off by at most %.1e", size, worst)
		if worst > 1e-13 {
			t.Errorf("%v: off by %g", size, worst)
		}
	}
}

// Rows of the positive part that hardly may go, or hardly may not: the negative
// part's shift is moved until (M⁻¹)_rr is nearly zero.
func TestDeleteNearlyRefused(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(11, 1))
	made, refused := 0, 0
	for range 200 {
		m := definite(t, random, 12, 10)
		r := random.IntN(12)
		// The largest eigenvalue of the others' Schur complement at zero is
		// where deletion stops: raise one curved diagonal up to there.
		without := computed(t, m, 22)
		if without.Delete(r) != nil {
			continue
		}
		curved := 12 + random.IntN(10)
		limit := -1 / without.InverseDiagonal(curved-1)
		for _, share := range []float64{1e-3, 1e-6, 1e-9, -1e-9, -1e-6, -1e-3} {
			n := m.updated(limit*(1-share), unit(22, curved))
			if distance, want := n.exists(t); want != nil || distance < margin {
				continue
			}
			s := computed(t, n, 22)
			err := s.Delete(r)
			if (err == nil) != (share > 0) {
				t.Fatalf("share %g: %v", share, err)
			}
			if err != nil {
				refused++
				continue
			}
			made++
			if off := n.deleted(r).off(t, s); off > 1e-11 {
				t.Errorf("share %g: off by %g", share, off)
			}
		}
	}
	if made < 100 || refused < 100 {
		t.Errorf("%d made, %d refused", made, refused)
	}
}

// A sweep that breaks down empties the factor, which can be used again.
func TestLost(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(12, 1))
	m := definite(t, random, 6, 5)
	for _, sign := range []float64{-1, 1} {
		s := computed(t, m, 12)
		for i := range s.Len() {
			s.w[s.slot(i)] = 1e3
		}
		if err := s.change(6*boolean(sign > 0), sign); !errors.Is(err, ErrLost) || s.Len() != 0 {
			t.Errorf("sign %g: %v, %d rows", sign, err, s.Len())
		}
		must(t, s.Compute(6, 5, m.row))
		must(t, s.Update(1e-3, unit(11, 2)))
		if off := m.updated(1e-3, unit(11, 2)).off(t, s); off > 1e-13 {
			t.Errorf("sign %g: off by %g", sign, off)
		}
	}
}
