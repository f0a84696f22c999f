package dataset

import (
	"cmp"
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// pool puts the training and the validation part together, row by row.
func pool(p *Prepared) map[int][]float64 {
	rows := make(map[int][]float64)
	for _, part := range []Part{p.Train, p.Validation} {
		for i, row := range part.Rows {
			if row >= 0 {
				rows[row] = append(slices.Clone(part.X[i*part.D:][:part.D]), part.Y[i])
			}
		}
	}
	return rows
}

// changed lists the rows in which the two differ, in ascending order.
func changed(a, b map[int][]float64) []int {
	var rows []int
	for row := range a {
		if !equalBits(a[row], b[row]) {
			rows = append(rows, row)
		}
	}
	slices.Sort(rows)
	return rows
}

// counted is how many rows of n a fraction makes: the scripts take int() of it.
func counted(protocol Protocol, fraction float64, n int) int {
	if protocol == Scripts {
		return int(fraction * float64(n))
	}
	return int(math.Round(fraction * float64(n)))
}

// TestLegacyNormal compares with numpy.random.RandomState(seed).normal(size=4) of NumPy 1.24.
func TestLegacyNormal(t *testing.T) {
	t.Parallel()
	for seed, want := range map[uint64][]float64{
		0:  {1.764052345967664, 0.4001572083672233, 0.9787379841057392, 2.240893199201458},
		40: {-0.6075476972112264, -0.12613641460642458, -0.6846063587046353, 0.9287147485934539},
	} {
		number := legacyNormal(seed)
		for i, x := range want {
			if got := number(); math.Abs(got-x) > 1e-15 {
				t.Errorf("seed %d, number %d: %v, want %v", seed, i, got, x)
			}
		}
	}
}

// TestScriptsNumbers adds noise to zeros, where the noise is all there is: the same in
// every repeat, that of the targets the beginning of that of the features.
func TestScriptsNumbers(t *testing.T) {
	t.Parallel()
	d := &Dataset{Name: "zeros", Task: Regression, Features: []string{"a", "b"}, N: 40, D: 2, X: make([]float64, 80), Y: make([]float64, 40)}
	s := Settings{Protocol: Scripts, Split: Split{Train: 3, Test: 1}, Noise: Noise{Gaussian, 0.5}}
	var first, rows []int
	var numbers []float64
	for seed := range uint64(2) {
		p, err := Prepare(t.Context(), d, s, streams(seed))
		if err != nil {
			t.Fatal(err)
		}
		if rows = p.Contaminated; len(rows) != 15 {
			t.Fatalf("%d of 30 rows are noisy, want 15", len(rows))
		}
		features, targets := map[float64]bool{}, map[float64]bool{}
		for i := range p.Train.N {
			if slices.Contains(rows, p.Train.Rows[i]) {
				features[p.Train.X[2*i]], features[p.Train.X[2*i+1]], targets[p.Train.Y[i]] = true, true, true
			}
		}
		for y := range targets {
			if !features[y] {
				t.Errorf("seed %d: %v of a target is none of the features'", seed, y)
			}
		}
		all := slices.Sorted(maps.Keys(features))
		if seed > 0 && !slices.Equal(all, numbers) {
			t.Errorf("seed %d has other numbers", seed)
		}
		if seed > 0 && slices.Equal(rows, first) {
			t.Error("both seeds have the same noisy rows")
		}
		first, numbers = rows, all
	}
}

func TestNoiseCountsAndNesting(t *testing.T) {
	t.Parallel()
	// 160 rows, 120 of them in the pool; 30 % of those are 36 near the boundary.
	sizes := map[string]int{FlipBoundary: 36}
	for _, at := range []struct {
		protocol Protocol
		task     Task
	}{{HeldOut, Classification}, {HeldOut, Regression}, {Scripts, Classification}, {Scripts, Regression}} {
		protocol, task := at.protocol, at.task
		d := synthetic(task, 160, 3)
		clean := pool(mustPrepare(t, d, settings(protocol, Noise{})))
		for _, kind := range NoiseKinds(task) {
			if kind == StatP {
				continue
			}
			var before map[int][]float64
			var hitBefore []int
			for _, level := range []float64{0, 0.01, 0.2, 0.3, 0.75, 1} {
				p := mustPrepare(t, d, settings(protocol, Noise{kind, level}))
				rows := pool(p)
				hit := changed(clean, rows)
				want := counted(protocol, level, cmp.Or(sizes[kind], 120))
				if kind == "flip-class" {
					positive := 0
					for _, values := range clean {
						if values[d.D] > 0 {
							positive++
						}
					}
					want = counted(protocol, level, positive) + counted(protocol, level/3, 120-positive)
				}
				if len(hit) != want {
					t.Errorf("%s %v: %d rows are hit, want %d", kind, level, len(hit), want)
				}
				if !slices.Equal(hit, p.Contaminated) {
					t.Errorf("%s %v: rows %v are hit, reported are %v", kind, level, hit, p.Contaminated)
				}
				for _, row := range hitBefore {
					if !equalBits(before[row], rows[row]) {
						t.Errorf("%s: row %d is not the same at the level below %v", kind, row, level)
					}
				}
				before, hitBefore = rows, hit
			}
		}
	}
}

func TestGaussianStatistics(t *testing.T) {
	t.Parallel()
	d := synthetic(Regression, 20000, 4)
	clean, p := mustPrepare(t, d, settings(HeldOut, Noise{})), mustPrepare(t, d, settings(HeldOut, Noise{Gaussian, 0.4}))
	a, b := pool(clean), pool(p)
	hit := changed(a, b)
	if len(hit) != 6000 {
		t.Fatalf("%d rows are hit, want 6000 of 15000", len(hit))
	}
	n := float64(len(hit))
	sum, square := make([]float64, 5), make([]float64, 5)
	for _, row := range hit {
		for j := range 5 { // four features and the target
			added := b[row][j] - a[row][j] - gaussianMean
			sum[j] += added
			square[j] += added * added
		}
	}
	for j := range 5 {
		// Five standard errors of a mean and of a variance of normal numbers.
		if math.Abs(sum[j]/n) > 5*3/math.Sqrt(n) {
			t.Errorf("column %d: mean %v, want 0.2", j, 0.2+sum[j]/n)
		}
		if math.Abs(square[j]/n-9) > 5*9*math.Sqrt(2/n) {
			t.Errorf("column %d: variance %v, want 9", j, square[j]/n)
		}
	}
	held := 0
	for _, row := range p.Validation.Rows {
		if slices.Contains(hit, row) {
			held++
		}
	}
	if share := float64(held) / float64(p.Validation.N); math.Abs(share-0.4) > 0.04 { // 4 standard errors
		t.Errorf("%v of the validation part is contaminated, want 0.4", share)
	}
}

// TestNoiseOfOneSide wants the kinds for target and features to change these alone, by the law of
// the kind for both.
func TestNoiseOfOneSide(t *testing.T) {
	t.Parallel()
	d := synthetic(Regression, 400, 4)
	at := func(kind string) map[int][]float64 {
		return pool(mustPrepare(t, d, settings(HeldOut, Noise{kind, 0.5})))
	}
	clean := pool(mustPrepare(t, d, settings(HeldOut, Noise{})))
	both, target, features := at(Gaussian), at("gaussian-target"), at("gaussian-features")
	if rows := changed(clean, both); !slices.Equal(rows, changed(clean, target)) || !slices.Equal(rows, changed(clean, features)) {
		t.Error("the kinds hit other rows than gaussian")
	}
	for row, values := range clean {
		if !equalBits(target[row][:d.D], values[:d.D]) {
			t.Errorf("gaussian-target changes the features of row %d", row)
		}
		if features[row][d.D] != values[d.D] {
			t.Errorf("gaussian-features changes the target of row %d", row)
		}
	}
}

// TestLawsOfNoise compares what the kinds add or put with the distributions that they name, by the
// Kolmogorov-Smirnov distance at 0.1 %.
func TestLawsOfNoise(t *testing.T) {
	t.Parallel()
	d := synthetic(Regression, 20000, 4)
	clean := pool(mustPrepare(t, d, settings(HeldOut, Noise{})))
	gauss, cluster := distuv.Normal{Mu: 0.2, Sigma: 3}, distuv.Normal{Mu: 5, Sigma: 0.5}
	student := distuv.StudentsT{Sigma: 1, Nu: 1.5}
	for _, c := range []struct {
		kind   string
		column int
		moved  bool // instead of added
		law    func(float64) float64
	}{
		{"gaussian-target", 4, false, gauss.CDF}, {"gaussian-features", 2, false, gauss.CDF},
		{"leverage", 0, true, cluster.CDF}, {"leverage", 4, true, cluster.CDF}, {"heavy-tails", 4, false, student.CDF},
	} {
		noisy := pool(mustPrepare(t, d, settings(HeldOut, Noise{c.kind, 0.4})))
		var values []float64
		for _, row := range changed(clean, noisy) {
			x := noisy[row][c.column]
			if !c.moved {
				x -= clean[row][c.column]
			}
			values = append(values, x)
		}
		slices.Sort(values)
		n, distance := float64(len(values)), 0.0
		for i, x := range values {
			distance = max(distance, math.Abs(c.law(x)-float64(i)/n), math.Abs(c.law(x)-float64(i+1)/n))
		}
		if n != 6000 || distance > 1.95/math.Sqrt(n) {
			t.Errorf("%s, column %d: the distance is %.3f for %v rows", c.kind, c.column, distance, n)
		}
	}
}

// TestFlipClassRates counts the flipped labels of each class.
func TestFlipClassRates(t *testing.T) {
	t.Parallel()
	d := synthetic(Classification, 1000, 2)
	clean := pool(mustPrepare(t, d, settings(HeldOut, Noise{})))
	noisy := pool(mustPrepare(t, d, settings(HeldOut, Noise{"flip-class", 0.3})))
	rows, flipped := map[float64]float64{}, map[float64]float64{}
	for row, values := range clean {
		rows[values[d.D]]++
		if noisy[row][d.D] != values[d.D] {
			flipped[values[d.D]]++
		}
	}
	for label, rate := range map[float64]float64{1: 0.3, -1: 0.1} {
		if math.Abs(flipped[label]-rate*rows[label]) > 0.5 {
			t.Errorf("class %v: %v of %v labels are flipped, want %v", label, flipped[label], rows[label], rate)
		}
	}
}

// TestFlipMarginWeights flips one of three rows at the distances 0, 1 and 3, whose median is 1:
// exp(0), exp(-1) and exp(-3) are in proportion to the probabilities.
func TestFlipMarginWeights(t *testing.T) {
	t.Parallel()
	scores, draws, hits := []float64{0, 1, -3}, 30000, [3]float64{}
	s := Settings{Noise: Noise{"flip-margin", 0.3}, Boundary: func(context.Context, []float64, int, int, []float64) ([]float64, error) {
		return slices.Clone(scores), nil
	}}
	random := rand.New(rand.NewPCG(3, 4))
	for range draws {
		hit, err := s.contaminate(t.Context(), scaled{1, []float64{0, 0, 0}, []float64{1, -1, 1}}, []int{0, 1, 2}, random)
		if err != nil || len(hit) != 1 {
			t.Fatalf("rows %v are flipped, %v", hit, err)
		}
		hits[hit[0]]++
	}
	sum := 1 + math.Exp(-1) + math.Exp(-3)
	for i, score := range scores {
		p := math.Exp(-math.Abs(score)) / sum
		if share := hits[i] / float64(draws); math.Abs(share-p) > 4*math.Sqrt(p*(1-p)/float64(draws)) {
			t.Errorf("row %d is flipped with the frequency %.4f, want %.4f", i, share, p)
		}
	}
}

func TestFlipChangesLabelsOnly(t *testing.T) {
	t.Parallel()
	d := synthetic(Classification, 400, 3)
	for _, protocol := range protocols {
		clean := pool(mustPrepare(t, d, settings(protocol, Noise{})))
		for _, kind := range NoiseKinds(Classification) {
			p := mustPrepare(t, d, settings(protocol, Noise{kind, 0.5}))
			for row, values := range pool(p) {
				want := slices.Clone(clean[row])
				if slices.Contains(p.Contaminated, row) {
					want[d.D] = -want[d.D]
				}
				if !equalBits(values, want) {
					t.Fatalf("%s, protocol %v: row %d is %v, want %v", kind, protocol, row, values, want)
				}
			}
		}
	}
}

// TestFlipBoundaryTakesTheNearest finds the candidates by sorting all rows,
// here by the first feature after scaling, which the boundary scores by.
func TestFlipBoundaryTakesTheNearest(t *testing.T) {
	t.Parallel()
	d := synthetic(Classification, 200, 2)
	for _, protocol := range protocols {
		clean := mustPrepare(t, d, settings(protocol, Noise{}))
		parts := []Part{clean.Train, clean.Validation}
		if protocol == Paper {
			parts = append(parts, clean.Test)
		}
		type scored struct {
			row   int
			score float64
		}
		var all []scored
		for _, part := range parts {
			for i, row := range part.Rows {
				all = append(all, scored{row, math.Abs(part.X[i*d.D])})
			}
		}
		slices.SortFunc(all, func(a, b scored) int { return cmp.Compare(a.score, b.score) })
		near := make(map[int]bool)
		for _, s := range all[:counted(protocol, 0.3, len(all))] {
			near[s.row] = true
		}
		everything := mustPrepare(t, d, settings(protocol, Noise{FlipBoundary, 1})).Contaminated
		if len(everything) != len(near) {
			t.Errorf("protocol %v: %d rows are flipped at level 1, want %d", protocol, len(everything), len(near))
		}
		for _, row := range everything {
			if !near[row] {
				t.Errorf("protocol %v: row %d is flipped and not among the nearest", protocol, row)
			}
		}
		// "30 % noise" of the paper flips 9 % of the labels.
		if got, want := len(mustPrepare(t, d, settings(protocol, Noise{FlipBoundary, 0.3})).Contaminated), counted(protocol, 0.3, len(near)); got != want {
			t.Errorf("protocol %v: %d rows are flipped at level 0.3, want %d", protocol, got, want)
		}
	}
}

// TestFlipBoundaryIgnoresLastDigits: decision values that tie but for rounding errors, as those of
// support vectors at the margin do, are taken in the order of the rows.
func TestFlipBoundaryIgnoresLastDigits(t *testing.T) {
	t.Parallel()
	d := synthetic(Classification, 200, 2)
	for _, protocol := range protocols {
		flipped := func(size float64) []int {
			s := settings(protocol, Noise{FlipBoundary, 0.3})
			random := rand.New(rand.NewPCG(1, 2))
			s.Boundary = func(_ context.Context, _ []float64, n, _ int, y []float64) ([]float64, error) {
				scores := make([]float64, n)
				for i := range scores {
					scores[i] = y[i] * (1 + float64(i%5)/10 + size*(random.Float64()-0.5))
				}
				return scores, nil
			}
			return mustPrepare(t, d, s).Contaminated
		}
		want := flipped(0)
		if got := flipped(2e-9); !slices.Equal(got, want) {
			t.Errorf("protocol %v: rows %v are flipped, without rounding errors %v", protocol, got, want)
		}
		if got := flipped(0.5); slices.Equal(got, want) {
			t.Errorf("protocol %v: other distances flip the same rows", protocol)
		}
	}
}

// TestFlipBoundaryDrawsTies: of rows that all tie, those flipped are not the first ones.
func TestFlipBoundaryDrawsTies(t *testing.T) {
	t.Parallel()
	d := synthetic(Classification, 200, 2)
	for _, protocol := range protocols {
		s := settings(protocol, Noise{FlipBoundary, 1})
		s.Boundary = func(_ context.Context, _ []float64, n, _ int, _ []float64) ([]float64, error) {
			return slices.Repeat([]float64{1}, n), nil
		}
		flipped := mustPrepare(t, d, s).Contaminated
		late := 0
		for _, row := range flipped {
			if row >= 100 {
				late++
			}
		}
		if share := float64(late) / float64(len(flipped)); share < 0.3 || share > 0.7 {
			t.Errorf("protocol %v: of %d rows flipped %d are in the second half", protocol, len(flipped), late)
		}
	}
}

// TestBoundarySeesCleanRows: the boundary is fitted to scaled rows with their
// true labels, in the default protocol without those of the test part.
func TestBoundarySeesCleanRows(t *testing.T) {
	t.Parallel()
	d := synthetic(Classification, 100, 2)
	for _, protocol := range protocols {
		want := mustPrepare(t, d, settings(protocol, Noise{}))
		rows := pool(want)
		if protocol == Paper {
			for i, row := range want.Test.Rows {
				rows[row] = append(slices.Clone(want.Test.X[2*i:][:2]), want.Test.Y[i])
			}
		}
		s := settings(protocol, Noise{FlipBoundary, 0.7})
		calls := 0
		s.Boundary = func(ctx context.Context, x []float64, n, d int, y []float64) ([]float64, error) {
			calls++
			if n != len(rows) || d != 2 || len(x) != n*d || len(y) != n {
				t.Errorf("protocol %v: the boundary sees %d rows x %d, want %d x 2", protocol, n, d, len(rows))
			}
			i := 0
			for row := range 100 {
				if values, in := rows[row]; in {
					if !equalBits(values, []float64{x[2*i], x[2*i+1], y[i]}) {
						t.Errorf("protocol %v: the boundary sees another row %d", protocol, row)
					}
					i++
				}
			}
			return byFirst(ctx, x, n, d, y)
		}
		mustPrepare(t, d, s)
		if calls != 1 {
			t.Errorf("protocol %v: the boundary was asked %d times", protocol, calls)
		}
	}
}
