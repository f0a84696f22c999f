package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/prose"
)

// MaxRuns is the number of letters, which name runs.
const MaxRuns = 26

// Comparison shows 2 to [MaxRuns] runs compared with the first of them.
type Comparison struct {
	*analysis.RunComparison
}

func (t Text) WriteComparison(w io.Writer, c *Comparison) error {
	var b strings.Builder
	list := []section{{Title: "Runs", Sheets: []*sheet{c.runsSheet()}}}
	for i, p := range c.Pairs {
		list = append(list, c.pairSection(p, runLetter(i+1)))
	}
	for i, s := range list {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s\n%s\n\n", s.Title, strings.Repeat("=", len(s.Title)))
		t.writeSheets(&b, s.Sheets)
		writeNotes(&b, s.Notes)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func runLetter(i int) string { return string(rune('A' + i)) }

func (c *Comparison) pairSection(p *analysis.RunPair, other string) section {
	s := section{Title: other + " against A", Notes: slices.Clone(p.Notes)}
	s.Sheets = append(s.Sheets, countsSheet(p, other))
	if scores := scoreChangeSheets(p, other); len(scores) > 0 {
		s.Sheets = append(s.Sheets, scores...)
	} else if n := len(p.Scores); n > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("no score differs: %s compared, each of a method in a setting over its repeats.", prose.Plural(n, "score")))
	}
	n := &p.Numbers
	if len(n.Columns) > 0 {
		s.Sheets = append(s.Sheets, numbersSheet(p, c.Rounding))
	} else if n.Same > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("no number changed: all measures of %s are equal bit for bit.", prose.Plural(n.Same, "cell")))
	}
	if len(n.Cells) > 0 {
		s.Sheets = append(s.Sheets, changedSheet(n))
	}
	if len(p.Times) > 0 {
		s.Sheets = append(s.Sheets, timesSheet(p, other))
	}
	if len(p.Statuses) > 0 {
		s.Sheets = append(s.Sheets, statusSheet(p), failureChangesSheet(p))
	}
	return s
}
