package model

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/agepath/agepath/rehline"
)

// Folds splits n samples into k parts whose sizes differ by one at most, at random by the
// seed: parts[f] are the samples of part f in rising order. With classes, a label for each
// sample, the members of each class are spread over the parts evenly too, to within one
// (stratified). 2 <= k <= n. Errors: *InputError.
func Folds(n, k int, classes []float64, seed uint64) ([][]int, error) {
	if k < 2 || k > n {
		return nil, inputError("Folds: k", -1, rehline.ErrRange,
			"%d parts of %d samples; it is at least 2 and at most the samples", k, n)
	}
	if classes != nil && len(classes) != n {
		return nil, inputError("Folds: classes", -1, rehline.ErrShape,
			"%d labels for %d samples; it is nil or has one per sample", len(classes), n)
	}
	for i, c := range classes {
		if math.IsNaN(c) || math.IsInf(c, 0) {
			return nil, inputError("Folds: classes", i, rehline.ErrNotFinite, "%v", c)
		}
	}
	r := rand.New(rand.NewPCG(seed, 0x666f6c6473)) // a stream of its own for each seed
	order := r.Perm(n)
	if classes != nil {
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(classes[i], classes[j]) })
	}
	// Dealing the samples class by class gives each part its share of every
	// class and of all.
	deal := r.Perm(k)
	parts := make([][]int, k)
	for at, i := range order {
		f := deal[at%k]
		parts[f] = append(parts[f], i)
	}
	for _, part := range parts {
		slices.Sort(part)
	}
	return parts, nil
}

// without returns 0..n-1 but for the samples of one part, which rise.
func without(n int, part []int) []int {
	rest := make([]int, 0, n-len(part))
	for i := range n {
		if len(part) > 0 && part[0] == i {
			part = part[1:]
			continue
		}
		rest = append(rest, i)
	}
	return rest
}
