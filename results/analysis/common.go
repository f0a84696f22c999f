package analysis

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/experiment/metric"
	"github.com/agepath/agepath/results/layout"
	"github.com/agepath/agepath/results/prose"
	"github.com/agepath/agepath/results/stats"
)

// Common holds the repeats by which one score of the methods of a row is compared: those in which
// every method has the score that has it in any repeat. With different repeats per method, means
// would also compare splits and favour a method that fails on the hard ones.
type Common struct {
	Methods int     // with the score
	Repeats []int64 // ascending
}

func (c *Common) Compares() bool { return c.Methods > 1 && len(c.Repeats) > 0 }

func (r *ScoreRow) compare() {
	for score := range scores {
		c := &r.Common[score]
		for j := range r.Entries {
			have := RepeatsWith(r.Entries[j].Sample, score)
			if len(have) == 0 {
				continue
			}
			if c.Methods++; c.Methods == 1 {
				c.Repeats = have
			} else {
				c.Repeats = slices.DeleteFunc(c.Repeats, func(repeat int64) bool {
					_, there := slices.BinarySearch(have, repeat)
					return !there
				})
			}
		}
		for j := range r.Entries {
			r.Entries[j].Compared[score] = Summarize(r.Entries[j].within(c, score))
		}
		if r.Floor != nil {
			r.Floor.Compared[score] = Summarize(r.Floor.within(c, score))
		}
	}
}

// RepeatsWith returns the repeats with a finite score, ascending.
func RepeatsWith(sample []RepeatScore, score Score) []int64 {
	var repeats []int64
	for i := range sample {
		if stats.Finite(sample[i].Score[score]) {
			repeats = append(repeats, sample[i].Repeat)
		}
	}
	return slices.Compact(repeats)
}

func (e *ScoreEntry) within(c *Common, score Score) []float64 {
	var values []float64
	for i := range e.Sample {
		if _, there := slices.BinarySearch(c.Repeats, e.Sample[i].Repeat); there {
			values = append(values, e.Sample[i].Score[score])
		}
	}
	return values
}

// Shown returns the summary over the common repeats, or over all if there are none.
func (r *ScoreRow) Shown(e *ScoreEntry, score Score) Summary {
	if len(r.Common[score].Repeats) == 0 {
		return e.Summary[score]
	}
	return e.Compared[score]
}

// NoneCommon is what [ScoreRow.Rests] returns if the methods share no repeat.
const NoneCommon = "none in common"

// Rests returns the number of repeats of a row's means: "5", or "3 of 5".
func (r *ScoreRow) Rests(score Score) string {
	c := &r.Common[score]
	switch n := len(c.Repeats); {
	case c.Methods > 1 && n == 0:
		return NoneCommon
	case n < r.Repeats:
		return fmt.Sprintf("%d of %d", n, r.Repeats)
	}
	return strconv.Itoa(r.Repeats)
}

// Repeats returns the number of repeats with a score, and the fate of the others: "5", or "2 of 5;
// 2 incomplete, 1 failed".
func (e *ScoreEntry) Repeats(of int, score Score) string {
	n := len(RepeatsWith(e.Sample, score))
	if n >= of {
		return strconv.Itoa(n)
	}
	words := fmt.Sprintf("%d of %d", n, of)
	if lost := e.Lost(); lost != "" {
		words += "; " + lost
	}
	return words
}

// Lost counts the incomplete and failed cells; "" for none.
func (e *ScoreEntry) Lost() string {
	incomplete, failed := 0, 0
	for i := range e.Sample {
		switch status := e.Sample[i].Status; {
		case status == experiment.Incomplete:
			incomplete++
		case status.Failed():
			failed++
		}
	}
	var parts []string
	if incomplete > 0 {
		parts = append(parts, fmt.Sprintf("%d incomplete", incomplete))
	}
	if failed > 0 {
		parts = append(parts, fmt.Sprintf("%d failed", failed))
	}
	return strings.Join(parts, ", ")
}

// Metric is the unit of a cell's score, "" without a score.
type Metric = metric.Name

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
	finite := slices.DeleteFunc(slices.Clone(xs), func(x float64) bool { return !stats.Finite(x) })
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
