package metric

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/internal/lists"
)

// Thresholds of [Far].
const (
	farDeviation = 8   // ratio of the two standard deviations; lognormal errors have about 6
	nearFit      = 0.2 // R² of the near rows; without it a model may fit a tie of the targets and nothing else
	farOctave    = 1.5 // rows in some octave of the errors, relative to those from 4 to 8 deviations
)

// Far estimates the share of rows that are far from a model which fits the others: [Contaminated],
// where they are another kind of rows and no tail; else 0. Then the standard deviations differ much,
// the model explains some of the variance of the near rows, and some octave far out has more rows
// than the one where the near rows end, which is not so of skewed or heavy-tailed errors.
func Far(predicted, y []float64) float64 {
	share := Contaminated(predicted, y)
	if share == 0 {
		return 0
	}
	squares := (&Rows{Y: y, Predicted: predicted}).fill(squared)
	variance, explained := explainsNear(y, squares, 1-share)
	var octaves [64]float64 // rows by error, the k-th up to 2^k standard deviations
	for _, s := range squares {
		octaves[int(min(max(math.Ceil(math.Log2(s/variance)/2), 0), 63))]++
	}
	if two := fitMixture(squares); two.wide < farDeviation*farDeviation*two.narrow || !explained || slices.Max(octaves[4:]) < farOctave*octaves[3] {
		return 0
	}
	return share
}

// explainsNear returns the variance of a share of the errors, the smallest, and whether the model
// explains [nearFit] of that of their rows' targets.
func explainsNear(y, squares []float64, share float64) (variance float64, explained bool) {
	order := dataset.Indices(len(y))
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(squares[a], squares[b]) })
	near := order[:max(1, int(math.Round(share*float64(len(y)))))]
	variance = math.SmallestNonzeroFloat64 // the errors may all be 0
	for _, i := range near {
		variance += squares[i] / float64(len(near))
	}
	targets := lists.Map(near, func(i int) float64 { return y[i] })
	return variance, variance <= (1-nearFit)*stat.PopVariance(targets, nil)
}

// Shares are those of the largest errors that [Without] leaves out.
var Shares = [...]float64{0.1, 0.2, 0.3, 0.4, 0.5}

// WithoutColumns are the measures with the results of [Without].
func WithoutColumns() (names []string) {
	for _, share := range Shares {
		names = append(names, fmt.Sprintf("test_rmse_without_%.0f", 100*share))
	}
	return names
}

// Without returns the RMSE without each of [Shares], NaN for no rows.
func Without(predicted, y []float64) (list [len(Shares)]float64) {
	r := Rows{Y: y, Predicted: predicted}
	for k := range list {
		if r.Trimmed = Shares[k]; len(y) == 0 {
			list[k] = math.NaN()
			continue
		}
		list[k], _ = rmse(&r)
	}
	return list
}

// Thresholds of [Disturbed], with the least regret on one half of the data sets of
// docs/choosing-an-age.md and judged on the other.
const (
	wideTail       = 6    // ratio of standard deviations that errors of one kind rarely exceed
	grossErrors    = 20   // and one that no tail has of a model that fits the others
	leastExplained = 0.2  // of the variance of the far rows' errors
	mostOutlying   = 0.5  // of the far rows
	outlyingLevel  = 0.95 // quantile of the near rows' distances
)

// Disturbed reports whether the largest errors of the model that a robust scale chooses are those of
// contaminated rows: they are far from the others, and the model that the RMSE chooses explains little
// of their differences, of which it explains more in a tail of skewed or tied targets, or most of these
// rows have outlying features. x has the n × d features of the rows.
func Disturbed(y, robust, plain, x []float64) bool {
	squares := (&Rows{Y: y, Predicted: robust}).fill(squared)
	two := fitMixture(squares)
	switch ratio := two.wide / two.narrow; {
	case !(ratio >= wideTail*wideTail):
		return false
	case ratio >= grossErrors*grossErrors:
		if _, explained := explainsNear(y, squares, two.share); explained {
			return true
		}
	}
	far, before, after := make([]float64, len(y)), make([]float64, len(y)), make([]float64, len(y))
	odds := two.odds()
	for i, square := range squares {
		far[i] = 1 / (1 + math.Exp(odds(square)))
		before[i], after[i] = robust[i]-y[i], plain[i]-y[i]
	}
	return outlying(x, far) >= mostOutlying ||
		stat.PopVariance(after, far) > (1-leastExplained)*stat.PopVariance(before, far)
}

// outlying is the share of the far rows beyond most near rows, by the distance from the medians of
// the features in units of their median absolute deviations.
func outlying(x, far []float64) (share float64) {
	n, d := len(far), len(x)/len(far)
	distances, column := make([]float64, n), make([]float64, n)
	for j := range d {
		for i := range n {
			column[i] = x[i*d+j]
		}
		middle, deviation := dataset.MedianOf(slices.Clone(column)), stat.PopStdDev(column, nil)
		for i := range n {
			column[i] = math.Abs(column[i] - middle)
		}
		if robust := dataset.MedianOf(slices.Clone(column)); robust > 0 {
			deviation = 1.4826 * robust
		}
		for i, c := range column {
			if deviation > 0 {
				distances[i] += math.Pow(math.Min(c/deviation, 1e6), 2)
			}
		}
	}
	var near []float64
	all := 0.0
	for i, f := range far {
		if all += f; f < 0.5 {
			near = append(near, distances[i])
		}
	}
	if len(near) < 2 {
		return 0
	}
	slices.Sort(near)
	limit := stat.Quantile(outlyingLevel, stat.LinInterp, near, nil)
	for i, f := range far {
		if distances[i] > limit {
			share += f / all
		}
	}
	return share
}
