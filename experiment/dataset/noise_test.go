package dataset

import (
	"cmp"
	"context"
	"math"
	"slices"
	"testing"
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

func TestNoiseCountsAndNesting(t *testing.T) {
	t.Parallel()
	// 160 rows, 120 of them in the pool; 30 % of those are 36 near the boundary.
	sizes := map[string]int{Gaussian: 120, Flip: 120, FlipBoundary: 36}
	for _, task := range []Task{Classification, Regression} {
		d := synthetic(task, 160, 3)
		clean := pool(mustPrepare(t, d, settings(false, Noise{})))
		for _, kind := range NoiseKinds(task) {
			if kind == StatP {
				continue
			}
			var before map[int][]float64
			var hitBefore []int
			for _, level := range []float64{0, 0.01, 0.2, 0.3, 0.75, 1} {
				p := mustPrepare(t, d, settings(false, Noise{kind, level}))
				rows := pool(p)
				hit := changed(clean, rows)
				if want := int(math.Round(level * float64(sizes[kind]))); len(hit) != want {
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
	clean, p := mustPrepare(t, d, settings(false, Noise{})), mustPrepare(t, d, settings(false, Noise{Gaussian, 0.4}))
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

func TestFlipChangesLabelsOnly(t *testing.T) {
	t.Parallel()
	d := synthetic(Classification, 400, 3)
	for _, paper := range []bool{false, true} {
		clean := pool(mustPrepare(t, d, settings(paper, Noise{})))
		for _, kind := range NoiseKinds(Classification) {
			p := mustPrepare(t, d, settings(paper, Noise{kind, 0.5}))
			for row, values := range pool(p) {
				want := slices.Clone(clean[row])
				if slices.Contains(p.Contaminated, row) {
					want[d.D] = -want[d.D]
				}
				if !equalBits(values, want) {
					t.Fatalf("%s, paper %v: row %d is %v, want %v", kind, paper, row, values, want)
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
	for _, paper := range []bool{false, true} {
		clean := mustPrepare(t, d, settings(paper, Noise{}))
		parts := []Part{clean.Train, clean.Validation}
		if paper {
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
		for _, s := range all[:int(math.Round(0.3*float64(len(all))))] {
			near[s.row] = true
		}
		everything := mustPrepare(t, d, settings(paper, Noise{FlipBoundary, 1})).Contaminated
		if len(everything) != len(near) {
			t.Errorf("paper %v: %d rows are flipped at level 1, want %d", paper, len(everything), len(near))
		}
		for _, row := range everything {
			if !near[row] {
				t.Errorf("paper %v: row %d is flipped and not among the nearest", paper, row)
			}
		}
		// "30 % noise" of the paper flips 9 % of the labels.
		if got, want := len(mustPrepare(t, d, settings(paper, Noise{FlipBoundary, 0.3})).Contaminated), int(math.Round(0.3*float64(len(near)))); got != want {
			t.Errorf("paper %v: %d rows are flipped at level 0.3, want %d", paper, got, want)
		}
	}
}

// TestBoundarySeesCleanRows: the boundary is fitted to scaled rows with their
// true labels, in the default protocol without those of the test part.
func TestBoundarySeesCleanRows(t *testing.T) {
	t.Parallel()
	d := synthetic(Classification, 100, 2)
	for _, paper := range []bool{false, true} {
		want := mustPrepare(t, d, settings(paper, Noise{}))
		rows := pool(want)
		if paper {
			for i, row := range want.Test.Rows {
				rows[row] = append(slices.Clone(want.Test.X[2*i:][:2]), want.Test.Y[i])
			}
		}
		s := settings(paper, Noise{FlipBoundary, 0.7})
		calls := 0
		s.Boundary = func(ctx context.Context, x []float64, n, d int, y []float64) ([]float64, error) {
			calls++
			if n != len(rows) || d != 2 || len(x) != n*d || len(y) != n {
				t.Errorf("paper %v: the boundary sees %d rows x %d, want %d x 2", paper, n, d, len(rows))
			}
			i := 0
			for row := range 100 {
				if values, in := rows[row]; in {
					if !equalBits(values, []float64{x[2*i], x[2*i+1], y[i]}) {
						t.Errorf("paper %v: the boundary sees another row %d", paper, row)
					}
					i++
				}
			}
			return byFirst(ctx, x, n, d, y)
		}
		mustPrepare(t, d, s)
		if calls != 1 {
			t.Errorf("paper %v: the boundary was asked %d times", paper, calls)
		}
	}
}
