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

	"github.com/agepath/agepath/internal/kernel"
	"github.com/agepath/agepath/internal/lists"
)

// Kinds of noise that code names.
const (
	Gaussian     = "gaussian"
	StatP        = "statp"
	Flip         = "flip"
	FlipBoundary = "flip-boundary"
)

const (
	gaussianMean      = 0.2
	gaussianDeviation = 3
	boundaryFraction  = 0.3
	leverageMean      = 5
	leverageDeviation = 0.5
	tailFreedom       = 1.5

	// boundaryPrecision rounds decision values before ranking: last digits of samples that tie at
	// the margin depend on the build.
	boundaryPrecision = 1e-7
)

// contamination changes some of the rows in place and returns them.
type contamination func(ctx context.Context, s Settings, t scaled, rows []int, random *rand.Rand) ([]int, error)

type noiseKind struct {
	name        string
	task        Task
	version     int  // raised when the program hits other rows
	boundary    bool // needs [Settings.Boundary]
	contaminate contamination
	doc         string // for docs/grid.md
}

var noiseTable = []noiseKind{
	{Gaussian, Regression, 1, false, addGaussian(true, true),
		"N(0.2, 3²) is added to every scaled feature and the target of a fraction of the training rows (scripts of the GAGA paper)"},
	{"gaussian-target", Regression, 1, false, addGaussian(false, true),
		"the same, to the target only: vertical outliers (Rousseeuw and Leroy 1987)"},
	{"gaussian-features", Regression, 1, false, addGaussian(true, false),
		"the same, to the features only: leverage points with the right target (Rousseeuw and Leroy 1987)"},
	{"leverage", Regression, 1, false, changeEach(moveToCluster),
		"a fraction of the training rows moves to a cluster far out, N(5, 0.5²) in every scaled feature and the target: bad leverage points (Rousseeuw and van Zomeren, JASA 1990)"},
	{"heavy-tails", Regression, 2, false, changeEach(addStudent),
		"errors of Student's t distribution with 1.5 degrees of freedom, without variance, are added to the target of a fraction of the training rows (Lange, Little and Taylor, JASA 1989)"},
	{StatP, Regression, 1, false, nil, // see addPoison
		"poisoning points from the distribution of the training data are added, as many as that fraction of its rows (Jagielski et al., IEEE S&P 2018)"},
	{Flip, Classification, 1, false, changeEach(func(_ []float64, y *float64, _ *rand.Rand) { *y = -*y }),
		"a fraction of the training labels is flipped"},
	{FlipBoundary, Classification, 2, true, flipNearest,
		"of the 30 % of the rows nearest to a linear boundary, a fraction has its label flipped (scripts of the GAGA paper)"},
	{"flip-class", Classification, 1, false, flipByClass,
		"a fraction of the positive training labels, and a third of that fraction of the negative ones, is flipped (rates by class, Natarajan et al., NeurIPS 2013)"},
	{"flip-margin", Classification, 1, true, flipByMargin,
		"a fraction of the training labels is flipped, drawn with weights exp(-m/m̃) by the distances m from a linear boundary, m̃ their median (noise that depends on the instance, Zhang et al., ICLR 2021)"},
}

func lookupNoise(kind string) *noiseKind {
	if i := slices.IndexFunc(noiseTable, func(k noiseKind) bool { return k.name == kind }); i >= 0 {
		return &noiseTable[i]
	}
	return &noiseKind{}
}

// NoiseKinds lists a task's kinds of noise.
func NoiseKinds(task Task) (names []string) {
	for i := range noiseTable {
		if noiseTable[i].task == task {
			names = append(names, noiseTable[i].name)
		}
	}
	return names
}

// NoiseVersion returns a kind's version, raised when the program hits other rows.
func NoiseVersion(kind string) int { return max(lookupNoise(kind).version, 1) }

// NoiseDoc says what a kind does.
func NoiseDoc(kind string) string { return lookupNoise(kind).doc }

// Noise contaminates training rows; the zero value does not.
//
// Counts are rounded, under [Scripts] down. With the same stream higher levels hit the rows of
// lower levels by the same numbers.
type Noise struct {
	Kind  string  // one of [NoiseKinds], or ""
	Level float64 // in [0, 1]
}

func (n Noise) check(task Task) error {
	kinds := strings.Join(NoiseKinds(task), ", ")
	return cmp.Or(
		refuse(n.Kind == "" && n.Level != 0, "noise: level %v without a kind; allowed for %s are %s", n.Level, task, kinds),
		refuse(n.Kind != "" && !slices.Contains(NoiseKinds(task), n.Kind), "noise: kind %q is not for %s; allowed are %s", n.Kind, task, kinds),
		refuse(!(n.Level >= 0 && n.Level <= 1), "noise: level %v is not in [0, 1]", n.Level))
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
	hit, err := lookupNoise(s.Noise.Kind).contaminate(ctx, s, t, rows, random)
	slices.Sort(hit)
	return hit, err
}

