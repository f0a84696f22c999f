package dataset

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestPoisonLiesInCorners(t *testing.T) {
	t.Parallel()
	d := synthetic(Regression, 160, 3)
	for i := range d.N {
		d.X[3*i+2] = 5 // constant
	}
	for _, scaling := range []Scaling{NoScaling, Standard, MinMax} {
		s := settings(HeldOut, Noise{StatP, 0.4})
		s.Features = scaling
		p := mustPrepare(t, d, s)
		s.Noise = Noise{}
		clean := mustPrepare(t, d, s)
		low, high := ranges(pool(clean), 4)
		added := 0.0
		for _, part := range []Part{p.Train, p.Validation} {
			for i, row := range part.Rows {
				if row >= 0 {
					continue
				}
				if part.Multiplicity != nil {
					added += part.Multiplicity[i]
				} else {
					added++
				}
				for j, value := range append(slices.Clone(part.X[3*i:][:3]), part.Y[i]) {
					if value != low[j] && value != high[j] {
						t.Errorf("%s: column %d of a poisoning point is %v, want %v or %v", scaling, j, value, low[j], high[j])
					}
				}
			}
		}
		if added != 48 || p.Added != 48 || len(p.Contaminated) != 0 {
			t.Errorf("%s: %v points are there and %d reported; 48 were asked for", scaling, added, p.Added)
		}
		if changed(pool(clean), pool(p)) != nil {
			t.Errorf("%s: rows of the data set were changed", scaling)
		}
	}
}

func ranges(rows map[int][]float64, columns int) (low, high []float64) {
	low, high = slices.Repeat([]float64{math.Inf(1)}, columns), slices.Repeat([]float64{math.Inf(-1)}, columns)
	for _, row := range rows {
		for j, value := range row {
			low[j], high[j] = min(low[j], value), max(high[j], value)
		}
	}
	return low, high
}

// poisonOf draws count points from the attack on the given table.
func poisonOf(t *testing.T, x, y []float64, d, count int) (points [][]float64) {
	t.Helper()
	p, err := newPoisoner(scaled{d, x, y}, strata(y, false)[0])
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(11, 12))
	for range count {
		point := make([]float64, d, d+1)
		points = append(points, append(point, p.point(point, random)))
	}
	return points
}

// TestPoisonDistribution compares with the closed form of the orthant
// probabilities of a bivariate normal distribution: the corner is the upper
// one in both features with the probability 1/4 + asin(ρ)/2π when the means
// lie in the middle.
func TestPoisonDistribution(t *testing.T) {
	t.Parallel()
	// Symmetric about (1/2, 1/2) in the cube, correlated.
	var x, y []float64
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		a := random.NormFloat64()
		b := 0.7*a + 0.5*random.NormFloat64()
		x = append(x, a, 30+10*b, -a, 30-10*b)
		y = append(y, a, b)
	}
	low, high := slices.Clone(x[:2]), slices.Clone(x[:2])
	for i, value := range x {
		low[i%2], high[i%2] = min(low[i%2], value), max(high[i%2], value)
	}
	var aa, ab, bb float64
	n := float64(len(x) / 2)
	for i := 0; i < len(x); i += 2 {
		a, b := (x[i]-low[0])/(high[0]-low[0])-0.5, (x[i+1]-low[1])/(high[1]-low[1])-0.5
		aa, ab, bb = aa+a*a/n, ab+a*b/n, bb+b*b/n
	}
	rho := ab / math.Sqrt((aa+0.01)*(bb+0.01))
	want := 0.25 + math.Asin(rho)/(2*math.Pi)

	const count = 40000
	upper, both := [2]float64{}, 0.0
	for _, point := range poisonOf(t, x, y, 2, count) {
		for j := range 2 {
			if point[j] == high[j] {
				upper[j]++
			}
		}
		if point[0] == high[0] && point[1] == high[1] {
			both++
		}
	}
	margin := func(p float64) float64 { return 5 * math.Sqrt(p*(1-p)/count) }
	if math.Abs(both/count-want) > margin(want) {
		t.Errorf("both features are up with frequency %v, want %v (correlation %v)", both/count, want, rho)
	}
	for j := range 2 {
		if math.Abs(upper[j]/count-0.5) > margin(0.5) {
			t.Errorf("feature %d is up with frequency %v, want 0.5", j, upper[j]/count)
		}
	}
}

