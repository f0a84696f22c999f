package rehline

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// fuzzSeeds are enough random functions for every run of the tests.
const fuzzSeeds = 400

// points is the number of points at which a decomposition is compared.
const points = 1000

// randomPLQ returns a convex, continuous piecewise quadratic that is bounded
// below: slopes and curvatures are drawn, the slope is shifted so that it
// changes sign, and the coefficients are integrated from the first break on.
func randomPLQ(r *rand.Rand) Pieces {
	n := r.IntN(9)
	size := math.Pow(10, 4*r.Float64()-2)
	curvature := func() float64 {
		if r.IntN(3) == 0 {
			return 0
		}
		return math.Pow(10, 4*r.Float64()-2)
	}
	if n == 0 {
		q := Quadratic{curvature(), r.NormFloat64(), r.NormFloat64()}
		if q.A == 0 {
			q.B = 0
		}
		return Pieces{Quadratics: []Quadratic{q}}
	}
	breaks := randomVector(r, 1, size)
	jumps, curvatures := make([]float64, n), []float64{curvature()}
	left := make([]float64, n) // slopes, first without shift
	for k := range n {
		if k > 0 {
			breaks = append(breaks, breaks[k-1]+size*math.Pow(10, 3*r.Float64()-3))
			left[k] = left[k-1] + jumps[k-1] + 2*curvatures[k]*(breaks[k]-breaks[k-1])
		}
		if r.IntN(2) == 0 {
			jumps[k] = r.ExpFloat64()
		}
		curvatures = append(curvatures, curvature())
	}
	// The slope vanishes between the first left and the last right one, where
	// an end that is not curved must not fall.
	shift := -left[0] - r.Float64()*(left[n-1]+jumps[n-1]-left[0])
	switch r.IntN(4) {
	case 0:
		shift = -left[r.IntN(n)]
	case 1:
		if curvatures[0] > 0 && curvatures[n] > 0 {
			shift = 10 * r.NormFloat64()
		}
	}
	var p Pieces
	p.Breaks = breaks
	through := func(value, slope, a, z float64) Quadratic {
		return Quadratic{a, slope - 2*a*z, value - slope*z + a*z*z}
	}
	value := r.NormFloat64()
	p.Quadratics = append(p.Quadratics, through(value, left[0]+shift, curvatures[0], breaks[0]))
	for k := range n {
		slope := left[k] + jumps[k] + shift
		p.Quadratics = append(p.Quadratics, through(value, slope, curvatures[k+1], breaks[k]))
		if k+1 < n {
			step := breaks[k+1] - breaks[k]
			value += (slope + curvatures[k+1]*step) * step
		}
	}
	return p
}

// size is the sum of the absolute values of the terms of q at z: what the
// rounding of its value is relative to.
func (q Quadratic) size(z float64) float64 {
	return math.Abs(q.A*z*z) + math.Abs(q.B*z) + math.Abs(q.C)
}

// somewhere returns a point near the breaks, on one of them or far outside.
func somewhere(r *rand.Rand, breaks []float64) float64 {
	if len(breaks) == 0 {
		return 10 * r.NormFloat64()
	}
	lo, hi := breaks[0], breaks[len(breaks)-1]
	switch r.IntN(4) {
	case 0:
		return breaks[r.IntN(len(breaks))]
	case 1:
		return lo + (hi-lo+1)*100*r.NormFloat64()
	}
	return lo + (hi-lo+1)*(1.5*r.Float64()-0.25)
}

// compareTerms fails where f differs from want, a convex function with the
// given breaks, by more than 1e-12 of the size of its terms, the least value
// split off being one of them, or is below its offset.
func compareTerms(t *testing.T, r *rand.Rand, f PLQ, breaks []float64, want, size func(z float64) float64) {
	t.Helper()
	for range points {
		z := somewhere(r, breaks)
		got := f.At(z)
		if !(math.Abs(got-want(z)) <= 1e-12*(size(z)+math.Abs(f.Offset))) {
			t.Fatalf("at z = %g: %.17g, want %.17g (size %g)\nterms %+v", z, got, want(z), size(z), f)
		}
		if got < f.Offset {
			t.Fatalf("at z = %g: %g below the least value %g", z, got, f.Offset)
		}
	}
	for _, term := range f.ReHU {
		if !(term.Tau > 0) {
			t.Fatalf("threshold %g", term.Tau)
		}
	}
}

// compareWithPieces decomposes p and compares; it fails on any error.
func compareWithPieces(t *testing.T, r *rand.Rand, p Pieces) {
	t.Helper()
	f, err := Decompose(p)
	if err != nil {
		t.Fatalf("%+v: %v", p, err)
	}
	// Integrated outwards, f meets the rounding of all the breaks on its way.
	most := 0.0
	for k, z := range p.Breaks {
		most = max(most, p.Quadratics[k].size(z), p.Quadratics[k+1].size(z))
	}
	compareTerms(t, r, f, p.Breaks, p.At, func(z float64) float64 {
		return max(most, p.Quadratics[p.find(z)].size(z))
	})
}