func addGaussian(features, target bool) contamination {
	return func(_ context.Context, s Settings, t scaled, rows []int, random *rand.Rand) ([]int, error) {
		hit := s.draw(rows, s.Noise.Level, random)
		ofFeatures, ofTargets := random.NormFloat64, random.NormFloat64
		if s.Protocol == Scripts {
			ofFeatures, ofTargets = legacyNormal(scriptsSeed), legacyNormal(scriptsSeed)
		}
		for _, row := range hit {
			if x := t.row(row); features {
				for j := range x {
					x[j] += gaussianMean + gaussianDeviation*ofFeatures()
				}
			}
			if target {
				t.y[row] += gaussianMean + gaussianDeviation*ofTargets()
			}
		}
		return hit, nil
	}
}

func changeEach(change func(x []float64, y *float64, random *rand.Rand)) contamination {
	return func(_ context.Context, s Settings, t scaled, rows []int, random *rand.Rand) ([]int, error) {
		hit := s.draw(rows, s.Noise.Level, random)
		for _, row := range hit {
			change(t.row(row), &t.y[row], random)
		}
		return hit, nil
	}
}

func moveToCluster(x []float64, y *float64, random *rand.Rand) {
	for j := range x {
		x[j] = leverageMean + leverageDeviation*random.NormFloat64()
	}
	*y = leverageMean + leverageDeviation*random.NormFloat64()
}

// addStudent takes the polar method of Bailey (Mathematics of Computation 62, 1994).
func addStudent(_ []float64, y *float64, random *rand.Rand) {
	radius := math.Sqrt(tailFreedom * (kernel.Pow(1-random.Float64(), -2/tailFreedom) - 1))
	*y += radius * math.Cos(2*math.Pi*random.Float64())
}

// flipNearest draws from the 30 % of the rows, at least one, with the smallest absolute decision values,
// of ties among these at random, since rows may be sorted by class.
func flipNearest(ctx context.Context, s Settings, t scaled, rows []int, random *rand.Rand) ([]int, error) {
	scores, err := s.margins(ctx, t, rows)
	if err != nil {
		return nil, err
	}
	order := Indices(len(rows))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[a], scores[b]) })
	take := max(1, s.count(boundaryFraction, len(rows)))
	first, end, last := take-1, take, scores[order[take-1]]
	for first > 0 && scores[order[first-1]] == last {
		first--
	}
	for end < len(rows) && scores[order[end]] == last {
		end++
	}
	if ties := order[first:end]; end > take {
		random.Shuffle(len(ties), func(i, j int) { ties[i], ties[j] = ties[j], ties[i] })
	}
	hit := s.draw(choose(rows, order[:take]), s.Noise.Level, random)
	flip(t.y, hit)
	return hit, nil
}

func flipByClass(_ context.Context, s Settings, t scaled, rows []int, random *rand.Rand) (hit []int, err error) {
	for _, class := range []struct{ label, rate float64 }{{1, 1}, {-1, 1. / 3}} {
		of := slices.DeleteFunc(slices.Clone(rows), func(row int) bool { return t.y[row] != class.label })
		hit = append(hit, s.draw(of, class.rate*s.Noise.Level, random)...)
	}
	flip(t.y, hit)
	return hit, nil
}

// flipByMargin draws without replacement by the smallest of exponential numbers divided by weights
// (Efraimidis and Spirakis, Information Processing Letters 97, 2006).
func flipByMargin(ctx context.Context, s Settings, t scaled, rows []int, random *rand.Rand) ([]int, error) {
	margins, err := s.margins(ctx, t, rows)
	if err != nil {
		return nil, err
	}
	middle := cmp.Or(MedianOf(slices.Clone(margins)), 1)
	keys := lists.Map(margins, func(margin float64) float64 { return random.ExpFloat64() * math.Exp(margin/middle) })
	order := Indices(len(rows))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(keys[a], keys[b]) })
	hit := choose(rows, order[:s.count(s.Noise.Level, len(rows))])
	flip(t.y, hit)
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
func (s Settings) draw(rows []int, fraction float64, random *rand.Rand) []int {
	return choose(rows, random.Perm(len(rows))[:s.count(fraction, len(rows))])
}

func choose(rows, places []int) []int { return lists.Map(places, func(i int) int { return rows[i] }) }

func flip(y []float64, rows []int) {
	for _, row := range rows {
		y[row] = -y[row]
	}
}

// margins returns the absolute decision values, in units of boundaryPrecision.
func (s Settings) margins(ctx context.Context, t scaled, rows []int) ([]float64, error) {
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
	return scores, nil
}
