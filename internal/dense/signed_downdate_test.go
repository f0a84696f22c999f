package dense

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// Rows of the positive part that hardly may go, or hardly may not: the negative
// part's shift is moved until (M⁻¹)_rr is nearly zero.
func TestDeleteNearlyRefused(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(11, 1))
	made, refused := 0, 0
	for range 200 {
		m := signedOf(t, random, 12, 10)
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

// A change that breaks down empties the factor, which can be used again.
func TestLost(t *testing.T) {
	t.Parallel()
	m := signedOf(t, rand.New(rand.NewPCG(12, 1)), 6, 0)
	s := computed(t, m, 12)
	s.lower.Row(4)[2] = math.NaN()
	if err := s.Delete(2); !errors.Is(err, ErrLost) || s.Len() != 0 {
		t.Errorf("%v, %d rows", err, s.Len())
	}
	must(t, s.Compute(6, 0, m.row))
	if off := m.off(t, s); off > 1e-13 {
		t.Errorf("off by %g", off)
	}
}
