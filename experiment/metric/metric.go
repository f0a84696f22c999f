// Package metric declares the scores of predictions, each once: columns, bounds, words and docs come
// from here.
package metric

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/integrate"
	"gonum.org/v1/gonum/stat"

	"github.com/agepath/agepath/experiment/choice"
	"github.com/agepath/agepath/experiment/dataset"
	"github.com/agepath/agepath/internal/kernel"
	"github.com/agepath/agepath/internal/lists"
)

// Name is a metric's name in grids and results; "" is none.
type Name string

// Names of metrics that other packages choose as defaults.
const (
	RMSE             Name = "rmse"
	MAE              Name = "mae"
	Accuracy         Name = "accuracy"
	BalancedAccuracy Name = "balanced-accuracy"
	LogLoss          Name = "log-loss"
)

// Metric declares a score. A metric whose numbers change gets another name: columns keep their meaning.
type Metric struct {
	Name     Name
	Task     dataset.Task
	Word     string // for readers; in capitals if it begins with one
	Higher   bool   // is better
	InTarget bool   // in the unit of the target
	Min, Max float64
	Doc      string // of its column
	// Score also estimates the standard error; both are NaN where the score is undefined.
	Score func(r *Rows) (score, deviation float64)
	// Final is not for the choice of an age: it needs an age that is chosen.
	Final bool
	// Varying metrics are undefined for targets that are all equal.
	Varying bool
	Since   int // schema version that brought the column
}

var inf = math.Inf(1)

// All has the metrics in the order of columns.
var All = []Metric{
	{Name: RMSE, Task: dataset.Regression, Word: "RMSE", InTarget: true, Max: inf, Score: rmse, Since: 12, Doc: "root of the mean squared error"},
	{Name: MAE, Task: dataset.Regression, Word: "MAE", InTarget: true, Max: inf, Score: mae, Since: 12, Doc: "mean absolute error"},
	{Name: "median-absolute-error", Task: dataset.Regression, Word: "median absolute error", InTarget: true, Max: inf, Score: medianAbsolute, Since: 12, Doc: "median absolute error"},
	{Name: "r2", Task: dataset.Regression, Word: "R²", Higher: true, Min: -inf, Max: 1, Score: r2, Varying: true, Since: 12, Doc: "coefficient of determination R², 1 - MSE / variance of the targets; null where these are all equal"},
	{Name: "trimmed-rmse", Task: dataset.Regression, Word: "trimmed RMSE", InTarget: true, Max: inf, Score: trimmedRMSE, Final: true, Since: 12, Doc: "RMSE without the share of the largest errors that validation_outliers and twice its standard error is, for test rows that may be contaminated; null without a validation part"},
	{Name: Accuracy, Task: dataset.Classification, Word: "accuracy", Higher: true, Max: 1, Score: accuracy, Since: 12, Doc: "share of right classes"},
	{Name: BalancedAccuracy, Task: dataset.Classification, Word: "balanced accuracy", Higher: true, Max: 1, Score: byCounts(balanced), Since: 12, Doc: "mean over the classes of the share of a class's rows that are right"},
	{Name: "f1", Task: dataset.Classification, Word: "F1", Higher: true, Max: 1, Score: byCounts(f1), Since: 12, Doc: "F1 of the class with fewer test rows, of class 1 if equal: 2 TP / (2 TP + FP + FN), 0 without any of these"},
	{Name: "mcc", Task: dataset.Classification, Word: "MCC", Higher: true, Min: -1, Max: 1, Score: byCounts(mcc), Since: 12, Doc: "Matthews' correlation coefficient of classes and predicted classes, 0 if one of these is constant"},
	{Name: "auc", Task: dataset.Classification, Word: "AUC", Higher: true, Max: 1, Score: auc, Varying: true, Since: 12, Doc: "area under the ROC curve of the decision values: the share of pairs of both classes in the right order, ties half; null where the rows have one class"},
	{Name: LogLoss, Task: dataset.Classification, Word: "log loss", Max: inf, Score: logLoss, Since: 12, Doc: "mean of -log p of the right class, p = 1/(1 + exp(-decision value)); null for all but logistic regression and the constant"},
}

// Of returns the declaration of a name; of an unknown one, lower is better.
func (n Name) Of() Metric {
	if i := slices.IndexFunc(All, func(m Metric) bool { return m.Name == n }); i >= 0 {
		return All[i]
	}
	return Metric{Name: n, Word: string(n), Min: -inf, Max: inf}
}

// Column returns the measure with the metric of the chosen model on the test part.
func (m *Metric) Column() string { return "test_" + strings.ReplaceAll(string(m.Name), "-", "_") }

// Better compares two scores.
func (n Name) Better(a, b float64) bool {
	if n.Of().Higher {
		return a > b
	}
	return a < b
}

// Word returns the metric for readers, "score" for none.
func (n Name) Word() string {
	if n == "" {
		return "score"
	}
	return n.Of().Word
}

func (n Name) Direction() string {
	if n.Of().Higher {
		return "higher is better"
	}
	return "lower is better"
}

// List describes the metrics that scores can be.
func List() string {
	return strings.Join(lists.Map(Choosing(), func(name Name) string {
		return fmt.Sprintf("%s (%s, %s)", name, name.Of().Task, name.Direction())
	}), ", ")
}

// Choosing lists the metrics that grids can choose by.
func Choosing() (names []Name) {
	for _, m := range All {
		if !m.Final {
			names = append(names, m.Name)
		}
	}
	return names
}

