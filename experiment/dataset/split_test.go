package dataset

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestSplitSizes(t *testing.T) {
	t.Parallel()
	// The first two are the training parts of the paper's benchmark.
	for _, test := range []struct {
		split                   Split
		n                       int
		train, validation, test int
	}{
		{Split{Train: 3, Test: 1, Validation: 0}, 569, 426, 0, 143},
		{Split{Train: 3, Test: 1, Validation: 0}, 1797, 1347, 0, 450},
		{Split{Train: 3, Test: 1, Validation: 0.2}, 569, 340, 86, 143},
		{Split{Train: 3, Test: 1, Validation: 0}, 4, 3, 0, 1},
		{Split{Train: 0.01, Test: 0.02, Validation: 0}, 9, 3, 0, 6},   // 6.000000000000001 in binary
		{Split{Train: 1, Test: 1, Validation: 0.07}, 200, 93, 7, 100}, // 7.000000000000001 in binary
		{Split{Train: 9, Test: 1, Validation: 0.1}, 1000, 810, 90, 100},
		{Split{Train: 1, Test: 3, Validation: 0.5}, 100, 12, 13, 75},
	} {
		train, validation, inTest := test.split.sizes(test.n, test.n)
		if train != test.train || validation != test.validation || inTest != test.test {
			t.Errorf("%+v of %d rows: %d, %d, %d, want %d, %d, %d", test.split, test.n,
				train, validation, inTest, test.train, test.validation, test.test)
		}
	}
}

func TestSplitRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		split Split
		n     int
		want  string
	}{
		{Split{Train: 0, Test: 1, Validation: 0}, 100, "train is 0"},
		{Split{Train: 3, Test: -1, Validation: 0}, 100, "test is -1"},
		{Split{Train: 3, Test: math.NaN(), Validation: 0}, 100, "test is NaN"},
		{Split{Train: math.Inf(1), Test: 1, Validation: 0}, 100, "train is +Inf"},
		{Split{Train: 3, Test: 1, Validation: 1}, 100, "validation is 1"},
		{Split{Train: 3, Test: 1, Validation: -0.1}, 100, "validation is -0.1"},
		{Split{Train: 3, Test: 1, Validation: math.NaN()}, 100, "validation is NaN"},
		{Split{Train: 3, Test: 1, Validation: 0}, 2, "2 rows give 1 for training"},
		{Split{Train: 3, Test: 1, Validation: 0.5}, 4, "4 rows give 1 for training, 2 for validation"},
		{Split{Train: 3, Test: 1, Validation: 0}, 0, "0 rows give 0"},
	} {
		if err := test.split.check(test.n); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v of %d rows: error %v, want %q in it", test.split, test.n, err, test.want)
		}
	}
}

func TestDivideIsAPartition(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		n := 8 + random.IntN(200)
		y := labels(n, 2+random.IntN(n/2), random)
		split := Split{Train: 1 + 4*random.Float64(), Test: 1 + random.Float64(), Validation: random.Float64() * 0.5}
		if split.check(n) != nil {
			continue
		}
		for _, byClass := range []bool{false, true} {
			parts, err := split.divide(strata(y, byClass), nil, false, rand.New(rand.NewPCG(3, 4)))
			if err != nil {
				t.Fatal(err)
			}
			train, validation, inTest := split.sizes(n, n)
			if len(parts.train) != train || len(parts.validation) != validation || len(parts.test) != inTest {
				t.Fatalf("sizes %d, %d, %d, want %d, %d, %d", len(parts.train), len(parts.validation), len(parts.test), train, validation, inTest)
			}
			all := slices.Sorted(slices.Values(slices.Concat(parts.train, parts.validation, parts.test)))
			for i, row := range all {
				if i != row {
					t.Fatalf("the parts are no partition of %d rows: %v", n, all)
				}
			}
			if !slices.IsSorted(parts.train) || !slices.IsSorted(parts.test) {
				t.Fatal("rows are not in ascending order")
			}
			if byClass {
				checkShares(t, y, parts.test)
			}
		}
	}
}

// checkShares tells when a class is more than a row off its share, unless a
// row of it had to stay behind.
func checkShares(t *testing.T, y []float64, part []int) {
	t.Helper()
	for _, class := range []float64{-1, 1} {
		total, got := 0, 0
		for _, label := range y {
			if label == class {
				total++
			}
		}
		for _, row := range part {
			if y[row] == class {
				got++
			}
		}
		share := float64(total) * float64(len(part)) / float64(len(y))
		if math.Abs(float64(got)-share) >= 1 && total > 2 {
			t.Fatalf("class %v: %d rows of %d in a part of %d of %d, its share is %.2f", class, got, total, len(part), len(y), share)
		}
	}
}

func TestDivideKeepsBothClasses(t *testing.T) {
	t.Parallel()
	y := []float64{1, 1, 1, -1, 1, 1, 1, 1}
	for seed := range uint64(50) {
		parts, err := Split{Train: 1, Test: 1, Validation: 0.4}.divide(strata(y, true), nil, false, rand.New(rand.NewPCG(seed, 0)))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(parts.train, 3) {
			t.Fatalf("seed %d: the only row of its class is not in the training part %v", seed, parts.train)
		}
	}
}

func TestTestPartIgnoresValidation(t *testing.T) {
	t.Parallel()
	y := labels(101, 30, rand.New(rand.NewPCG(5, 6)))
	for _, byClass := range []bool{false, true} {
		var want []int
		for _, validation := range []float64{0, 0.1, 0.2, 0.7} {
			parts, err := Split{Train: 3, Test: 1, Validation: validation}.divide(strata(y, byClass), nil, false, rand.New(rand.NewPCG(7, 8)))
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = parts.test
			}
			if !slices.Equal(parts.test, want) {
				t.Errorf("by class %v, validation %v: test part %v, want %v", byClass, validation, parts.test, want)
			}
		}
	}
}

// TestShareIsClosest compares with all ways to take rows out of two strata.
func TestShareIsClosest(t *testing.T) {
	t.Parallel()
	for a := 1; a <= 12; a++ {
		for b := 1; b <= 12; b++ {
			for total := 0; total <= a+b-2; total++ {
				taken, err := share(total, []int{a, b})
				if err != nil {
					t.Fatal(err)
				}
				off := func(fromA int) float64 {
					return math.Abs(float64(fromA) - float64(total*a)/float64(a+b))
				}
				best := math.Inf(1)
				for fromA := max(0, total-(b-1)); fromA <= min(total, a-1); fromA++ {
					best = min(best, off(fromA))
				}
				if taken[0]+taken[1] != total || taken[0] > a-1 || taken[1] > b-1 || off(taken[0]) > best+1e-9 {
					t.Fatalf("share(%d, [%d %d]) = %v", total, a, b, taken)
				}
			}
			if _, err := share(a+b-1, []int{a, b}); err == nil {
				t.Fatalf("share(%d, [%d %d]) leaves a class without a row", a+b-1, a, b)
			}
		}
	}
}

// labels returns n labels with the given number of -1 at random places.
func labels(n, negative int, random *rand.Rand) []float64 {
	y := make([]float64, n)
	for i := range y {
		y[i] = 1
	}
	for _, i := range random.Perm(n)[:negative] {
		y[i] = -1
	}
	return y
}
