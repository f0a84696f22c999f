// Package report writes the report of a run: its figures, and its tables, laid out once as sheets
// of text, in several formats.
package report

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/agepath/agepath/experiment/choice"
	"github.com/agepath/agepath/internal/lists"
	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/figure"
	"github.com/agepath/agepath/results/layout"
)

// Report is the evaluation of a run's files, with figures, in every [Format].
type Report struct {
	*analysis.Run
	Figures []*figure.Figure
	LeftOut []string // names beyond the limit

	answer  *layout.Answer
	laidOut []section // see More
}

// Options are those of [Load] and [Write].
type Options struct {
	Formats []Format // nil for the first of Formats
	// Figures limits the figures: 0 for DefaultFigures, negative for none.
	Figures     int
	Compression results.Compression
	// Choose chooses points by their stored scores; "" for the cells' choices.
	Choose   choice.Rule
	Paper    bool
	Tests    analysis.Tests // zero for [analysis.DefaultTests]
	Version  string         // of the program, by which a report is fresh or not
	Progress analysis.Progress
}

// DefaultFigures limits the figures.
const DefaultFigures = 12

// Load makes the report of the files in dir, complete or not. Only cells.arrow is required, or a
// stream of cells of a run that has not ended.
func Load(ctx context.Context, dir string, options Options) (*Report, error) {
	r, err := load(ctx, dir, options)
	if err != nil {
		err = fmt.Errorf("report of %s: %w", dir, err)
	}
	return r, err
}

func load(ctx context.Context, dir string, options Options) (*Report, error) {
	run, err := analysis.Load(ctx, dir, analysis.Options{Choose: options.Choose, Paper: options.Paper, Tests: options.Tests, Progress: options.Progress})
	if err != nil {
		return nil, err
	}
	drawn, err := figure.Make(ctx, run, max(cmp.Or(options.Figures, DefaultFigures), 0), options.Progress.Tell)
	if err != nil {
		return nil, err
	}
	run.Missing = append(run.Missing, drawn.Missing...)
	return &Report{Run: run, Figures: drawn.Figures, LeftOut: drawn.LeftOut}, nil
}

func (r *Report) Answer() *layout.Answer {
	if r.answer == nil {
		r.answer = NewAnswer(r.Run)
	}
	return r.answer
}

// First returns the answer and the kind's first sections, which every format shows first.
func (r *Report) First() []section { //nolint:revive // exported for the page's template
	list := []section{{Title: "Answer", Name: "answer", Notes: r.Answer().Verdict, Sheets: r.Answer().Sheets}}
	if r.Own != nil {
		list = append(list, r.Own.First...)
	}
	return list
}

// Lead returns the figures after the verdict: the first score curve or else the first figure.
func (r *Report) Lead() []*figure.Figure {
	at := slices.IndexFunc(r.Figures, func(f *figure.Figure) bool { return f.Kind == figure.ScoreCurve })
	return r.Figures[max(at, 0):min(max(at, 0)+1, len(r.Figures))]
}

// Others returns the figures except for [Report.Lead].
func (r *Report) Others() []*figure.Figure {
	return slices.DeleteFunc(slices.Clone(r.Figures), func(f *figure.Figure) bool { return f == r.Lead()[0] })
}

func (r *Report) Sections() []section { //nolint:revive // exported for the page's template
	return append(r.First(), r.More()...)
}

// More lays the further sections out in the first call.
func (r *Report) More() []section { //nolint:revive // exported for the page's template
	if r.laidOut == nil {
		r.laidOut = r.layOut()
	}
	return r.laidOut
}

func (r *Report) layOut() []section {
	list := []section{}
	add := func(title, name string, sheets ...*sheet) {
		sheets = slices.DeleteFunc(sheets, func(s *sheet) bool { return s == nil })
		if len(sheets) > 0 {
			list = append(list, section{Title: title, Name: name, Sheets: sheets})
		}
	}
	var variants, values []*sheet
	for i, table := range r.Chosen {
		if table != r.Overall[i] {
			variants = append(variants, scoreSheet(table, table.Lead()))
		}
		if len(table.Parameters) > 0 && r.Selected == nil {
			values = append(values, scoreSheet(r.Tables[i], r.Tables[i].Lead()))
		}
	}
	if r.Layout.Variant != nil {
		add("Each "+r.Layout.VariantAspect().Name, "variants", variants...)
	}
	add("Each value of the parameters", "values", values...)
	add("Time", "time", hoursSheet(r.Times))
	if r.Ranking.Shows() {
		add("Over data sets", "ranks", rankSheet(r.Ranking))
	}
	add("Pairwise tests", "compared", lists.Map(analysis.Compare(r.Chosen), comparedSheet)...)
	for i := range list {
		list[i].Long = slices.Contains([]string{"variants", "values", "compared"}, list[i].Name)
	}
	if r.Own != nil {
		list = append(list, r.Own.Sections...)
	}
	if r.Data != nil {
		add("Data sets read", "readings", readingsSheet(r.Data.Readings))
		add("Data sets skipped", "skipped", absentSheet(r.Data.Absent))
	}
	return list
}