// First is the metric of a task without another: every worker computes it.
func First(task dataset.Task, protocol dataset.Protocol) Name {
	switch {
	case task == dataset.Classification:
		return Accuracy
	case protocol == dataset.Scripts:
		return MAE
	}
	return RMSE
}

// rareShare is the share of rows below which a class makes accuracy a poor score.
const rareShare = 1.0 / 3

// Default is the balanced accuracy where the rarer class of y has under a third of the rows, under
// the protocol held-out, else [First].
func Default(task dataset.Task, protocol dataset.Protocol, y []float64) Name {
	if task == dataset.Classification && protocol == dataset.HeldOut {
		positive := dataset.Positives(y)
		if float64(min(positive, len(y)-positive)) < rareShare*float64(len(y)) {
			return BalancedAccuracy
		}
	}
	return First(task, protocol)
}

func rmse(r *Rows) (score, deviation float64) {
	score, deviation = r.average(squared)
	if r.Trimmed == choice.Auto {
		return score, deviation
	}
	score = math.Sqrt(score)
	if score > 0 {
		deviation /= 2 * score // of the root, to first order
	}
	return score, deviation
}

func trimmedRMSE(r *Rows) (score, deviation float64) {
	if math.IsNaN(r.Outliers) {
		return math.NaN(), math.NaN()
	}
	of := *r
	of.Trimmed = r.Outliers
	return rmse(&of)
}

func mae(r *Rows) (score, deviation float64) { return r.average(absolute) }

func accuracy(r *Rows) (score, deviation float64) { return r.average(right) }

// medianAbsolute needs no trimming unless a share is given. The standard error is that of the rank, √n/2,
// by the distance of ranks on both sides.
func medianAbsolute(r *Rows) (score, deviation float64) {
	errors := r.fill(absolute)
	slices.Sort(errors)
	n := len(errors) - int(math.Max(r.Trimmed, 0)*float64(len(errors)))
	error := math.Sqrt(float64(n)) / 2
	low, high := max((n-1)/2-int(error), 0), min(n/2+int(error), n-1)
	return errors[(n-1)/2]/2 + errors[n/2]/2, error * (errors[high] - errors[low]) / float64(max(high-low, 1))
}

func r2(r *Rows) (score, deviation float64) {
	score, deviation = rmse(r)
	variance := stat.MomentAbout(2, r.Y, kernel.Sum(r.Y)/float64(len(r.Y)), nil)
	if variance == 0 {
		return math.NaN(), math.NaN()
	}
	return 1 - score*score/variance, 2 * score * deviation / variance
}

func logLoss(r *Rows) (score, deviation float64) {
	if !r.Probable {
		return math.NaN(), math.NaN()
	}
	return r.average(func(u, y float64) float64 {
		against := -u * y
		return math.Max(against, 0) + math.Log1p(kernel.Exp(-math.Abs(against)))
	})
}

// byCounts returns a score of the rows of the rarer class that are right and wrong, and of those of the
// other, with the standard error by the jackknife.
func byCounts(of func(hits, misses, rejected, alarms float64) float64) func(*Rows) (score, deviation float64) {
	return func(r *Rows) (score, deviation float64) {
		var counts [4]float64
		for i, u := range r.Predicted {
			k := 1 - int(right(u, r.Y[i]))
			if r.Y[i] != r.Rarer {
				k += 2
			}
			counts[k]++
		}
		score = of(counts[0], counts[1], counts[2], counts[3])
		n, mean, squares := float64(len(r.Y)), 0.0, 0.0
		for k, rows := range counts {
			without := counts
			if without[k]--; rows > 0 && n > 1 {
				change := of(without[0], without[1], without[2], without[3]) - score
				mean += rows / n * change
				squares += rows / n * change * change
			}
		}
		return score, math.Sqrt((n - 1) * math.Max(squares-mean*mean, 0))
	}
}

// balanced is the mean over the classes that there are.
func balanced(hits, misses, rejected, alarms float64) float64 {
	classes := math.Min(hits+misses, 1) + math.Min(rejected+alarms, 1)
	return (ratio(hits, hits+misses) + ratio(rejected, rejected+alarms)) / classes
}

func f1(hits, misses, _, alarms float64) float64 { return ratio(2*hits, 2*hits+misses+alarms) }

func mcc(hits, misses, rejected, alarms float64) float64 {
	predicted, classes := (hits+alarms)*(misses+rejected), (hits+misses)*(rejected+alarms)
	return ratio(hits*rejected-misses*alarms, math.Sqrt(predicted*classes))
}

// ratio is 0 over 0.
func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// auc has the standard error of Hanley and McNeil (1982), for exponential decision values.
func auc(r *Rows) (score, deviation float64) {
	values, classes := slices.Clone(r.Predicted), make([]bool, len(r.Y))
	positive := 0.0
	for i, y := range r.Y {
		if classes[i] = y > 0; classes[i] {
			positive++
		}
	}
	negative := float64(len(r.Y)) - positive
	stat.SortWeightedLabeled(values, classes, nil)
	right, wrong, _ := stat.ROC(nil, values, classes, nil)
	a := integrate.Trapezoidal(wrong, right)
	variance := a*(1-a) + (positive-1)*(a/(2-a)-a*a) + (negative-1)*(2*a*a/(1+a)-a*a)
	return a, math.Sqrt(math.Max(variance, 0) / positive / negative)
}