// spoil returns p with one property broken, and the error that names it.
func spoil(r *rand.Rand, p Pieces) (Pieces, error) {
	n := len(p.Breaks)
	q := p.Quadratics
	switch k := r.IntN(n); r.IntN(4) {
	case 0: // a jump of the value
		size := q[k].size(p.Breaks[k]) + q[k+1].size(p.Breaks[k])
		for i := range q[k+1:] {
			q[k+1+i].C += size + 1
		}
		return p, ErrNotContinuous
	case 1: // a fall of the slope by more than all it rises
		fall := 1.0
		for i, z := range p.Breaks {
			fall += math.Abs(q[i].slope(z)) + math.Abs(q[i+1].slope(z))
		}
		for i := range q[k+1:] {
			q[k+1+i].B -= fall
			q[k+1+i].C += fall * p.Breaks[k]
		}
		return p, ErrNotConvex
	case 2: // a concave piece
		q[k].A = -1 - q[k].A
		return p, ErrNotConvex
	}
	// A tilt that makes the last, straight piece fall.
	q[n].B, q[n].C, q[n].A = q[n].slope(p.Breaks[n-1]), q[n].C-q[n].A*p.Breaks[n-1]*p.Breaks[n-1], 0
	tilt := 2*math.Abs(q[n].B) + 1
	for i := range q {
		q[i].B -= tilt
	}
	return p, ErrUnbounded
}

func decomposeSeed(t *testing.T, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 9))
	p := randomPLQ(r)
	compareWithPieces(t, r, p)
	if len(p.Breaks) == 0 {
		return
	}
	bad, want := spoil(r, p)
	var trouble *PLQError
	if f, err := Decompose(bad); !errors.As(err, &trouble) || !errors.Is(trouble.Err, want) {
		t.Fatalf("%+v: %+v and error %v, want %v", bad, f, err, want)
	}
}

// maxSeed compares the decomposition of a maximum of quadratics, one of them
// curved so that it is bounded below, with the maximum.
func maxSeed(t *testing.T, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 10))
	of := make([]Quadratic, 1+r.IntN(12))
	for k := range of {
		of[k] = Quadratic{B: 3 * r.NormFloat64(), C: r.NormFloat64()}
		if k == 0 || r.IntN(2) == 0 {
			of[k].A = math.Pow(10, 3*r.Float64()-2)
		}
		if k > 0 && r.IntN(4) == 0 { // it touches or nearly touches another one
			z, other := r.NormFloat64(), of[r.IntN(k)]
			a := other.A * r.Float64()
			slope := other.slope(z)
			of[k] = Quadratic{a, slope - 2*a*z, other.At(z) - slope*z + a*z*z}
		}
	}
	r.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
	f, err := DecomposeMax(of)
	if err != nil {
		t.Fatalf("%+v: %v", of, err)
	}
	breaks := envelope(of).Breaks
	largest := func(z float64) (value, size float64) {
		value = math.Inf(-1)
		for _, q := range of {
			value, size = max(value, q.At(z)), max(size, q.size(z))
		}
		return value, size
	}
	most := 0.0
	for _, z := range breaks {
		_, size := largest(z)
		most = max(most, size)
	}
	compareTerms(t, r, f, breaks,
		func(z float64) float64 { v, _ := largest(z); return v },
		func(z float64) float64 { _, s := largest(z); return max(s, most) })
}

func TestDecomposeRandomFunctions(t *testing.T) {
	t.Parallel()
	for seed := range uint64(fuzzSeeds) {
		decomposeSeed(t, seed)
	}
}

func TestDecomposeMaxOfRandomQuadratics(t *testing.T) {
	t.Parallel()
	for seed := range uint64(fuzzSeeds) {
		maxSeed(t, seed)
	}
}

func FuzzDecompose(f *testing.F) {
	f.Add(uint64(0))
	f.Fuzz(decomposeSeed)
}

func FuzzDecomposeMax(f *testing.F) {
	f.Add(uint64(0))
	f.Fuzz(maxSeed)
}

// FuzzDecomposeAnything hands over any two breaks and three quadratics: either
// a typed error, or terms that are numbers and meet the pieces.
func FuzzDecomposeAnything(f *testing.F) {
	f.Add(0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
	f.Add(-1.0, 1.0, 0.0, -1.0, -0.5, 0.5, 0.0, 0.0, 0.0, 1.0, -0.5)
	f.Add(math.NaN(), 1.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0)
	f.Add(-1e300, 1e300, 1e300, 0.0, 0.0, 0.0, 0.0, 0.0, 1e-320, 1.0, 0.0)
	f.Fuzz(func(t *testing.T, z0, z1, a0, b0, c0, a1, b1, c1, a2, b2, c2 float64) {
		of := []Quadratic{{a0, b0, c0}, {a1, b1, c1}, {a2, b2, c2}}
		p := Pieces{[]float64{z0, z1}, of}
		var trouble *PLQError
		var input *InputError
		if g, err := Decompose(p); err == nil {
			if !finite(g.Offset) {
				t.Fatalf("%+v: least value %g", p, g.Offset)
			}
			compareWithPieces(t, rand.New(rand.NewPCG(1, 1)), p)
		} else if !errors.As(err, &trouble) && !errors.As(err, &input) {
			t.Fatalf("%+v: error %v has no type", p, err)
		}
		if g, err := DecomposeMax(of); err == nil && !finite(g.Offset) {
			t.Fatalf("%+v: least value %g", of, g.Offset)
		} else if err != nil && !errors.As(err, &trouble) && !errors.As(err, &input) {
			t.Fatalf("%+v: error %v has no type", of, err)
		}
	})
}
