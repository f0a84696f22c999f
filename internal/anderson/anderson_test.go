package anderson

import (
	"math"
	"math/rand/v2"
	"testing"
)

// iterate solves A x = b, with A the identity except for a few eigenvalues, by steps
// that take A for the identity, and returns how many it took to a residual of
// 1e-12.
func iterate(r *rand.Rand, m *Mixer, k, wrong int, breaks bool) int {
	directions := make([][]float64, wrong)
	for d := range directions {
		directions[d] = make([]float64, k)
		for {
			norm := 0.0
			for j := range k {
				directions[d][j] = r.NormFloat64()
			}
			for _, e := range directions[:d] {
				c := 0.0
				for j := range k {
					c += e[j] * directions[d][j]
				}
				for j := range k {
					directions[d][j] -= c * e[j]
				}
			}
			for _, v := range directions[d] {
				norm += v * v
			}
			if norm = math.Sqrt(norm); norm > 0.1 {
				for j := range k {
					directions[d][j] /= norm
				}
				break
			}
		}
	}
	b, x, s := make([]float64, k), make([]float64, k), make([]float64, k)
	for j := range b {
		b[j] = r.NormFloat64()
	}
	m.Reset(k)
	for step := range 200 {
		copy(s, b)
		for j := range s {
			s[j] -= x[j]
		}
		for d, e := range directions {
			c := 0.0
			for j := range k {
				c += e[j] * x[j]
			}
			for j := range k {
				s[j] -= float64(d+1) * c * e[j] // eigenvalues 2, 3, ...: plain steps diverge
			}
		}
		off := 0.0
		for _, v := range s {
			off = max(off, math.Abs(v))
		}
		if off < 1e-12 {
			return step
		}
		if breaks && step == 2 {
			m.Break()
		}
		m.Mix(s)
		for j := range x {
			x[j] += s[j]
		}
	}
	return 200
}

// A linear system is solved in as many steps as the factor has wrong eigenvalues,
// and two more.
func TestMixerSolvesLinearSystems(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	m := New(40)
	for _, k := range []int{9, 40} {
		for wrong := range 6 {
			if steps := iterate(r, m, k, wrong, false); steps > wrong+2 {
				t.Errorf("%d dimensions, %d wrong eigenvalues: %d steps", k, wrong, steps)
			}
		}
	}
}

// A break costs the pair of steps across it, and more wrong eigenvalues than the
// memory holds steps still converge.
func TestMixerForgets(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	m := New(60)
	if steps := iterate(r, m, 60, 4, true); steps > 8 {
		t.Errorf("%d steps with a break, want at most 8", steps)
	}
	if steps := iterate(r, m, 60, 14, false); steps > 100 {
		t.Errorf("%d steps with 14 wrong eigenvalues, want at most 100", steps)
	}
}

// Values after the deciding entries are mixed as these are: a linear image of the step
// stays its image.
func TestMixerTakesImagesAlong(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	const k = 12
	m := New(2 * k)
	m.Reset(k)
	for range 3 * Memory {
		s := make([]float64, 2*k)
		for j := range k {
			s[j] = r.NormFloat64()
			s[k+j] = -3 * s[j]
		}
		m.Mix(s)
		for j, v := range s[:k] {
			if math.Abs(s[k+j]+3*v) > 1e-9*(1+math.Abs(v)) {
				t.Fatalf("the image of %v is %v", v, s[k+j])
			}
		}
	}
}
