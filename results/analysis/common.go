package analysis

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agepath/agepath/experiment"
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

// Rests returns the number of repeats of a row's means: "5", or "3 of 5".
func (r *ScoreRow) Rests(score Score) string {
	c := &r.Common[score]
	switch n := len(c.Repeats); {
	case c.Methods > 1 && n == 0:
		return "none in common"
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

// RepeatCount counts the repeats of a method in a figure.
type RepeatCount struct {
	Label string
	N     int
	Of    int
	Cuts  []float64 // ages from which one repeat fewer counts
}

// Text returns "5", "3 of 5" or "5 (4 from λ=1.4 on)".
func (c *RepeatCount) Text() string {
	text := fmt.Sprint(c.N)
	if c.N < c.Of {
		text += fmt.Sprintf(" of %d", c.Of)
	}
	var cuts []string
	for i, age := range c.Cuts {
		if i+1 == len(c.Cuts) || c.Cuts[i+1] > age {
			cuts = append(cuts, fmt.Sprintf("%d from λ=%.3g on", c.N-i-1, age))
		}
	}
	if len(cuts) > 0 {
		text += " (" + strings.Join(cuts, ", ") + ")"
	}
	return text
}

// RepeatCounts states the repeats of several methods.
func RepeatCounts(counts []RepeatCount) string {
	parts := make([]string, len(counts))
	same := true
	for i, c := range counts {
		parts[i] = c.Label + " " + c.Text()
		same = same && c.Text() == counts[0].Text()
	}
	if same && counts[0].Text() == "1" {
		return "1 repeat"
	}
	if same {
		return counts[0].Text() + " repeats"
	}
	return "repeats (" + strings.Join(parts, ", ") + ")"
}
