package analysis

import (
	"cmp"
	"math"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
)

// Metric is the unit of a cell's score, "" without a score.
type Metric string

const (
	RMSE     Metric = "rmse"     // lower is better
	MAE      Metric = "mae"      // lower is better
	Accuracy Metric = "accuracy" // higher is better
)

func (m Metric) better(a, b float64) bool {
	if m == Accuracy {
		return a > b
	}
	return a < b
}

func (m Metric) Word() string {
	switch m {
	case RMSE, MAE:
		return strings.ToUpper(string(m))
	case "":
		return "score"
	}
	return string(m)
}

func (m Metric) Direction() string {
	if m == Accuracy {
		return "higher is better"
	}
	return "lower is better"
}

// Score is a rule that chooses the age of a cell's test score, or a difference of two rules.
type Score int

const (
	TestAtBestValidation Score = iota // at the best validation score
	TestAtBestTest                    // at the best test score, as in the paper
	TestAtEnd                         // at the end of the path
	SelectionBias                     // TestAtBestTest over TestAtBestValidation; >= 0
	scores
)

// Scores lists every score in the order of reports.
var Scores = []Score{TestAtBestValidation, TestAtBestTest, TestAtEnd, SelectionBias}

var scoreNames = [scores]string{"test_at_best_validation", "test_at_best_test", "test_at_end", "selection_bias"}

// ScoreColumns hold the scores in cells.arrow.
var ScoreColumns = scoreNames[:SelectionBias]

func (s Score) String() string { return scoreNames[s] }

func (s Score) Head() string {
	return [...]string{"by validation", "by the oracle", "at the end", "selection bias"}[s]
}

func (s Score) Short(l *layout.Layout) string {
	return [...]string{l.Step.Word + " by validation", l.Step.Word + " by the oracle", cmp.Or(l.Step.End, "at the end of the path"), "selection bias"}[s]
}

// Summary summarizes a sample of scores.
type Summary struct {
	Mean float64 // NaN if N is 0
	Std  float64 // of n-1; NaN if N < 2
	N    int
}

// Summarize summarizes the finite values among xs.
func Summarize(xs []float64) Summary {
	finite := make([]float64, 0, len(xs))
	for _, x := range xs {
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			finite = append(finite, x)
		}
	}
	s := Summary{Mean: math.NaN(), Std: math.NaN(), N: len(finite)}
	switch {
	case s.N == 1:
		s.Mean = finite[0]
	case s.N > 1:
		s.Mean, s.Std = stat.MeanStdDev(finite, nil)
	}
	return s
}

// Cell shows the mean to the given decimals, with the deviation of several.
func (s Summary) Cell(places int) layout.SheetCell {
	cell := layout.NumberCell(s.Mean, places)
	if s.N > 1 {
		cell.Std = prose.Fixed(s.Std, places)
	}
	return cell
}
