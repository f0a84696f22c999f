package report

import (
	"context"
	"fmt"

	"github.com/agepath/agepath/results"
	"github.com/agepath/agepath/results/analysis"
	"github.com/agepath/agepath/results/figure"
)

// Report is what the files of a run say, with figures of it. Every [Format]
// writes the same report.
type Report struct {
	*analysis.Run
	Figures []*figure.Figure
	LeftOut []string // names of the figures beyond the limit

	laidOut []section // see Sections
}

// Options say what a report holds. The zero value is the default.
type Options struct {
	Formats []Format // nil for the first of Formats
	// Figures is the largest number of figures, DefaultFigures when 0 and
	// none when negative.
	Figures int
	// Compression is that of files of tables.
	Compression results.Compression
	// Paper asks for the published numbers beside those of the run.
	Paper bool
	// Progress is told of each step before it begins; nil for nobody. It must not
	// block.
	Progress func(analysis.Step)
}

func (o *Options) tell(what string, at, of int) {
	if o.Progress != nil {
		o.Progress(analysis.Step{What: what, At: at, Of: of})
	}
}

// DefaultFigures is how many figures a report draws unless told otherwise.
const DefaultFigures = 24

func (o Options) figures() int {
	if o.Figures == 0 {
		return DefaultFigures
	}
	return max(o.Figures, 0)
}

// Load makes the report of the files in dir, complete or not. Only
// cells.arrow must be there, or a stream of cells of a run that has not ended.
func Load(ctx context.Context, dir string, options Options) (*Report, error) {
	r, err := load(ctx, dir, options)
	if err != nil {
		return nil, fmt.Errorf("report of %s: %w", dir, err)
	}
	return r, nil
}

func load(ctx context.Context, dir string, options Options) (*Report, error) {
	run, err := analysis.Load(ctx, dir, analysis.Options{Paper: options.Paper, Progress: options.Progress})
	if err != nil {
		return nil, err
	}
	drawn, err := figure.Make(ctx, run, options.figures(), options.tell)
	if err != nil {
		return nil, err
	}
	run.Missing = append(run.Missing, drawn.Missing...)
	return &Report{Run: run, Figures: drawn.Figures, LeftOut: drawn.LeftOut}, nil
}

// Sections lays the tables of a report out, in the order in which every format
// shows them, when first asked.
func (r *Report) Sections() []section { //nolint:revive // exported for the page's template
	if r.laidOut == nil {
		r.laidOut = r.layOut()
	}
	return r.laidOut
}

func (r *Report) layOut() []section {
	list := []section{}
	if r.hasChosen() {
		list = append(list, section{Title: "Chosen by validation", Name: "by-validation", Sheets: r.leadSheets()})
	}
	if len(r.Paper) > 0 {
		s := section{Title: "Beside the paper", Name: "paper"}
		for _, p := range r.Paper {
			s.Sheets = append(s.Sheets, paperSheet(p))
		}
		list = append(list, s)
	}
	if r.Own != nil {
		list = append(list, r.Own.Sections...)
	}
	for i, table := range r.Tables {
		s := section{Title: r.tableTitle("Scores", i), Name: fmt.Sprintf("scores-%d", i+1)}
		for score := range analysis.SelectionBias {
			if score == table.Base() || table.Has(score) { // a grid may do without a validation part
				s.Sheets = append(s.Sheets, scoreSheet(table, score))
			}
		}
		if table.Columns[analysis.TestAtBestTest] {
			s.Sheets = append(s.Sheets, selectionSheet(table))
		}
		if reached := reachSheet(table); reached != nil {
			s.Sheets = append(s.Sheets, reached)
		}
		list = append(list, s)
	}
	list = append(list, r.dataSections()...)
	if len(r.Selected) > 0 {
		list = append(list, section{Title: "Chosen parameters", Name: "chosen", Sheets: []*sheet{selectedSheet(r.Layout, r.Selected)}})
	}
	if len(r.Rankings) > 0 {
		s := section{Title: "Over data sets", Name: "ranks"}
		for _, ranking := range r.Rankings {
			s.Sheets = append(s.Sheets, rankSheet(ranking))
		}
		list = append(list, s)
	}
	compared := r.Compared()
	for i := range compared {
		of := section{Title: r.tableTitle("Comparisons", i), Name: fmt.Sprintf("compared-%d", i+1)}
		for _, score := range []analysis.Score{analysis.TestAtBestValidation, r.Tables[i].Base()} {
			if s := comparedSheet(&compared[i], score); len(s.Rows) > 0 {
				of.Sheets = append(of.Sheets, s)
			}
		}
		if len(of.Sheets) > 0 {
			list = append(list, of)
		}
	}
	if len(r.Skipped) > 0 {
		list = append(list, section{Title: "Skipped cells", Name: "skipped-cells", Sheets: []*sheet{skippedSheet(r.Skipped)}})
	}
	if sheets := r.failureSheets(); len(sheets) > 0 {
		list = append(list, section{Title: "Incomplete and failed cells", Name: "failures", Sheets: sheets})
	}
	return list
}

// tableTitle numbers a title where there are several tables.
func (r *Report) tableTitle(title string, i int) string {
	if len(r.Tables) == 1 {
		return title
	}
	return fmt.Sprintf("%s %d: %s", title, i+1, r.Tables[i].Metric.Word())
}