// TestPoisonTarget solves the ridge regression by elimination and compares.
func TestPoisonTarget(t *testing.T) {
	t.Parallel()
	const n, d = 60, 4
	random := rand.New(rand.NewPCG(21, 22))
	x, y := make([]float64, n*d), make([]float64, n)
	for i := range y {
		for j := range d {
			x[i*d+j] = random.NormFloat64()
		}
		y[i] = 3 + x[i*d] - 2*x[i*d+1] + 0.3*random.NormFloat64()
	}
	low, high := ranges(rowsOf(x, y, d), d+1)
	unit := func(value float64, j int) float64 { return (value - low[j]) / (high[j] - low[j]) }
	// The normal equations with the intercept as one more, unpenalized column.
	m := make([][]float64, d+1)
	for a := range m {
		m[a] = make([]float64, d+2)
	}
	for i := range y {
		row := make([]float64, d+2)
		for j := range d {
			row[j] = unit(x[i*d+j], j)
		}
		row[d], row[d+1] = 1, unit(y[i], d)
		for a := range d + 1 {
			for b := range d + 2 {
				m[a][b] += row[a] * row[b]
			}
		}
	}
	for a := range d {
		m[a][a] += 0.01
	}
	solution := eliminate(m)
	seen := map[float64]bool{}
	for _, point := range poisonOf(t, x, y, d, 300) {
		prediction := solution[d]
		for j := range d {
			prediction += solution[j] * unit(point[j], j)
		}
		want := high[d]
		if prediction > 0.5 {
			want = low[d]
		}
		if math.Abs(prediction-0.5) > 1e-9 && point[d] != want {
			t.Fatalf("target %v, want %v for the prediction %v", point[d], want, prediction)
		}
		seen[point[d]] = true
	}
	if len(seen) != 2 {
		t.Errorf("targets are %v, want both ends of the range", seen)
	}
}

func rowsOf(x, y []float64, d int) map[int][]float64 {
	rows := make(map[int][]float64)
	for i := range y {
		rows[i] = append(slices.Clone(x[i*d:][:d]), y[i])
	}
	return rows
}

// eliminate solves the system with the augmented matrix m (Gauss-Jordan with
// row exchanges).
func eliminate(m [][]float64) []float64 {
	n := len(m)
	for k := range n {
		best := k
		for i := k; i < n; i++ {
			if math.Abs(m[i][k]) > math.Abs(m[best][k]) {
				best = i
			}
		}
		m[k], m[best] = m[best], m[k]
		for i := range n {
			if i != k {
				factor := m[i][k] / m[k][k]
				for j := k; j <= n; j++ {
					m[i][j] -= factor * m[k][j]
				}
			}
		}
	}
	solution := make([]float64, n)
	for k := range n {
		solution[k] = m[k][n] / m[k][k]
	}
	return solution
}

// TestPoisonIsNested: the points at a level are the first of those at a higher
// one, part by part.
func TestPoisonIsNested(t *testing.T) {
	t.Parallel()
	// A hundred columns, so that no two points are equal and none is merged.
	d := synthetic(Regression, 200, 100)
	var before [2][]float64
	for _, level := range []float64{0, 0.1, 0.2, 0.5, 1} {
		p := mustPrepare(t, d, settings(HeldOut, Noise{StatP, level}))
		if p.Merged != 0 {
			t.Fatal("points were merged")
		}
		total := 0
		for k, part := range []Part{p.Train, p.Validation} {
			var points []float64
			for i, row := range part.Rows {
				if row < 0 {
					points = append(append(points, part.X[i*100:][:100]...), part.Y[i])
					total++
				}
			}
			if len(points) < len(before[k]) || !equalBits(points[:len(before[k])], before[k]) {
				t.Errorf("level %v: the points of part %d do not begin with those of the level below", level, k)
			}
			before[k] = points
		}
		if want := int(math.Round(level * 150)); total != want {
			t.Errorf("level %v: %d points, want %d", level, total, want)
		}
	}
	if share := float64(len(before[1])) / float64(len(before[0])+len(before[1])); math.Abs(share-0.2) > 0.13 { // 4 standard errors
		t.Errorf("%v of the points are in the validation part, want 0.2", share)
	}
}

// TestPoisonIgnoresUnits: shifting and scaling columns does not change which
// corners are drawn.
func TestPoisonIgnoresUnits(t *testing.T) {
	t.Parallel()
	d := synthetic(Regression, 100, 5)
	var want []bool
	for _, scaling := range []Scaling{NoScaling, Standard, MinMax} {
		s := settings(HeldOut, Noise{StatP, 0.5})
		s.Features, s.Target = scaling, scaling
		p := mustPrepare(t, d, s)
		_, high := ranges(pool(p), 6)
		var corners []bool
		for i, row := range p.Train.Rows {
			if row < 0 {
				for j := range 5 {
					corners = append(corners, p.Train.X[5*i+j] == high[j])
				}
				corners = append(corners, p.Train.Y[i] == high[5])
			}
		}
		if want == nil {
			want = corners
		}
		if len(corners) == 0 || !slices.Equal(corners, want) {
			t.Errorf("%s: other corners are drawn", scaling)
		}
	}
}
