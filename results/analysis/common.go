package analysis

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/agepath/agepath/experiment"
	"github.com/agepath/agepath/results/stats"
)

// Common holds the repeats by which one score of the methods of a row is compared: those in which
// every method has the score that has it in any repeat. With different repeats per method, means
// would also compare splits and favour a method that fails on the hard ones.
type Common struct {
	methods int     // with the score
	repeats []int64 // ascending
}

func (c *Common) Compares() bool { return c.methods > 1 && len(c.repeats) > 0 }

func (c *Common) Repeats() int { return len(c.repeats) }

func (c *Common) Methods() int { return c.methods }

func (r *ScoreRow) compare() {
	for score := range scores {
		c := &r.Common[score]
		for j := range r.Entries {
			have := RepeatsWith(r.Entries[j].Sample, score)
			if len(have) == 0 {
				continue
			}
			if c.methods++; c.methods == 1 {
				c.repeats = have
			} else {
				c.repeats = slices.DeleteFunc(c.repeats, func(repeat int64) bool {
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
		if _, there := slices.BinarySearch(c.repeats, e.Sample[i].Repeat); there {
			values = append(values, e.Sample[i].Score[score])
		}
	}
	return values
}

// Shown returns the summary over the common repeats, or over all if there are none.
func (r *ScoreRow) Shown(e *ScoreEntry, score Score) Summary {
	if len(r.Common[score].repeats) == 0 {
		return e.Summary[score]
	}
	return e.Compared[score]
}

// Rests returns the number of repeats of a row's means: "5", or "3 of 5".
func (r *ScoreRow) Rests(score Score) string {
	c := &r.Common[score]
	switch n := len(c.repeats); {
	case c.methods > 1 && n == 0:
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
	return fmt.Sprintf("%d of %d%s", n, of, e.Lost())
}

// Lost counts the incomplete and failed cells, after a semicolon; "" for none.
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
	if text := lostWords(incomplete, failed); text != "" {
		return "; " + text
	}
	return ""
}
