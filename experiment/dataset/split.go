package dataset

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Split divides rows at random. Train and Test are proportions: 3 and 1 put a quarter into the test
// part, which does not depend on Validation, the fraction in [0, 1) of training held out to choose
// the age. Test and validation are rounded up, as in scikit-learn's train_test_split.
//
// An Own split has the parts of [Options.Parts], and the shares of [Dataset.OwnSplit].
type Split struct {
	Train, Test float64
	Validation  float64
	Own         bool
}

type division struct{ train, validation, test []int }

// sizes are those of n rows, of which some may be tested.
func (s Split) sizes(n, tested int) (train, validation, test int) {
	// The factor undoes rounding above an integer.
	up := func(x float64) int { return int(math.Ceil(x * (1 - 1e-12))) }
	test = up(float64(tested) * (s.Test / (s.Train + s.Test)))
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
	if s.Own {
		return nil
	}
	return s.enough(s.sizes(n, n))
}

func (s Split) enough(train, validation, test int) error {
	if n := train + validation + test; train < 2 || test < 1 {
		return fmt.Errorf("split: %d rows give %d for training, %d for validation and %d for testing; "+
			"at least 2 for training and 1 for testing are needed", n, train, validation, test)
	}
	return nil
}

// divide keeps a training row of each stratum. Rows may be tested if they are clean, where this
// counts. Own parts leave only rows for training in the strata, from which a validation part is
// drawn if there is none.
func (s Split) divide(strata [][]int, uses []use, clean bool, random *rand.Rand) (division, error) {
	var parts division
	soiled := func(row int) bool { return clean && !uses[row].clean }
	testable := func(rows []int) []int { return slices.DeleteFunc(slices.Clone(rows), soiled) }
	if s.Own {
		for i, rows := range strata {
			strata[i] = slices.DeleteFunc(rows, func(row int) bool {
				switch part := uses[row].part; {
				case part == validationPart:
					parts.validation = append(parts.validation, row)
				case part == testPart && !soiled(row):
					parts.test = append(parts.test, row)
				}
				return uses[row].part != trainPart
			})
		}
		if len(parts.validation) > 0 {
			s.Validation = 0
		}
	}
	// Count what is drawn from each stratum.
	n, tested, room := 0, 0, make([]int, len(strata))
	for i, rows := range strata {
		n += len(rows)
		if !s.Own {
			room[i] = len(testable(rows))
			tested += room[i]
		}
	}
	_, validation, test := s.sizes(n, tested)
	inTest, err := share(test, room)
	if err != nil {
		return division{}, fmt.Errorf("split: test part: %w", err)
	}
	for i, rows := range strata {
		room[i] = len(rows) - inTest[i]
	}
	inValidation, err := share(validation, room)
	if err != nil {
		return division{}, fmt.Errorf("split: validation part: %w", err)
	}
	// Draw it.
	for i, rows := range strata {
		order := choose(rows, random.Perm(len(rows)))
		if clean && !s.Own { // the rest is drawn again, for it begins with the others
			order = append(testable(order), slices.DeleteFunc(order, func(row int) bool { return !soiled(row) })...)
			rest := order[inTest[i]:]
			random.Shuffle(len(rest), func(a, b int) { rest[a], rest[b] = rest[b], rest[a] })
		}
		parts.test = append(parts.test, order[:inTest[i]]...)
		parts.validation = append(parts.validation, order[inTest[i]:][:inValidation[i]]...)
		parts.train = append(parts.train, order[inTest[i]+inValidation[i]:]...)
	}
	if clean && len(parts.test) == 0 {
		return division{}, errors.New("split: no row for testing is known to be clean; values of clean name what marks clean rows")
	}
	slices.Sort(parts.train)
	slices.Sort(parts.validation)
	slices.Sort(parts.test)
	return parts, s.enough(len(parts.train), len(parts.validation), len(parts.test))
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
		if total == 0 {
			break
		}
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

// Indices returns 0 to n-1.
func Indices(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// Positives counts the labels of the class +1.
func Positives(y []float64) (n int) {
	for _, label := range y {
		if label > 0 {
			n++
		}
	}
	return n
}

// strata groups rows by class, -1 first, or all together.
func strata(y []float64, byClass bool) [][]int {
	if !byClass {
		return [][]int{Indices(len(y))}
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
