package analysis

import (
	"cmp"
	"math"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/agepath/agepath/results/layout"
)

// Metric is what the score of a cell measures, as the metric column says it.
// It is "" for cells of which none was ever scored.
type Metric string

const (
	RMSE     Metric = "rmse"     // lower is better
	MAE      Metric = "mae"      // lower is better
	Accuracy Metric = "accuracy" // higher is better
)

// better reports whether score a beats b.
func (m Metric) better(a, b float64) bool {
	if m == Accuracy {
		return a > b
	}
	return a < b
}

// Word returns the metric as tables and axes name it.
func (m Metric) Word() string {
	switch m {
	case RMSE, MAE:
		return strings.ToUpper(string(m))
	case "":
		return "score"
	}
	return string(m)
}

// Direction says which scores are good.
func (m Metric) Direction() string {
	if m == Accuracy {
		return "higher is better"
	}
	return "lower is better"
}

// Score is one way to choose the age at which a cell is scored on the test
// part, or a difference of two of them.
type Score int

const (
	TestAtBestValidation Score = iota // the test score at the age with the best validation score, what a practitioner can have
	TestAtBestTest                    // the test score at the age with the best test score, what the paper reports
	TestAtEnd                         // the test score at the end of the path
	SelectionBias                     // how much better TestAtBestTest looks than TestAtBestValidation; >= 0
	scores                            // how many there are
)

// Scores lists every score in the order reports show them.
var Scores = []Score{TestAtBestValidation, TestAtBestTest, TestAtEnd, SelectionBias}

// scoreNames are the scores' names in files.
var scoreNames = [scores]string{"test_at_best_validation", "test_at_best_test", "test_at_end", "selection_bias"}

// ScoreColumns are the columns of cells.arrow that hold scores.
var ScoreColumns = scoreNames[:SelectionBias]

// String returns the score's name in files.
func (s Score) String() string { return scoreNames[s] }

// Head is the score's name at the top of a column.
func (s Score) Head() string {
	return [...]string{"by validation", "by the oracle", "at the end", "selection bias"}[s]
}

// Short says it in a few words, without a capital.
func (s Score) Short(l *layout.Layout) string {
	return [...]string{l.Step.Word + " by validation", l.Step.Word + " by the oracle", cmp.Or(l.Step.End, "at the end of the path"), "selection bias"}[s]
}

// Summary is a sample of scores in short.
type Summary struct {
	Mean float64 // NaN when N is 0
	Std  float64 // sample standard deviation (n-1), NaN when N < 2
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
