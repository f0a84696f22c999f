package report

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/prose"
)

// MaxRuns is the largest number of runs of a comparison: they are named by letters.
const MaxRuns = 26

// Comparison compares runs with the first of them. Every format writes the same
// comparison; MarshalJSON returns the object of docs/schemas/compare.json.
type Comparison struct {
	*analysis.RunComparison
	laidOut []section // see Sections
}

// Compare compares the runs in folders, 2 to [MaxRuns], with the first of them.
func Compare(ctx context.Context, dirs []string, options analysis.CompareOptions) (*Comparison, error) {
	runs, err := analysis.CompareRuns(ctx, dirs, options)
	if err != nil {
		return nil, err
	}
	return &Comparison{RunComparison: runs}, nil
}

// ComparisonFormats lists the formats of the files of a comparison, the default
// first.
var ComparisonFormats = []FormatOf[Comparison]{
	{Name: "markdown", Files: []FileOf[Comparison]{{Name: "compare.md", Write: func(w io.Writer, c *Comparison) error {
		return writeMarkdownOf(w, c, "compare.md", "the format csv has all")
	}}}},
	{Name: "csv", Files: comparisonFiles},
}

// ComparisonFormatNamed returns the format of the given name, or an error that lists
// the names.
func ComparisonFormatNamed(name string) (FormatOf[Comparison], error) {
	return formatNamed(ComparisonFormats, name)
}

// Write writes the files of the formats to a folder, which is made.
func (c *Comparison) Write(folder string, formats []FormatOf[Comparison]) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("writing the comparison: %w", err)
	}
	for _, format := range formats {
		for _, file := range format.Files {
			if err := writeFile(c, folder, file); err != nil {
				return fmt.Errorf("writing the comparison as %s: %w", format.Name, err)
			}
		}
	}
	return nil
}

// WriteComparison writes a comparison as aligned text in a width of 110.
func (t Text) WriteComparison(w io.Writer, c *Comparison) error {
	var b strings.Builder
	for i, s := range c.Sections() {
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

// runLetter names a run.
func runLetter(i int) string { return string(rune('A' + i)) }

// Sections lays the tables of a comparison out when first asked.
func (c *Comparison) Sections() []section { //nolint:revive // exported for the page's template
	if c.laidOut == nil {
		c.laidOut = []section{{Title: "Runs", Name: "runs", Sheets: []*sheet{c.runsSheet()}}}
		for i, p := range c.Pairs {
			c.laidOut = append(c.laidOut, c.pairSection(p, runLetter(i+1)))
		}
	}
	return c.laidOut
}

func (c *Comparison) pairSection(p *analysis.RunPair, other string) section {
	s := section{Title: other + " against A", Name: prose.Slug(other), Notes: slices.Clone(p.Notes)}
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

// comparisonFiles are the files of the format csv. Every line names the folders that
// it compares.
var comparisonFiles = []FileOf[Comparison]{
	pairFile("compare-cells.csv", plainHead("method", "shared", "counterparts", "only_baseline", "only_other"),
		func(p *analysis.RunPair, add func(...any)) {
			for _, n := range p.Cells {
				add(n.Method, n.Shared, n.Counterparts, n.OnlyBaseline, n.OnlyOther)
			}
		}),
	pairFile("compare-scores.csv", withSetting([]string{"metric"}, "score", "method", "pairs", "baseline_mean", "other_mean", "better", "worse",
		"zeros", "shift", "shift_low", "shift_high", "rank_biserial", "rank_biserial_low", "rank_biserial_high", "p", "p_holm", "exact"),
		func(p *analysis.RunPair, add func(...any)) {
			for i := range p.Scores {
				s := &p.Scores[i]
				e := effectOf(s)
				add(s.Metric, p.Layout.Fields(s.Setting), s.Score, s.Method, s.Pairs(), s.Baseline.Mean, s.Other.Mean, s.Better, s.Worse,
					s.Test.Zeros, e.Shift, e.ShiftRange.Low, e.ShiftRange.High,
					e.RankBiserial, e.RankBiserialRange.Low, e.RankBiserialRange.High, s.Test.P, s.Adjusted, s.Test.Exact)
			}
		}),
	pairFile("compare-numbers.csv", plainHead("method", "column", "cells", "within_rounding", "beyond_rounding", "farthest", "cell", "baseline_value", "other_value"),
		func(p *analysis.RunPair, add func(...any)) {
			for _, n := range p.Numbers.Columns {
				far := n.Farthest
				add(n.Method, n.Column, n.Cells, n.Rounding, n.Beyond, far.Distance, far.Cell, far.Baseline, far.Other)
			}
		}),
	pairFile("compare-times.csv", plainHead(slices.Concat([]string{"method", "column", "cells", "baseline_seconds", "other_seconds", "geometric_mean"}, quantileNames())...),
		func(p *analysis.RunPair, add func(...any)) {
			for _, t := range p.Times {
				line := []any{t.Method, t.Column, t.Cells, t.Baseline, t.Other, t.Mean}
				for _, q := range t.Quantiles {
					line = append(line, q)
				}
				add(line...)
			}
		}),
	pairFile("compare-failures.csv", plainHead("baseline_status", "other_status", "cells"),
		func(p *analysis.RunPair, add func(...any)) {
			for _, s := range p.Statuses {
				add(s.Baseline, s.Other, s.Cells)
			}
		}),
}

// pairFile is a file of lines about pairs of runs.
func pairFile(name string, names head, lines func(p *analysis.RunPair, add func(...any))) FileOf[Comparison] {
	head := func(c *Comparison) []string { return append([]string{"baseline", "other"}, names(c.Layout)...) }
	return csvFile(name, head, func(out *results.CSV, c *Comparison) {
		for _, p := range c.Pairs {
			lines(p, func(values ...any) { out.Add(append([]any{p.Baseline.Dir, p.Other.Dir}, values...)...) })
		}
	}, nil)
}

// quantileNames are the columns of the quantiles of times.
func quantileNames() []string {
	var names []string
	for _, p := range analysis.TimeQuantiles {
		names = append(names, fmt.Sprintf("quantile_%g", p))
	}
	return names
}
