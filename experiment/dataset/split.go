package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Split divides rows at random. Train and Test are proportions: 3 and 1 put a quarter into the test
// part, which does not depend on Validation, the fraction in [0, 1) of training held out to choose
// the age. Test and validation are rounded up, as in scikit-learn's train_test_split.
type Split struct {
	Train, Test float64
	Validation  float64
}

type division struct{ train, validation, test []int }

func (s Split) sizes(n int) (train, validation, test int) {
	// The factor undoes rounding above an integer.
	up := func(x float64) int { return int(math.Ceil(x * (1 - 1e-12))) }
	test = up(float64(n) * (s.Test / (s.Train + s.Test)))
	validation = up(float64(n-test) * s.Validation)
	return n - test - validation, validation, test
}

func (s Split) check(n int) error {
	for _, part := range []struct {
		name  string
		value float64
	}{{"train", s.Train}, {"test", s.Test}} {
		if !(part.value > 0) || math.IsInf(part.value, 0) {
			return fmt.Errorf("split: %s is %v, it must be above 0", part.name, part.value)
		}
	}
	if !(s.Validation >= 0 && s.Validation < 1) {
		return fmt.Errorf("split: validation is %v, it must be at least 0 and below 1", s.Validation)
	}
	train, validation, test := s.sizes(n)
	if train < 2 || test < 1 {
		return fmt.Errorf("split: %d rows give %d for training, %d for validation and %d for testing; "+
			"at least 2 for training and 1 for testing are needed", n, train, validation, test)
	}
	return nil
}

// divide keeps a training row of each stratum.
func (s Split) divide(strata [][]int, random *rand.Rand) (division, error) {
	n := 0
	for _, rows := range strata {
		n += len(rows)
	}
	_, validation, test := s.sizes(n)
	room := make([]int, len(strata))
	for i, rows := range strata {
		room[i] = len(rows)
	}
	inTest, err := share(test, room)
	if err != nil {
		return division{}, fmt.Errorf("split: test part: %w", err)
	}
	for i := range room {
		room[i] -= inTest[i]
	}
	inValidation, err := share(validation, room)
	if err != nil {
		return division{}, fmt.Errorf("split: validation part: %w", err)
	}
	var parts division
	for i, rows := range strata {
		order := random.Perm(len(rows))
		for k, j := range order {
			switch row := rows[j]; {
			case k < inTest[i]:
				parts.test = append(parts.test, row)
			case k < inTest[i]+inValidation[i]:
				parts.validation = append(parts.validation, row)
			default:
				parts.train = append(parts.train, row)
			}
		}
	}
	slices.Sort(parts.train)
	slices.Sort(parts.validation)
	slices.Sort(parts.test)
	return parts, nil
}

// share takes total rows in proportion to sizes (largest remainder, ties to the earlier) and leaves
// at least one each.
func share(total int, sizes []int) ([]int, error) {
	n, room := 0, 0
	for _, size := range sizes {
		n += size
		room += max(size-1, 0)
	}
	if total > room {
		return nil, fmt.Errorf("%d of %d rows cannot be taken so that every class keeps one", total, n)
	}
	taken := make([]int, len(sizes))
	rest := make([]int, len(sizes)) // remainders in units of 1/n
	left := total
	for i, size := range sizes {
		taken[i] = min(total*size/n, max(size-1, 0))
		rest[i] = total*size - taken[i]*n
		left -= taken[i]
	}
	for ; left > 0; left-- {
		best := -1
		for i, size := range sizes {
			if taken[i] < size-1 && (best < 0 || rest[i] > rest[best]) {
				best = i
			}
		}
		taken[best]++
		rest[best] -= n
	}
	return taken, nil
}

func count(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// strata groups rows by class, -1 first, or all together.
func strata(y []float64, byClass bool) [][]int {
	if !byClass {
		return [][]int{count(len(y))}
	}
	groups := make([][]int, 2)
	for i, label := range y {
		class := 0
		if label > 0 {
			class = 1
		}
		groups[class] = append(groups[class], i)
	}
	return groups
}
