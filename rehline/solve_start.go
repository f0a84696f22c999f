package rehline

import "fmt"

// start sets the bounds for the weights, and β and the centers from warm or
// else from zero.
func (s *Solver) start(warm *Solution) error {
	if warm != nil {
		if len(warm.Beta) != s.d || !s.fits(&warm.Dual) {
			return &InputError{"Options.Warm", -1, -1, fmt.Sprintf("%d coefficients or duals of another shape", len(warm.Beta)), ErrShape}
		}
		if err := checkFiniteSlice("Options.Warm.Beta", warm.Beta); err != nil {
			return err
		}
	}
	s.weigh()
	s.origin = s.constant
	for i := range s.kinked {
		s.origin += s.kinked[i].atZero()
	}
	for i := range s.curved {
		s.origin += s.curved[i].atZero()
	}
	clear(s.beta)
	clear(s.guard.center)
	clear(s.newton.center)
	for i := range s.kinked {
		k := &s.kinked[i]
		for j := range k.center {
			k.center[j] = (k.lo[j] + k.hi[j]) / 2
		}
	}
	return nil
}

func (s *Solver) fits(d *Dual) bool { return true }

func (k *kinked) atZero() float64 {
	var t float64
	for i, c := range k.kink {
		t += max(-k.hi[i]*c, -k.lo[i]*c)
	}
	return t
}

func (c *curved) atZero() float64 {
	var t float64
	for i, k := range c.kink {
		u := min(max(-k, c.kl[i]), c.kh[i])
		t += c.sigma[i] * u * (-k - u/2)
	}
	return t
}

func (s *Solver) finished() bool { return s.solved() }

type descent struct{}

func (d *descent) pays(s *Solver) bool { return false }

func (s *Solver) descend() (bool, error) { return false, nil }

func (c *constraints) feasible(d int) error { return nil }
