package dataset

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mathext/prng"
)

const (
	// Gaussian (regression) adds independent N(0.2, 3²) numbers to the scaled features and target
	// of a fraction Level of the rows, as the GAGA scripts do.
	Gaussian = "gaussian"
	// StatP (regression) adds poisoning points, Level times the number of rows, see [Settings] and
	// poison.go.
	StatP = "statp"
	// Flip (classification) flips the labels of a random fraction Level of the rows.
	Flip = "flip"
	// FlipBoundary (classification) draws them from the 30 % nearest to the boundary of a linear
	// support vector machine, as the GAGA scripts do.
	FlipBoundary = "flip-boundary"
)

const (
	gaussianMean      = 0.2
	gaussianDeviation = 3
	boundaryFraction  = 0.3

	// boundaryPrecision rounds decision values before ranking: last digits of samples that tie at
	// the margin depend on the build.
	boundaryPrecision = 1e-7
)

// NoiseKinds lists a task's kinds of noise.
func NoiseKinds(task Task) []string {
	if task == Regression {
		return []string{Gaussian, StatP}
	}
	return []string{Flip, FlipBoundary}
}

// NoiseVersion returns a kind's version, raised when the program hits other rows.
func NoiseVersion(kind string) int {
	if kind == FlipBoundary {
		return 2
	}
	return 1
}

// Noise contaminates training rows; the zero value does not.
//
// Counts are rounded, under [Scripts] down. With the same stream higher levels hit the rows of
// lower levels by the same numbers.
type Noise struct {
	Kind  string  // one of the constants above, or ""
	Level float64 // in [0, 1]
}

func (n Noise) check(task Task) error {
	if n.Kind == "" {
		if n.Level != 0 {
			return fmt.Errorf("noise: level %v without a kind; allowed for %s are %s", n.Level, task, strings.Join(NoiseKinds(task), " and "))
		}
		return nil
	}
	if !slices.Contains(NoiseKinds(task), n.Kind) {
		return fmt.Errorf("noise: kind %q is not for %s; allowed are %s", n.Kind, task, strings.Join(NoiseKinds(task), " and "))
	}
	if !(n.Level >= 0 && n.Level <= 1) {
		return fmt.Errorf("noise: level %v is not in [0, 1]", n.Level)
	}
	return nil
}

func (s Settings) count(fraction float64, n int) int {
	if s.Protocol == Scripts {
		return int(fraction * float64(n))
	}
	return int(math.Round(fraction * float64(n)))
}

type scaled struct {
	d    int
	x, y []float64
}

func (t scaled) row(i int) []float64 { return t.x[i*t.d:][:t.d] }

func (t scaled) gather(rows []int) Part {
	part := Part{N: len(rows), D: t.d, Rows: slices.Clone(rows),
		X: make([]float64, 0, len(rows)*t.d), Y: make([]float64, 0, len(rows))}
	for _, row := range rows {
		part.X = append(part.X, t.row(row)...)
		part.Y = append(part.Y, t.y[row])
	}
	return part
}

// contaminate changes rows in place and returns them, ascending.
func (s Settings) contaminate(ctx context.Context, t scaled, rows []int, random *rand.Rand) ([]int, error) {
	var hit []int
	switch s.Noise.Kind {
	case Gaussian:
		hit = draw(rows, s.count(s.Noise.Level, len(rows)), random)
		ofFeatures, ofTargets := random.NormFloat64, random.NormFloat64
		if s.Protocol == Scripts {
			ofFeatures, ofTargets = legacyNormal(scriptsSeed), legacyNormal(scriptsSeed)
		}
		for _, row := range hit {
			x := t.row(row)
			for j := range x {
				x[j] += gaussianMean + gaussianDeviation*ofFeatures()
			}
			t.y[row] += gaussianMean + gaussianDeviation*ofTargets()
		}
	case Flip:
		hit = draw(rows, s.count(s.Noise.Level, len(rows)), random)
		flip(t.y, hit)
	case FlipBoundary:
		near, err := s.nearest(ctx, t, rows, random)
		if err != nil {
			return nil, err
		}
		hit = draw(near, s.count(s.Noise.Level, len(near)), random)
		flip(t.y, hit)
	}
	slices.Sort(hit)
	return hit, nil
}

// scriptsSeed seeds the GAGA scripts' noise of regression in every fold, for features and again for
// the target.
const scriptsSeed = 40

// legacyNormal returns the standard normal numbers of NumPy's RandomState: polar method, second of
// a pair first, Mersenne Twister.
func legacyNormal(seed uint64) func() float64 {
	bits := prng.NewMT19937()
	bits.Seed(seed)
	uniform := func() float64 { // in [-1, 1), of 53 random bits
		high, low := bits.Uint32()>>5, bits.Uint32()>>6
		return 2*((float64(high)*(1<<26)+float64(low))/(1<<53)) - 1
	}
	next := math.NaN() // first of a pair
	return func() float64 {
		if x := next; !math.IsNaN(x) {
			next = math.NaN()
			return x
		}
		for {
			x, y := uniform(), uniform()
			if r := x*x + y*y; r < 1 && r > 0 {
				factor := math.Sqrt(-2 * math.Log(r) / r)
				next = factor * x
				return factor * y
			}
		}
	}
}

// draw takes the start of a permutation, so that draws are nested.
func draw(rows []int, count int, random *rand.Rand) []int {
	return choose(rows, random.Perm(len(rows))[:count])
}

func choose(rows, places []int) []int {
	chosen := make([]int, len(places))
	for k, i := range places {
		chosen[k] = rows[i]
	}
	return chosen
}

func flip(y []float64, rows []int) {
	for _, row := range rows {
		y[row] = -y[row]
	}
}

// nearest returns the 30 % of the rows, at least one, with the smallest absolute decision values.
// Ties are drawn, since rows may be sorted by class.
func (s Settings) nearest(ctx context.Context, t scaled, rows []int, random *rand.Rand) ([]int, error) {
	part := t.gather(rows)
	if err := part.bothClasses("boundary for the noise"); err != nil {
		return nil, err
	}
	scores, err := s.Boundary(ctx, part.X, part.N, part.D, part.Y)
	if err != nil {
		return nil, fmt.Errorf("boundary for the noise: %w", err)
	}
	if len(scores) != part.N {
		return nil, fmt.Errorf("boundary for the noise: %d scores for %d rows", len(scores), part.N)
	}
	if i := slices.IndexFunc(scores, math.IsNaN); i >= 0 {
		return nil, fmt.Errorf("boundary for the noise: the score of row %d is not a number", rows[i])
	}
	for i, score := range scores {
		scores[i] = math.Round(math.Abs(score) / boundaryPrecision)
	}
	order := count(part.N)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[a], scores[b]) })
	take := max(1, s.count(boundaryFraction, part.N))
	first, end, last := take-1, take, scores[order[take-1]]
	for first > 0 && scores[order[first-1]] == last {
		first--
	}
	for end < part.N && scores[order[end]] == last {
		end++
	}
	if ties := order[first:end]; end > take {
		random.Shuffle(len(ties), func(i, j int) { ties[i], ties[j] = ties[j], ties[i] })
	}
	return choose(rows, order[:take]), nil
}
