package nsga3

import (
	"math"
	"math/rand/v2"

	"github.com/agepath/agepath/internal/kernel"
)

// variation creates children by simulated binary crossover (Deb and Agrawal 1995), of each variable
// of every pair with probability 1/2, and by polynomial mutation (Deb and Goyal 1996). Two choices left
// open there are needed to reach the distances published by Deb and Jain: crossed values are
// swapped, so that a child has half of its variables from near each parent; values that leave the
// box are moved onto its surface, where fronts often lie.
type variation struct {
	rng  *rand.Rand
	stay float64 // log probability that a variable does not mutate
}

// Distribution indices: larger ones keep children nearer to their parents.
const (
	crossover = 30
	mutation  = 20
)

func (v *variation) cross(first, second, a, b []float64) {
	for j, x := range a {
		y := b[j]
		if bits := v.rng.Uint64(); bits&1 == 1 && x != y {
			u := float64(bits>>11) * 0x1p-53
			// The children's distance relative to the parents': (2u)^(1/(η+1)), or
			// (2-2u)^(-1/(η+1)) for u > 1/2. Faster than kernel.Pow.
			var spread float64
			if u <= 0.5 {
				spread = kernel.Exp(math.Log(2*u) * (1. / (crossover + 1)))
			} else {
				spread = kernel.Exp(math.Log(2-2*u) * (-1. / (crossover + 1)))
			}
			middle, half := 0.5*(x+y), 0.5*spread*(y-x)
			x = math.Min(math.Max(middle+half, 0), 1)
			y = math.Min(math.Max(middle-half, 0), 1)
		}
		first[j] = x
		if second != nil {
			second[j] = y
		}
	}
}

// mutate advances to the next mutating variable by geometric steps; the distribution is truncated
// at the bounds.
func (v *variation) mutate(x []float64) {
	const order = mutation + 1
	for j := v.skip(-1, len(x)); j < len(x); j = v.skip(j, len(x)) {
		u := v.rng.Float64()
		var step float64
		if u < 0.5 {
			step = kernel.Pow(2*u+(1-2*u)*kernel.Pow(1-x[j], order), 1./order) - 1
		} else {
			step = 1 - kernel.Pow(2*(1-u)+(2*u-1)*kernel.Pow(x[j], order), 1./order)
		}
		x[j] = math.Min(math.Max(x[j]+step, 0), 1)
	}
}

func (v *variation) skip(j, n int) int {
	steps := math.Log(1-v.rng.Float64()) / v.stay
	if !(steps < float64(n-j)) {
		return n
	}
	return j + 1 + int(steps)
}
